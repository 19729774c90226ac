"""Episode files: written, read, verified; and one clear line for whatever is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.episode import play_episode
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from qv_env import __version__
from qv_env.actions import parse_action
from qv_env.deals import Deal
from qv_env.episodes import (
    Episode,
    EpisodeError,
    EpisodeSettings,
    Policy,
    make_episode,
    read_episode,
    save_episode,
    schema,
    verify,
)
from qv_env.episodes.episode import json_schema
from qv_env.episodes.files import episode_text, parse_episode
from qv_env.history import UNDO
from qv_env.replay import ReplayError
from tests.golden import TRANSCRIPTS, read_transcript

CODE = "FT1-N-AAAAAAV"
UNDOING = EpisodeSettings(undo=True)
UNLIMITED = EpisodeSettings(max_episode_steps=None)


@pytest.fixture(scope="module")
def episode() -> Episode:
    return play_episode(GreedyAgent(), Deal.from_code(CODE), seed=3)


def test_a_file_comes_back_as_it_was(tmp_path: Path, episode: Episode) -> None:
    path = save_episode(tmp_path / "game.json", episode)
    assert read_episode(path) == episode
    assert [file.name for file in tmp_path.iterdir()] == ["game.json"]
    assert (episode.agent, episode.seed, episode.deal) == ("greedy", 3, CODE)
    assert episode.library_version == __version__
    assert episode.settings == EpisodeSettings(mask="canonical", takebacks=False)


def test_a_file_is_plain_json_with_a_key_a_line(episode: Episode) -> None:
    text = episode_text(episode)
    assert text.count("\n") == len(json.loads(text)) + 2
    assert '"format": "qv-env episode",\n  "version": 1,\n' in text


@pytest.mark.parametrize("name", [path.stem for path in TRANSCRIPTS])
def test_games_of_the_oracle_verify(name: str) -> None:
    game = read_transcript(name)
    episode = make_episode(game.deal, game.actions, settings=UNLIMITED)
    assert list(episode.scores) == game.scores
    assert episode.ending == game.ending
    assert verify(episode).actions == tuple(game.actions)


def test_rewards_of_wins(episode: Episode) -> None:
    assert sum(episode.rewards) == episode.score > 0
    game = read_transcript("won_by_greed")
    won = make_episode(game.deal, game.actions, settings=EpisodeSettings(reward="win"))
    assert won.won
    assert (sum(won.rewards), won.rewards[-1]) == (1, 1)


def test_policies_are_kept(tmp_path: Path) -> None:
    policy = Policy(measure="probability", favoured=(((0, 0.75), (5, 0.25)), ()))
    episode = make_episode(CODE, [0, 0], policy=policy)
    assert read_episode(save_episode(tmp_path / "game.json", episode)).policy == policy


def test_undone_plies_are_part_of_an_episode() -> None:
    episode = make_episode(CODE, [0, UNDO, 0, 0, UNDO, UNDO], settings=UNDOING)
    states = verify(episode).states
    assert states["stock_count"].tolist() == [64, 63, 64, 63, 62, 63, 64]
    assert states["moves"].tolist() == [0, 1, 1, 2, 3, 3, 3]


def test_endings() -> None:
    limit = EpisodeSettings(max_episode_steps=2)
    assert make_episode(CODE, [0], settings=limit).ending == "unfinished"
    assert make_episode(CODE, [0, 0], settings=limit).ending == "truncated"
    assert make_episode(CODE, []).ending == "unfinished"
    random = play_episode(RandomAgent(), Deal.from_number(0))
    assert random.ending == "truncated"


@pytest.mark.parametrize(
    ("actions", "settings", "message"),
    [
        ([0, "t1>f1"], {}, "ply 2, t1>f1: A foundation takes only cards of its own suit."),
        ([0] * 65, {}, "ply 65, draw: The stock is empty, and it is never turned over again."),
        ([0, UNDO], {}, "ply 2, undo: Undoing is switched off (undo=False)."),
        ([UNDO], {"undo": True}, "ply 1, undo: There is nothing to undo."),
        ([0, 0, 0], {"max_episode_steps": 2}, "ply 3, draw: The episode is limited to 2 plies"),
        (["f1>t1"], {"takebacks": False}, "ply 1, f1>t1: There is no card to move there."),
        (["t1>f1", "f1>t1"], {"takebacks": False}, "ply 1, t1>f1: A foundation takes only"),
    ],
)
def test_wrong_actions_are_refused(actions: list[Any], settings: Any, message: str) -> None:
    numbers = [parse_action(a) if isinstance(a, str) else a for a in actions]
    with pytest.raises(ReplayError) as caught:
        make_episode(CODE, numbers, settings=EpisodeSettings(**settings))
    assert str(caught.value).startswith(message)
    assert message.startswith(f"ply {caught.value.ply}, ")


def test_a_take_back_where_they_are_off() -> None:
    deal, actions, *_ = read_transcript("take_backs")
    first = next(k for k, action in enumerate(actions) if action >= parse_action("f1>t1"))
    off = EpisodeSettings(takebacks=False)
    with pytest.raises(ReplayError, match=rf"^ply {first + 1}, f\d>t\d+: Taking cards back from"):
        make_episode(deal, actions, settings=off)


def test_only_an_undo_follows_a_win() -> None:
    deal, actions, *_ = read_transcript("won_by_greed")
    after = [*actions, UNDO, actions[-1]]
    assert make_episode(deal, after, settings=UNDOING).won
    with pytest.raises(ReplayError, match=f"^ply {len(actions) + 1}, f1>t1: The game is won"):
        make_episode(deal, [*actions, parse_action("f1>t1")])


def test_no_more_than_a_hundred_plies_are_undone() -> None:
    deal, actions, *_ = read_transcript("first_dev_thrifty")
    made = actions[:105]
    episode = make_episode(deal, made + [UNDO] * 100, settings=UNDOING)
    states = verify(episode).states
    assert states[205]["columns"].tobytes() == states[5]["columns"].tobytes()
    assert episode.score == episode.scores[4]
    with pytest.raises(ReplayError, match=r"^ply 206, undo: There is nothing to undo\.$"):
        make_episode(deal, made + [UNDO] * 101, settings=UNDOING)


Change = Callable[[dict[str, Any]], None]


def set_to(key: str, value: Any) -> Change:
    return lambda document: document.__setitem__(key, value)


def set_entry(key: str, ply: int, value: Any) -> Change:
    return lambda document: document[key].__setitem__(ply - 1, value)


def drop(key: str) -> Change:
    return lambda document: document.pop(key)


LONG_DEAL = Deal.from_code(CODE).text.replace(" ", "").replace("\n", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_to("format", "chess"), 'no episode: expected a JSON object with "format": "qv-env'),
        (set_to("version", 2), "version 2 of the episode format; this version of qv-env reads"),
        (set_to("version", "1"), 'version "1" of the episode format'),
        (set_to("version", value=True), "version true of the episode format"),
        (drop("version"), "version null of the episode format"),
        (set_to("deal", LONG_DEAL + "AS"), "deal: a deal has 104 cards, got 105"),
        (set_to("deal", "AS" * 104), "deal: each card exists 2 times; got AS 104 times"),
        (set_to("deal", "FT1-N-AAAAAA1"), "deal: wrong letter '1'"),
        (set_to("deal", 21), "deal: Input should be a valid string, got 21"),
        (set_entry("actions", 2, 270), "actions.1: Input should be less than or equal to 269"),
        (set_entry("actions", 2, -1), "actions.1: Input should be greater than or equal to 0"),
        (set_entry("actions", 2, "draw"), "actions.1: Input should be a valid integer"),
        (set_entry("actions", 2, 0.0), "actions.1: Input should be a valid integer"),
        (set_entry("scores", 2, 7), "scores.1: Input should be a multiple of 5, got 7"),
        (set_entry("rewards", 2, float("nan")), "rewards.1: Input should be a finite number"),
        (set_entry("rewards", 2, "5"), 'rewards.1: Input should be a valid number, got "5"'),
        (set_entry("rewards", 2, value=True), "rewards.1: Input should be a valid number, got tr"),
        (set_to("scores", [0]), "scores has 1 entries for "),
        (set_to("ending", "lost"), "ending: Input should be 'won', 'stuck', 'truncated' or"),
        (set_to("seed", -1), "seed: Input should be greater than or equal to 0, got -1"),
        (set_to("seed", "1"), 'seed: Input should be a valid integer, got "1"'),
        (set_to("settings", {"undo": "no"}), "settings.undo: Input should be a valid boolean"),
        (set_to("settings", {"takebacks": 1}), "settings.takebacks: Input should be a valid bool"),
        (set_to("settings", {"max_episode_steps": "9"}), "settings.max_episode_steps: Input sho"),
        (set_to("agent", "a\nb"), "agent: String should match pattern"),
        (set_to("colour", 1), "colour: Extra inputs are not permitted, got 1"),
        (set_to("settings", {"stock": "seen"}), "settings.stock: Input should be 'hidden' or"),
        (drop("actions"), "actions: Field required"),
        (
            set_to("policy", {"measure": "value", "favoured": [[[0, 1.5]]]}),
            "policy.favoured has 1 entries for ",
        ),
        (
            set_to("policy", {"measure": "probability", "favoured": [[[0, 1.5]]]}),
            "policy: ply 1: the probability of action 0 must lie in [0, 1], got 1.5",
        ),
    ],
)
def test_files_with_something_wrong_in_them(
    tmp_path: Path, episode: Episode, change: Change, message: str
) -> None:
    document = json.loads(episode_text(episode))
    change(document)
    path = tmp_path / "game.json"
    path.write_text(json.dumps(document))
    with pytest.raises(EpisodeError) as caught:
        read_episode(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not whole JSON (line 1, column 1: Expecting value); the file may be cut off"),
        (b'{"format": "qv-env epi', "not whole JSON (line 1, column 12"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"[1, 2]", "no episode: expected a JSON object"),
        (b"[" * 100_000, "JSON nested too deeply"),
        (b"1" * 5_000, "Exceeds the limit (4300 digits) for integer string conversion"),
        (b'{"format": "qv-env episode", "format": 1}', 'the key "format" stands there twice'),
        (b'{"actions": [{"a\\n": 1, "a\\n": 2}]}', 'the key "a\\n" stands there twice'),
    ],
)
def test_files_that_are_no_episodes(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(content)
    with pytest.raises(EpisodeError) as caught:
        read_episode(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)
    assert "set_int_max_str_digits" not in str(caught.value)


def test_a_byte_order_mark_means_nothing(tmp_path: Path, episode: Episode) -> None:
    path = tmp_path / "game.json"
    path.write_text(episode_text(episode), encoding="utf-8-sig")
    assert read_episode(path) == episode


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_entry("actions", 3, parse_action("f8>t10")), "ply 3, f8>t10: There is no card to"),
        (set_entry("scores", 3, 500), r"ply 3, \S+: the score is \d+ here, the file says 500"),
        (set_entry("rewards", 3, 500), r"ply 3, \S+: the reward is \d+ here, the file says 500"),
        (set_to("ending", "won"), r"after ply \d+ the game is truncated, the file says won"),
    ],
)
def test_verification_says_where_an_episode_breaks(
    episode: Episode, change: Change, message: str
) -> None:
    document = json.loads(episode_text(episode))
    change(document)
    with pytest.raises(ValueError, match=f"^{message}"):
        verify(parse_episode(document))


def test_the_published_schema_is_that_of_the_model() -> None:
    assert schema() == json_schema(), "write it anew: python scripts/episode_schema.py"


def test_the_schema_describes_every_key(episode: Episode) -> None:
    published = schema()
    assert set(published["properties"]) == set(json.loads(episode_text(episode)))
    for definition in (published, *published["$defs"].values()):
        for name, field in definition["properties"].items():
            assert field.get("description"), name
