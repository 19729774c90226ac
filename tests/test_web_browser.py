"""The replay page as people use it, in a headless Chromium.

Needs playwright and a Chromium on the path (Debian: ``apt-get install chromium``); without them
the tests are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.episode import play_episode
from agents.random_agent import RandomAgent
from qv_env.actions import parse_action
from qv_env.deals import Deal
from qv_env.episodes import Episode, EpisodeSettings, Policy, make_episode, verify
from qv_env.history import UNDO
from qv_env.web import write_replay_page
from tests.browsing import (
    DESKTOP,
    PHONE,
    PHONE_WIDTHS,
    SMALL_PHONE,
    figures_fit,
    wait_until,
)
from tests.golden import read_transcript

WON = read_transcript("won_by_greed")
UNLIMITED = EpisodeSettings(max_episode_steps=None)
HOSTILE = """</script><img src=x onerror="document.title='caught'"><b>"""

Opener = Callable[..., Any]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Return what opens an episode's page, and check at the end that nothing went wrong on it."""
    wrong: list[str] = []
    contexts = []

    def open_page(episode: Episode, viewport: dict[str, int] = DESKTOP, **more: Any) -> Any:
        path = write_replay_page(tmp_path / "page.html", episode, verify(episode))
        context = browser.new_context(viewport=viewport, offline=True, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("request", lambda r: None if r.url == path.as_uri() else wrong.append(r.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def won() -> Episode:
    return make_episode(WON.deal, WON.actions, agent="greed", settings=UNLIMITED)


def counter(page: Any) -> int:
    return int(page.inner_text("#counter").split(" / ")[0])


def test_the_table_shows_every_position(opened: Opener, won: Episode) -> None:
    wrong = opened(won).evaluate(
        """() => {
          const wrong = [];
          const level = (card) => Number(card.style.getPropertyValue("--z"));
          const check = (ply) => {
            player.go(ply);
            for (const [place, cards] of Object.entries(game.positions[ply].piles)) {
              const there = [...document.querySelectorAll(`.card[data-place=${place}]`)];
              there.sort((a, b) => level(a) - level(b));
              const seen = there.map((card) => card.dataset.card).join("");
              if (seen !== cards) wrong.push([ply, place, cards, seen]);
            }
          };
          for (let ply = 0; ply <= end; ply++) check(ply);
          for (let ply = end; ply >= 0; ply -= 7) check(ply);
          return wrong;
        }"""
    )
    assert wrong == []


def test_keys(opened: Opener, won: Episode) -> None:
    page = opened(won)
    end = len(won.actions)
    for key, ply in [
        ("ArrowRight", 1),
        ("PageDown", 11),
        ("ArrowLeft", 10),
        ("End", end),
        ("ArrowRight", end),
        ("PageUp", end - 10),
        ("Home", 0),
        ("ArrowLeft", 0),
    ]:
        page.keyboard.press(key)
        assert counter(page) == ply, key
    page.keyboard.press("+")
    assert page.input_value("#speed") == "8"
    page.keyboard.press("-")
    assert page.input_value("#speed") == "4"


def test_playing_and_pausing(opened: Opener, won: Episode) -> None:
    page = opened(won)
    page.select_option("#speed", "32")
    page.click("#play")
    wait_until(page, "player.ply >= 5")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.click("#play")
    stopped = counter(page)
    page.wait_for_timeout(150)
    assert counter(page) == stopped
    page.evaluate("player.go(end - 3)")
    page.locator("#slider").focus()
    page.keyboard.press(" ")
    wait_until(page, "player.ply === end && !player.isPlaying")
    assert page.inner_text("#said").endswith("score 1040")


def test_the_highest_speed_is_kept(opened: Opener, won: Episode) -> None:
    page = opened(won)
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # from here on, time goes by only as it is told to
    page.reload()
    page.select_option("#speed", "32")
    page.click("#play")
    page.clock.run_for(2000)
    assert counter(page) == pytest.approx(64, abs=1)


def test_slider_curve_and_moves_lead_to_a_ply(opened: Opener, won: Episode) -> None:
    page = opened(won)
    page.fill("#slider", "50")
    assert counter(page) == 50
    assert page.inner_text(".move[aria-current] .number") == "50"
    assert "t1: " in page.get_attribute("#board", "aria-label")
    page.click("#moves li:nth-child(53) button")
    assert counter(page) == 53
    box = page.locator("#chart").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(counter(page) - len(won.actions) / 2) <= 1


def test_an_undone_draw_glides_back_to_the_stock(opened: Opener) -> None:
    page = opened(make_episode(21, [0, 0, UNDO], settings=EpisodeSettings(undo=True)))
    page.evaluate("player.go(2)")
    page.keyboard.press("ArrowRight")
    leaving = "document.querySelectorAll('.card:not([data-place])').length"
    assert page.evaluate(leaving) == 1
    wait_until(page, f"{leaving} === 0")
    page.evaluate("player.go(0)")  # a jump, in which nothing glides
    assert page.evaluate(leaving) == 0


def test_the_end_shows_the_win(opened: Opener, won: Episode) -> None:
    page = opened(won)
    page.keyboard.press("End")
    assert page.inner_text("#ending") == "won"
    figures = re.sub(r"\s+", " ", page.inner_text("#figures"))
    assert figures == f"score 1040 moves {len(won.actions)} stock 0 foundations 104"


@pytest.mark.parametrize("viewport", [PHONE, SMALL_PHONE], ids=lambda size: f"{size['width']}")
def test_a_phone_has_room_for_everything(opened: Opener, viewport: dict[str, int]) -> None:
    episode = play_episode(RandomAgent(), Deal.from_number(21), seed=3, max_plies=60)
    page = opened(episode, viewport, has_touch=True, is_mobile=True)
    page.evaluate("player.go(60)")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    for name in ("#first", "#play", "#last", "#speed", "#slider", ".card", "#figures dd >> nth=3"):
        box = page.locator(name).first.bounding_box()
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= viewport["width"], name
    page.tap("#back")
    assert counter(page) == 59


@pytest.mark.parametrize("width", PHONE_WIDTHS)
def test_a_phone_has_room_for_large_figures(opened: Opener, width: int) -> None:
    page = opened(make_episode(21, [0]), {"width": width, "height": 700}, is_mobile=True)
    assert figures_fit(page)


def test_what_the_agent_thought_is_shown(opened: Opener) -> None:
    page = opened(play_episode(RandomAgent(), Deal.from_number(21), seed=3, max_plies=10))
    assert page.locator("#rated li").count() == 2
    assert page.inner_text("#rated li.chosen .value") == "50.0%"
    page.hover("#rated li:has-text('t4>t7')")
    assert page.get_attribute(".card.source", "data-place") == "t4"
    assert page.get_attribute(".card.target", "data-place") == "t7"
    page.keyboard.press("End")
    assert page.inner_text("#rated") == "the game is over"


def test_values_are_shown_in_the_agents_unit(opened: Opener) -> None:
    thought = (((0, 3.0), (parse_action("t4>t7"), -1.0)), ())
    page = opened(make_episode(21, [0, 0], policy=Policy(measure="value", favoured=thought)))
    assert page.locator("#rated .value").all_inner_texts() == ["3", "\u22121"]
    widths = page.evaluate(
        "[...document.querySelectorAll('#rated .fill')].map((bar) => bar.style.width)"
    )
    assert widths == ["100%", "0%"]
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#rated") == "nothing recorded at this ply"


@pytest.mark.parametrize(("motion", "moves"), [("reduce", False), ("no-preference", True)])
def test_cards_glide_unless_less_motion_is_wanted(
    opened: Opener, won: Episode, motion: str, *, moves: bool
) -> None:
    page = opened(won, reduced_motion=motion)
    # In one breath: on a busy machine a card has arrived before a second question comes.
    gliding = page.evaluate(
        """() => {
            const key = new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true });
            document.body.dispatchEvent(key);
            return document.querySelector(".moved").getAnimations().length > 0;
        }"""
    )
    assert gliding is moves


def test_names_in_a_file_are_text(opened: Opener) -> None:
    page = opened(make_episode(21, [0], agent=HOSTILE))
    assert HOSTILE in page.inner_text("#by")
    assert page.locator("img, b").count() == 0
    assert "caught" not in page.title().removeprefix(f"FT1-N-AAAAAAV, played by {HOSTILE}")
