"""Games on the page: deals, wins, reloads, tabs, agents, and how they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.results.result import read_result
from agents.results.rows import decode_actions
from qv_env import Game
from qv_env.actions import ACTIONS, DRAW, parse_action, pile_text
from qv_env.episodes import read_episode, verify
from qv_env.history import UNDO
from tests.browsing import wait_until
from tests.play_page.playing import (
    CODE,
    Opener,
    Server,
    deal,
    drag,
    figures,
    notice,
    pile,
    ready,
    settle,
    top,
)

RESULTS = Path(__file__).parents[2] / "results" / "greedy-test-1000.json"
DRAWN_OUT = 64
PLIES_BETWEEN_LOOKS = 25


def test_codes_are_entered_and_copied(opened: Opener, server: Server) -> None:
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    page.click("#code")
    page.keyboard.type("FT1-N-AAA")
    page.keyboard.press("Enter")
    wait_until(page, "document.getElementById('code-fault').textContent !== ''")
    assert "Wrong length" in page.inner_text("#code-fault")
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
    game = Game(code)
    for ply, action in enumerate(won):
        make_by_hand(page, ply, action)
        game.push(action)
        if ply % PLIES_BETWEEN_LOOKS == 0:
            for place in (*game.columns, game.waste, *game.foundations):
                assert pile(page, place.place) == "".join(map(str, place))
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


def test_a_game_that_cannot_be_given_back_begins_anew(page: Any, server: Server) -> None:
    page.keyboard.press("d")
    settle(page)
    server.play.sessions.clear()
    page.evaluate("view.operations = [1]")  # as of a server with other limits
    page.keyboard.press("d")
    settle(page)
    assert "its deal begins anew" in notice(page)
    assert figures(page) == "score 0 moves 0 stock 64 foundations 0"
    page.keyboard.press("d")
    settle(page)
    assert figures(page) == "score 0 moves 1 stock 63 foundations 0"


def test_keys_that_come_faster_than_answers_are_done_in_order(page: Any) -> None:
    for key in "dddduu47r":
        page.keyboard.press(key)
    settle(page)
    done = [DRAW] * 4 + [UNDO] * 2 + [parse_action("t4>t7")]
    assert page.evaluate("view.operations") == done
    assert notice(page) == "There is nothing to redo."  # the move took it away
    page.keyboard.press("d")
    page.reload()  # perhaps before the answer
    ready(page)
    assert page.inner_text("#count") in ("5", "6")


def test_a_late_answer_takes_no_card_out_of_the_hand(page: Any) -> None:
    page.evaluate(
        "() => { const ask = client.do.bind(client);"
        " client.do = async (deed) => {"
        " await new Promise((done) => setTimeout(done, 200)); return ask(deed); }; }"
    )
    for key in "d4":
        page.keyboard.press(key)
    settle(page)
    page.keyboard.press("7")
    settle(page)
    assert page.evaluate("view.operations") == [DRAW, parse_action("t4>t7")]


def test_what_a_tab_cannot_have_kept_is_passed_over(page: Any, server: Server) -> None:
    server.play.sessions.clear()
    told = "The server does not take back the game of this tab; here is a new one."
    refused = json.dumps({"id": "none", "deal": CODE, "operations": [1]})
    for kept, said in (("{", ""), (refused, told)):
        page.evaluate("text => sessionStorage.setItem('qv-game', text)", kept)
        page.reload()
        ready(page)
        assert figures(page) == "score 0 moves 0 stock 64 foundations 0"
        assert notice(page) == said


def test_a_tab_that_shows_an_old_position_learns_the_new_one(page: Any) -> None:
    page.evaluate("client.do({ do: 'tap', place: 'stock' })")  # as a copied tab would
    page.keyboard.press("d")
    settle(page)
    assert "another tab" in notice(page)
    assert figures(page) == "score 0 moves 1 stock 63 foundations 0"


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
    assert page.evaluate("view.last.move") in ("draw", "t4>t7")  # it draws lots
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


def test_a_game_that_comes_back_keeps_who_made_its_moves(
    opened: Opener, agent_server: Server
) -> None:
    page = opened(at=agent_server)
    page.click(".move-once")
    settle(page)
    page.keyboard.press("n")
    settle(page)
    assert page.evaluate("view.players") == []
    page.click("#notice-offer")
    settle(page)
    assert page.evaluate("view.players") == ["random"]
    agent_server.play.sessions.clear()
    page.keyboard.press("d")
    settle(page)
    agent_server.play.sessions.clear()
    page.reload()
    ready(page)
    assert page.evaluate("view.players") == ["person", "random"]


def test_every_speed_has_room_in_its_line(opened: Opener, agent_server: Server) -> None:
    page = opened(at=agent_server)
    heights = set()
    for speed in range(int(page.get_attribute(".speed", "max")) + 1):
        page.fill(".speed", str(speed))
        heights.add(page.evaluate("document.querySelector('.pace').clientHeight"))
    assert len(heights) == 1


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
    assert json.loads(page.evaluate("sessionStorage.getItem('qv-game')"))["deal"] == CODE
