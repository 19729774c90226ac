"""Pages as files: what is in them, that they load nothing, and that nothing in a file escapes."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from agents.episode import play_episode
from agents.random_agent import RandomAgent
from qv_env.cli.group import qv
from qv_env.deals import Deal
from qv_env.episodes import (
    Episode,
    EpisodeSettings,
    Policy,
    episode_text,
    make_episode,
    save_episode,
    verify,
)
from qv_env.history import UNDO
from qv_env.render.theme import FOUR_COLOURS
from qv_env.web import playing, replay, replay_html
from qv_env.web.page import asset
from qv_env.web.playing import playing_page
from tests.golden import TRANSCRIPTS, read_transcript

CODE = "FT1-N-AAAAAAV"
HOSTILE = (
    """</script><script>alert(1)</script><!--</title><img src=x onerror="alert(2)">&amp;{{data}}'"""
)
MEGABYTE = 1_000_000
FREE = EpisodeSettings(max_episode_steps=None, undo=True)


class PageParser(HTMLParser):
    """Collects the elements of a page, and the text of its scripts, styles and title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.texts:
            self.texts[self._inside][-1] += data

    @property
    def data(self) -> dict[str, Any]:
        """What the page's scripts are given."""
        data: dict[str, Any] = json.loads(self.texts["script"][0])
        return data


def golden_episode(name: str, **more: Any) -> Episode:
    game = read_transcript(name)
    return make_episode(game.deal, game.actions, settings=FREE, **more)


def page_of(episode: Episode) -> PageParser:
    return PageParser(replay_html(episode, verify(episode)))


@pytest.fixture(scope="module")
def page() -> PageParser:
    return page_of(play_episode(RandomAgent(), Deal.from_code(CODE), seed=3, max_plies=40))


def test_a_page_loads_nothing(page: PageParser) -> None:
    for tag, attributes in page.elements:
        assert "src" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag
        if href := attributes.get("href"):
            assert href.startswith("data:"), href
    code = "".join(page.texts["script"][1:] + page.texts["style"])
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|WebSocket|import\(|\beval\b", code)
    assert set(re.findall(r"https?://[^\"'\s]+", code)) == {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_the_pages_own_code_and_nothing_else(page: PageParser) -> None:
    (policy,) = (a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for kind, text in (
        ("script-src", page.texts["script"][1]),
        ("style-src", page.texts["style"][0]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"


def test_500_plies_with_all_that_can_be_recorded_stay_small() -> None:
    game = read_transcript("first_dev_thrifty")
    thought = tuple((action, 0.1234) for action in (111, 112, 113, 114, 115))
    policy = Policy(measure="probability", favoured=(thought,) * 500)
    episode = make_episode(game.deal, game.actions[:500], settings=FREE, policy=policy)
    assert len(replay_html(episode, verify(episode)).encode()) < MEGABYTE


def test_hostile_names_stay_text() -> None:
    episode = make_episode(CODE, [0, 0], agent=HOSTILE)
    page = page_of(episode)
    assert [a.get("type") for t, a in page.elements if t == "script"] == ["application/json", None]
    assert not any(tag == "img" for tag, _ in page.elements)
    assert page.data["agent"] == HOSTILE
    assert page.texts["title"] == [f"{CODE}, played by {HOSTILE}: Quarante Voleurs"]


@pytest.mark.parametrize("name", [path.stem for path in TRANSCRIPTS])
def test_each_ply_leads_from_one_position_to_the_next(name: str) -> None:
    data = page_of(golden_episode(name)).data
    game = read_transcript(name)
    assert [position["score"] for position in data["positions"]] == [0, *game.scores]
    check_plies(data)


def test_undos_go_backwards() -> None:
    draws = make_episode(CODE, [0, 0, UNDO, UNDO, 0], settings=FREE)
    data = page_of(draws).data
    check_plies(data)
    assert [ply["move"] for ply in data["plies"]] == ["draw", "draw", "undo", "undo", "draw"]
    assert [ply["to"] for ply in data["plies"]] == ["w", "w", "stock", "stock", "w"]
    assert [position["moves"] for position in data["positions"]] == [0, 1, 2, 2, 2, 3]


def check_plies(data: dict[str, Any]) -> None:
    """Move one card a ply by hand, and compare with the position that the page is given."""
    assert len(data["positions"]) == len(data["plies"]) + 1
    for (before, after), ply in zip(
        itertools.pairwise(data["positions"]), data["plies"], strict=True
    ):
        piles, stock = dict(before["piles"]), before["stock"]
        if ply["from"] == "stock":
            stock -= 1
        else:
            assert piles[ply["from"]].endswith(ply["card"])
            piles[ply["from"]] = piles[ply["from"]][:-2]
        if ply["to"] == "stock":
            stock += 1
        else:
            piles[ply["to"]] += ply["card"]
        assert (piles, stock) == (after["piles"], after["stock"])
        assert after["score"] - before["score"] == ply["gain"]


def test_what_the_agent_thought_is_there(page: PageParser) -> None:
    assert page.data["measure"] == "probability"
    first = page.data["plies"][0]["favoured"]
    assert {choice["move"] for choice in first} == {"draw", "t4>t7"}
    assert {"move": "t4>t7", "number": 0.5, "from": "t4", "to": "t7"} in first
    assert page_of(make_episode(CODE, [0])).data["measure"] is None


@pytest.mark.parametrize("name", ["replay", "play"])
def test_every_element_that_scripts_ask_for_exists(page: PageParser, name: str) -> None:
    script = asset(f"{name}.js")
    if name == "play":
        page = PageParser(playing_page(None, has_outlook=False).html)
    ids = {attributes.get("id") for _, attributes in page.elements}
    asked = set(re.findall(r"byId\(\"([\w-]+)\"\)", script))
    assert asked
    assert asked <= ids


def test_every_asset_is_on_a_page() -> None:
    folder = resources.files("qv_env.web").joinpath("assets")
    used = {*replay.STYLES, *replay.SCRIPTS, *playing.STYLES, *playing.SCRIPTS}
    bodies = {"page.html", "figures.html", "waste.html", "replay.html", "play.html"}
    assert {file.name for file in folder.iterdir()} == used | bodies


def test_the_play_page_asks_its_own_server_alone() -> None:
    page = playing_page(None, has_outlook=False)
    parsed = PageParser(page.html)
    for tag, attributes in parsed.elements:
        assert "src" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag
        assert (attributes.get("href") or "data:").startswith(("data:", "#")), tag
    code = "".join(parsed.texts["script"][1:] + parsed.texts["style"])
    assert not re.search(r"url\(|@import|XMLHttp|WebSocket|import\(|\beval\b", code)
    assert re.findall(r"(?<!#)\bfetch\((.*?)\)", code) == ["path, options"]
    assert set(re.findall(r"https?://[^\"'\s]+", code)) == {"http://www.w3.org/2000/svg"}
    assert "connect-src 'self'" in page.policy


# Linear RGB as people with no red, green or blue cones see it: Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.
VISIONS = {
    "common": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def linear(colour: str) -> np.ndarray:
    """Return the linear RGB of a colour such as ``#16191d`` (sRGB, IEC 61966-2-1)."""
    srgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of linear RGB."""
    x, y, z = np.cbrt(TO_XYZ @ rgb.clip(0, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def theme() -> dict[str, np.ndarray]:
    found = re.findall(r"--([SHDC]|paper): (#\w{6});", asset("theme.css"))
    assert len(found) == 5
    return {name: linear(colour) for name, colour in found}


@pytest.mark.parametrize("vision", VISIONS)
def test_suits_differ_for_every_kind_of_colour_vision(vision: str) -> None:
    seen = {name: lab(VISIONS[vision] @ rgb) for name, rgb in theme().items()}
    for one, other in itertools.combinations("SHDC", 2):
        # A difference of 2.3 is just noticeable.
        assert np.linalg.norm(seen[one] - seen[other]) > 20, (one, other)


def test_films_have_the_suits_colours_of_the_pages() -> None:
    pages = re.findall(r"--[SHDC]: (#\w{6});", asset("theme.css"))
    assert [bytes(colour).hex() for colour in FOUR_COLOURS.suits] == [c[1:] for c in pages]


def test_suits_are_readable_on_paper() -> None:
    luminance = {name: float(TO_XYZ[1] @ rgb) for name, rgb in theme().items()}
    for suit in "SHDC":
        contrast = (luminance["paper"] + 0.05) / (luminance[suit] + 0.05)
        assert contrast > 4.5, suit  # WCAG 2.1, level AA


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Run in an empty folder but for one good episode."""
    monkeypatch.chdir(tmp_path)
    save_episode("good.json", make_episode(CODE, [0, 0, 0], agent="me"))
    return tmp_path


def run_replay(*words: str) -> Result:
    return CliRunner().invoke(qv, ("replay", *words), prog_name="qv")


def test_the_command_writes_a_page(folder: Path) -> None:
    result = run_replay("good.json", "--out", "page.html")
    assert result.exit_code == 0, result.output
    assert re.fullmatch(
        rf"page\.html: me on {CODE}, 3 plies, score 0, unfinished, \d+ kB\n", result.stdout
    )
    assert PageParser(Path("page.html").read_text(encoding="utf-8")).data["deal"] == CODE
    assert {path.name for path in folder.iterdir()} == {"good.json", "page.html"}


GOOD = json.loads(episode_text(make_episode(CODE, [0, 0, 0])))


@pytest.mark.parametrize(
    ("text", "exit_code", "why"),
    [
        (json.dumps(GOOD)[:200], 2, "the file may be cut off"),
        (json.dumps(GOOD | {"version": 2}), 2, "version 2 of the episode format"),
        (json.dumps(GOOD | {"deal": "AS" * 105}), 2, "105"),
        (json.dumps(GOOD | {"actions": [0, 1, 0]}), 1, "ply 2, t1>t2: A column is built in one"),
        (json.dumps(GOOD | {"scores": [0, 5, 0]}), 1, "the score is 0 here, the file says 5"),
        ("{}", 2, "no episode"),
        ("\x00", 2, "not whole JSON"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_bad_file_gets_one_line(text: str, exit_code: int, why: str) -> None:
    Path("bad.json").write_text(text, encoding="utf-8")
    complain("bad.json", "--out", "page.html", why=why, exit_code=exit_code)
    assert not Path("page.html").exists()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("none.json", "--out", "page.html"), "none.json: No such file"),
        (("good.json", "--out", "page.gif"), "the name must end in .html or .htm"),
        (("good.json", "--out", "none/page.html"), "there is no folder none"),
        (("good.json",), "Missing option '--out'"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_wrong_use_gets_one_line(words: tuple[str, ...], why: str) -> None:
    complain(*words, why=why, exit_code=2)


def complain(*words: str, why: str, exit_code: int) -> None:
    result = run_replay(*words)
    assert result.exit_code == exit_code, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert why in result.stderr
