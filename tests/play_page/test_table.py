"""The table by mouse, finger and keyboard, on screens of all sizes."""

from __future__ import annotations

from typing import Any

import pytest

from qv_env import Game
from qv_env.actions import ACTIONS, DRAW, pile_text
from tests.browsing import PHONE, PHONE_WIDTHS, SMALL_PHONE, figures_fit, wait_until
from tests.golden import read_transcript
from tests.play_page.playing import (
    CODE,
    Opener,
    deal,
    drag,
    figures,
    notice,
    pile,
    settle,
    top,
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
    game = Game(CODE)
    while not any(move.startswith("w>f") for move in game.legal_moves):
        game.draw()
    deal(page, CODE, [DRAW] * game.moves)
    page.mouse.dblclick(*top(page, "w"))
    page.wait_for_timeout(400)
    settle(page)
    assert page.evaluate("view.operations.length") == game.moves + 1
    assert notice(page) == ""
    assert figures(page).startswith("score 10 ")


def test_a_card_is_taken_back_from_a_foundation(page: Any) -> None:
    game = read_transcript("take_backs")
    ply = next(k for k, a in enumerate(game.actions) if pile_text(ACTIONS[a].source)[0] == "f")
    source, target = ACTIONS[game.actions[ply]].text.split(">")
    deal(page, game.deal, game.actions[:ply])
    page.mouse.click(*top(page, source))
    settle(page)
    assert notice(page) == "A card comes back from a foundation only by being dragged to a column."
    card = pile(page, source)[-2:]
    drag(page, source, target)
    assert pile(page, target).endswith(card)
    assert page.evaluate("view.position.score") == game.scores[ply]
    assert game.scores[ply] < game.scores[ply - 1]


def test_keys_send_a_card_to_its_best_place(page: Any) -> None:
    page.evaluate("places.focus('t4')")
    page.keyboard.press("b")
    settle(page)
    assert pile(page, "t7").endswith("KSQS")
    page.keyboard.press("f")
    settle(page)
    assert notice(page) == "A foundation is built upwards from the ace, without gaps."
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")  # no card is at hand
    page.keyboard.press("1")
    page.keyboard.press("2")
    settle(page)
    assert notice(page) == "A column is built in one suit."


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
    assert page.evaluate("hand.held") is None
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
    assert width <= viewport["width"]
    assert height <= viewport["height"]
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


@pytest.mark.parametrize("width", PHONE_WIDTHS)
def test_a_phone_has_room_for_large_figures_and_all_labels(opened: Opener, width: int) -> None:
    page = opened({"width": width, "height": 700}, has_touch=True, is_mobile=True)
    assert figures_fit(page)
    margins = page.evaluate(
        """() => [...document.querySelectorAll(".controls button")].map((button) => {
          return (button.clientWidth - button.querySelector("span").offsetWidth) / 2;
        })"""
    )
    assert min(margins) >= 1


def test_help_begins_at_its_beginning(opened: Opener) -> None:
    page = opened(SMALL_PHONE, has_touch=True, is_mobile=True)
    page.tap("#help")
    dialog = "document.getElementById('help-dialog')"
    assert page.evaluate(f"{dialog}.scrollHeight > {dialog}.clientHeight")
    assert page.evaluate(f"{dialog}.scrollTop") == 0
    page.keyboard.press("Escape")
    assert page.locator("#help-dialog").is_hidden()
    assert page.evaluate("document.activeElement.id") == "help"


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
