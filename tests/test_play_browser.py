"""The play page as people use it: mouse, finger and keyboard in a headless Chromium.

The server of `qv play` runs in a thread; nothing stands between the page and the rules.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.advising import AgentAdviser
from agents.outlook import PlannerOutlook
from agents.random_agent import RandomAgent
from agents.results.result import read_result
from agents.results.rows import decode_actions
from qv_env import Game
from qv_env.actions import ACTIONS, DRAW, pile_text
from qv_env.deals import parse_deal
from qv_env.episodes import read_episode, verify
from qv_env.web.app import PlayServer
from qv_env.web.serving import listen, new_server
from tests.browsing import DESKTOP, PHONE, SMALL_PHONE, wait_until

CODE = "FT1-N-AAAAAAV"
RESULTS = Path(__file__).parent.parent / "results" / "greedy-test-1000.json"
DRAWN_OUT = 64

Opener = Callable[..., Any]


class Server:
    """A server in a thread of its own."""

    def __init__(self, **parts: Any) -> None:
        self.listener = listen(0)
        port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        self.play = PlayServer(port=port, deal=parse_deal(CODE), **parts)
        self._server = new_server(self.play.app)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self.listener]}
        )

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=30)
        self.listener.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(outlook=PlannerOutlook()) as running:
        yield running


@pytest.fixture(scope="module")
def agent_server() -> Iterator[Server]:
    with Server(adviser=AgentAdviser(RandomAgent()), outlook=PlannerOutlook()) as running:
        yield running


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Opener]:
    """Return what opens the page, and check at the end that nothing went wrong on it."""
    wrong: list[str] = []
    contexts = []

    def watch(page: Any, url: str) -> None:
        # Answers that refuse what a test asks for on purpose are written to the console, too.
        page.on(
            "console",
            lambda m: None if "Failed to load resource" in m.text else wrong.append(m.text),
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(url) else wrong.append(r.url))

    def open_page(
        viewport: dict[str, int] = DESKTOP,
        *,
        context: Any = None,
        at: Server = server,
        **more: Any,
    ) -> Any:
        if context is None:
            context = browser.new_context(viewport=viewport, **more)
            contexts.append(context)
        page = context.new_page()
        watch(page, at.url)
        page.goto(at.url)
        ready(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(opened: Opener) -> Any:
    return opened()


def ready(page: Any) -> None:
    wait_until(page, "document.body.classList.contains('ready')")


def settle(page: Any) -> None:
    """Wait until all that was asked of the server is done and shown."""
    page.evaluate("queue")


def top(page: Any, place: str) -> tuple[float, float]:
    """Return where to grab the top card of a place, or its empty slot."""
    box = page.evaluate(
        "place => { const box = board.topOf(place).getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height * 0.6]; }",
        place,
    )
    return box[0], box[1]


def drag(page: Any, source: str, target: str) -> None:
    page.mouse.move(*top(page, source))
    page.mouse.down()
    page.mouse.move(*top(page, target), steps=2)
    page.mouse.up()
    settle(page)


def pile(page: Any, place: str) -> str:
    """Return a pile as the table shows it, from the bottom up."""
    shown: list[list[Any]] = page.evaluate(
        "place => [...document.querySelectorAll(`.card[data-place=${place}]`)]"
        ".map((card) => [Number(card.style.getPropertyValue('--z')), card.dataset.card])",
        place,
    )
    return "".join(card for _, card in sorted(shown))


def notice(page: Any) -> str:
    return str(page.text_content("#notice-text"))


def figures(page: Any) -> str:
    return re.sub(r"\s+", " ", page.inner_text("#figures"))


def deal(page: Any, code: str, operations: list[int]) -> None:
    page.evaluate(
        "([deal, operations]) => act({ do: 'deal', deal, operations })", [code, operations]
    )


def test_the_table_shows_the_deal(page: Any) -> None:
    game = Game(CODE)
    for column in game.columns:
        assert pile(page, column.place) == "".join(map(str, column))
    assert page.inner_text("#deal") == CODE
    assert figures(page) == "score 0 moves 0 stock 64 foundations 0"
    assert page.is_disabled("#undo")
    assert page.locator("#agent").is_hidden()


def test_a_card_is_dragged_to_a_place_that_lights_up(page: Any) -> None:
    page.mouse.move(*top(page, "t4"))
    page.mouse.down()
    x, y = top(page, "t7")
    page.mouse.move(x - 150, y + 60, steps=2)
    lit = "[...document.querySelectorAll('.accepts')].map((lit) => lit.dataset.place)"
    assert page.evaluate(lit) == ["t7"]
    page.mouse.move(x, y)
    page.mouse.up()
    settle(page)
    assert pile(page, "t7") == "9HJD2HKSQS"
    assert pile(page, "t4") == "4HKC7S"
    assert page.evaluate(lit) == []
    assert figures(page) == "score 0 moves 1 stock 64 foundations 0"


def test_a_refused_drag_states_the_rule_and_goes_back(page: Any) -> None:
    before = top(page, "t1")
    drag(page, "t1", "t2")
    assert notice(page) == "A column is built in one suit."
    drag(page, "t1", "stock")
    assert notice(page) == "Nothing moves to the stock."
    wait_until(page, "!document.querySelector('.returning')")
    assert top(page, "t1") == before
    assert pile(page, "t1") == "JHQDTHKD"
    assert figures(page) == "score 0 moves 0 stock 64 foundations 0"


def test_a_card_put_back_on_its_own_place_is_no_move(page: Any) -> None:
    x, y = top(page, "t4")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 12, steps=2)
    page.mouse.up()
    page.wait_for_timeout(300)
    settle(page)
    assert notice(page) == ""
    assert pile(page, "t4") == "4HKC7SQS"


def test_escape_lets_go_of_a_card(page: Any) -> None:
    page.mouse.move(*top(page, "t4"))
    page.mouse.down()
    page.mouse.move(*top(page, "t7"))
    page.keyboard.press("Escape")
    page.mouse.up()
    settle(page)
    assert pile(page, "t4") == "4HKC7SQS"
    assert page.locator(".dragged, .accepts").count() == 0


def test_clicks(page: Any) -> None:
    page.mouse.click(*top(page, "t4"))  # no foundation accepts it
    wait_until(page, "document.getElementById('notice').classList.contains('on')")
    assert notice(page) == "A foundation is built upwards from the ace, without gaps."
    page.mouse.click(*top(page, "stock"))
    page.mouse.click(*top(page, "stock"))
    settle(page)
    assert page.evaluate("view.position.piles.w") == "5D4S"
    page.locator(".card[data-place=t5][data-card=JC]").click(position={"x": 20, "y": 8})
    assert notice(page) == "Only the top card of a pile moves."
    page.mouse.dblclick(*top(page, "t4"))
    settle(page)
    assert pile(page, "t7").endswith("KSQS")
    page.keyboard.press("Escape")
    assert notice(page) == ""


def test_the_second_click_of_a_double_click_moves_no_other_card(page: Any) -> None:
    # After 28 draws of this deal an ace lies on another ace's place in the waste or the columns.
    game = Game(CODE)
    while not any(move.startswith("w>f") for move in game.legal_moves):
        game.draw()
    deal(page, CODE, [DRAW] * game.moves)
    page.mouse.dblclick(*top(page, "w"))
    page.wait_for_timeout(400)
    settle(page)
    assert page.evaluate("view.operations.length") == game.moves + 1
    assert figures(page).startswith("score 10 ")


def test_undo_and_redo_over_a_draw(opened: Opener) -> None:
    page = opened()
    page.click("#new")
    settle(page)
    deal(page, CODE, [DRAW])
    assert pile(page, "w") == "5D"
    page.click("#undo")
    settle(page)
    # The card glides back to the stock, where it is taken away.
    assert page.evaluate("[...document.querySelectorAll('.card:not([data-place])')].length") == 1
    wait_until(page, "!document.querySelector('.card:not([data-place])')")
    assert figures(page) == "score 0 moves 1 stock 64 foundations 0"
    page.keyboard.press("Control+y")
    settle(page)
    assert figures(page) == "score 0 moves 2 stock 63 foundations 0"
    page.keyboard.press("Control+z")
    page.keyboard.press("u")
    settle(page)
    assert notice(page) == "There is nothing to undo."


def test_less_motion_where_it_is_wanted(opened: Opener) -> None:
    page = opened(reduced_motion="reduce")
    page.keyboard.press("d")
    settle(page)
    assert page.evaluate("document.querySelector('.moved').getAnimations().length") == 0
    page.keyboard.press("u")
    settle(page)
    wait_until(page, "!document.querySelector('.card:not([data-place])')")


def test_codes_are_entered_and_copied(opened: Opener, server: Server) -> None:
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    page.click("#code")
    page.keyboard.type("FT1-N-AAA")
    page.keyboard.press("Enter")
    wait_until(page, "document.getElementById('code-fault').textContent !== ''")
    assert "wrong length" in page.inner_text("#code-fault")
    assert page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
    page.fill("#code-dialog input", "ft1-n-aaaaaab")
    assert page.inner_text("#code-fault") == ""
    page.keyboard.press("Enter")
    wait_until(page, "!document.querySelector('dialog[open]')")
    assert page.inner_text("#deal") == "FT1-N-AAAAAAB"
    page.click("#copy")
    wait_until(page, "document.getElementById('notice').classList.contains('on')")
    assert page.evaluate("navigator.clipboard.readText()") == "FT1-N-AAAAAAB"


def test_new_game_restart_and_the_way_back(page: Any) -> None:
    page.keyboard.press("d")
    page.click("#new")
    settle(page)
    assert page.inner_text("#deal") != CODE
    page.click("#notice-offer")
    settle(page)
    assert page.inner_text("#deal") == CODE
    assert figures(page) == "score 0 moves 1 stock 63 foundations 0"
    page.click("#restart")
    settle(page)
    assert figures(page) == "score 0 moves 0 stock 64 foundations 0"
    assert page.inner_text("#deal") == CODE


def test_automatic_placement(page: Any) -> None:
    page.click("#auto")
    assert page.get_attribute("#auto", "aria-checked") == "true"
    drag(page, "t4", "t1")
    assert pile(page, "t7").endswith("KSQS")
    page.reload()
    ready(page)
    assert page.get_attribute("#auto", "aria-checked") == "true"


def test_a_won_game_is_played_to_its_end_and_saved(opened: Opener, tmp_path: Path) -> None:
    page = opened(reduced_motion="reduce")  # so that no card has to be waited for
    code, text = min(read_result(RESULTS).wins.items(), key=lambda item: len(item[1]))
    won = decode_actions(text)
    deal(page, code, [])
    for ply, action in enumerate(won):
        make_by_hand(page, ply, action)
    assert page.is_visible("#won")
    assert page.inner_text("#won-figures").endswith(f"{len(won)} moves")
    assert "The game is won" in page.inner_text("#said")
    with page.expect_download() as download:
        page.click("#won-save")
    path = tmp_path / "won.json"
    download.value.save_as(path)
    episode = read_episode(path)
    verify(episode)
    assert (episode.ending, episode.deal, episode.agent) == ("won", code, "person")
    page.keyboard.press("u")
    settle(page)
    assert page.locator("#won").is_hidden()


def make_by_hand(page: Any, ply: int, action: int) -> None:
    """Make a move by mouse or, three times out of four, by the keys; see that it was made."""
    source, target = pile_text(ACTIONS[action].source), pile_text(ACTIONS[action].destination)
    if source == "stock":
        page.mouse.click(*top(page, source))
    elif ply % 4:
        for place in (source, target):
            page.keyboard.press(place.removeprefix("t")[-1] if place[0] == "t" else place[0])
    else:
        page.mouse.move(*top(page, source))
        page.mouse.down()
        page.mouse.move(*top(page, target))
        page.mouse.up()
    done = page.evaluate("queue.then(() => [view.operations.length, view.operations.at(-1)])")
    assert done == [ply + 1, action]


def test_a_reload_keeps_the_game_and_tabs_have_their_own(opened: Opener) -> None:
    page = opened()
    other = opened(context=page.context)
    page.keyboard.press("d")
    settle(page)
    other.keyboard.press("4")
    other.keyboard.press("7")
    settle(other)
    for tab in (page, other):
        tab.reload()
        ready(tab)
    assert figures(page) == "score 0 moves 1 stock 63 foundations 0"
    assert figures(other) == "score 0 moves 1 stock 64 foundations 0"
    assert pile(other, "t7").endswith("KSQS")
    assert page.evaluate("view.id") != other.evaluate("view.id")


def test_a_game_that_the_server_has_dropped_is_given_back(page: Any, server: Server) -> None:
    page.keyboard.press("d")
    settle(page)
    server.play.sessions.clear()
    page.keyboard.press("d")
    settle(page)
    assert figures(page) == "score 0 moves 2 stock 62 foundations 0"
    server.play.sessions.clear()
    page.reload()
    ready(page)
    assert figures(page) == "score 0 moves 2 stock 62 foundations 0"


def test_a_tab_that_shows_an_old_position_learns_the_new_one(page: Any) -> None:
    page.evaluate("client.do({ do: 'tap', place: 'stock' })")  # as a copied tab would
    page.keyboard.press("d")
    settle(page)
    assert "another tab" in notice(page)
    assert figures(page) == "score 0 moves 1 stock 63 foundations 0"


def test_the_keyboard_alone_is_enough(page: Any) -> None:
    page.keyboard.press("Tab")  # the copy button
    page.keyboard.press("Tab")
    focused = "document.activeElement.dataset.at"
    assert page.evaluate(focused) == "t1"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == (
        "column 4, queen of spades; below it 7 of spades, king of clubs, 4 of hearts; "
        "may go to column 7"
    )
    page.keyboard.press("Enter")
    assert page.inner_text("#said") == "Holding queen of spades. It may go to column 7."
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.keyboard.press("Escape")
    assert page.evaluate("held") is None
    page.keyboard.press(" ")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    settle(page)
    assert page.inner_text("#said") == "column 4 to column 7, queen of spades. Score 0."
    for key in ("ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate(focused) == "w"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")  # the stock
    settle(page)
    assert pile(page, "w") == "5D"
    page.keyboard.press("?")
    assert page.is_visible("#help-dialog")
    page.keyboard.press("d")  # the table is out of reach
    page.keyboard.press("Escape")
    assert page.locator("#help-dialog").is_hidden()
    assert page.evaluate("view.position.stock") == 63


@pytest.mark.parametrize("viewport", [PHONE, SMALL_PHONE], ids=lambda size: f"{size['width']}")
def test_fingers_on_a_phone(opened: Opener, viewport: dict[str, int]) -> None:
    page = opened(viewport, has_touch=True, is_mobile=True)
    size = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    width, height = page.evaluate(size)
    assert (width, height) <= (viewport["width"], viewport["height"])
    for button in page.locator(".controls button").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]
        assert min(box["width"], box["height"]) >= 36
    page.touchscreen.tap(*top(page, "stock"))
    settle(page)
    assert pile(page, "w") == "5D"
    touch_drag(page, top(page, "t4"), top(page, "t7"))
    settle(page)
    assert pile(page, "t7").endswith("KSQS")
    touch_drag(page, top(page, "t1"), top(page, "t2"))
    settle(page)
    assert notice(page) == "A column is built in one suit."


def touch_drag(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    finger = page.context.new_cdp_session(page)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    for kind, points in (
        ("touchStart", [start]),
        ("touchMove", [middle]),
        ("touchMove", [end]),
        ("touchEnd", []),
    ):
        finger.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )


@pytest.mark.parametrize("viewport", [(768, 1024), (844, 390), (3840, 2160)], ids=str)
def test_every_screen_has_room_for_the_longest_column(
    opened: Opener, viewport: tuple[int, int]
) -> None:
    page = opened({"width": viewport[0], "height": viewport[1]})
    # King to ace on three cards, which is as long as a column gets.
    page.evaluate(
        "() => { const suit = [...'KQJT98765432A'].map((rank) => `${rank}S`).join('');"
        " const piles = { ...view.position.piles, t10: `2H2D2C${suit}` };"
        " board.show({ ...view.position, piles }, { still: true }); }"
    )
    last = page.locator(".card[data-place=t10]").evaluate_all(
        "cards => Math.max(...cards.map((card) => card.getBoundingClientRect().bottom))"
    )
    strip = page.locator("#board").bounding_box()
    assert last <= strip["y"] + strip["height"]
    right = page.locator(".slot[data-place=t10]").bounding_box()
    assert right["x"] + right["width"] <= viewport[0]


def test_ends_are_told(page: Any) -> None:
    deal(page, "FT1-N-AAAAAAW", [DRAW] * DRAWN_OUT)
    assert notice(page) == "No legal move is left. Undo, or begin anew."
    deal(page, CODE, [DRAW] * DRAWN_OUT)
    wait_until(page, "document.getElementById('notice').classList.contains('end')")
    assert notice(page).startswith("The planner finds nothing that helps")


def test_an_agent_advises_moves_and_plays_on(opened: Opener, agent_server: Server) -> None:
    page = opened(at=agent_server)
    assert page.inner_text(".agent-name") == "random"
    page.click(".advise")
    wait_until(page, "document.querySelectorAll('.rated li').length > 0")
    assert page.locator(".rated .value").all_inner_texts() == ["50.0%", "50.0%"]
    pointed = page.evaluate(
        "[...document.querySelectorAll('.source, .target')].map((card) => card.dataset.place)"
    )
    chosen = page.inner_text(".rated .chosen .text")
    assert set(pointed) == ({"t4", "t7"} if chosen == "t4>t7" else {"stock", "w"})
    page.click(".move-once")
    settle(page)
    assert page.evaluate("view.last.move") == chosen
    page.fill(".speed", "5")
    page.keyboard.press("p")
    wait_until(page, "view.operations.length >= 6")
    assert page.get_attribute(".play-on", "aria-pressed") == "true"
    page.keyboard.press("p")
    settle(page)
    count = page.evaluate("view.operations.length")
    page.wait_for_timeout(200)
    assert page.evaluate("view.operations.length") == count
    assert page.get_attribute(".play-on", "aria-pressed") == "false"


def test_playing_on_ends_with_the_game(opened: Opener, agent_server: Server) -> None:
    page = opened(at=agent_server)
    deal(page, "FT1-N-AAAAAAW", [DRAW] * (DRAWN_OUT - 1))  # after one more draw nothing is legal
    page.fill(".speed", "5")
    page.click(".play-on")
    wait_until(page, "view.stuck && !panel.isPlaying")
    assert notice(page) == "No legal move is left. Undo, or begin anew."
    assert page.is_disabled(".advise")
    page.keyboard.press("u")
    settle(page)
    assert page.is_enabled(".advise")


def test_a_server_that_has_ended_is_named(opened: Opener) -> None:
    with Server() as server:
        page = opened(at=server)
    page.keyboard.press("d")
    settle(page)
    assert "is qv play still running?" in notice(page)
    assert json.loads(page.evaluate("sessionStorage.getItem('qv-game')"))["code"] == CODE
