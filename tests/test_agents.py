"""Each agent alone: what it chooses, from what, and how it is found by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from agents.agent import Agent, check_env_kwargs
from agents.chance import game_seed, mix
from agents.evaluate import play_deals
from agents.greedy import GreedyAgent
from agents.loading import load_agent
from agents.random_agent import RandomAgent
from qv_env import CARDS_DTYPE, QuaranteVoleursVectorEnv, action_text, engine
from qv_env.cards import parse_cards
from qv_env.deals import Deal
from qv_env.mask import write_canonical_mask, write_mask

FOUNDATIONS = "SHDCSHDC"


def position(
    *columns: str, waste: str = "", foundations: dict[str, int] | None = None, stock: int = 1
) -> Any:
    """Return a state with these cards in view; the stock holds unknown cards."""
    state = engine.new_state()
    for c, text in enumerate(columns):
        codes = parse_cards(text)
        state["heights"][c] = len(codes)
        state["columns"][c, : len(codes)] = codes
    codes = parse_cards(waste)
    state["waste_count"] = len(codes)
    state["waste"][: len(codes)] = codes
    for name, height in (foundations or {}).items():
        state["foundations"][int(name[1:]) - 1] = height
    state["stock_count"] = stock
    engine.refresh_all(state)
    return state


def greedy_choice(state: Any, *, canonical: bool = True) -> str:
    """Return the text of the greedy agent's action in a state."""
    seen = np.zeros(1, CARDS_DTYPE)
    for name in set(CARDS_DTYPE.names or ()) - {"plies_left"}:
        seen[name][0] = state[name]
    mask = np.zeros((1, 269), np.int8)
    (write_canonical_mask if canonical else write_mask)(state, mask[0])
    agent = GreedyAgent()
    agent.reset(np.zeros(1, np.uint64))
    observation = seen.view(np.uint8).reshape(1, -1)
    return action_text(int(agent.act(observation, mask)[0]))


# Ten kings of mixed suits on which nothing here can be played.
BLOCKED = ["KS"] * 10


@pytest.mark.parametrize(
    ("columns", "rest", "choice"),
    [
        pytest.param({0: "9H AS", 1: "2S"}, {}, "t1>f1", id="foundation-before-lengthening"),
        pytest.param({}, {"waste": "AD", "stock": 3}, "w>f3", id="foundation-from-the-waste"),
        pytest.param({0: "9H 4C", 1: "5C"}, {"waste": "QS"}, "t1>t2", id="column-before-waste"),
        pytest.param({0: "4C", 1: "5C"}, {}, "t1>t2", id="a-lone-card-empties-its-column"),
        pytest.param({0: "8H 9H", 1: "9C TH 2S TH"}, {}, "t1>t2", id="onto-the-highest-column"),
        pytest.param({0: "AH 8S 9H", 1: "9H", 2: "TH"}, {}, "t1>t3", id="from-the-highest-column"),
        pytest.param({0: "AH 6C", 1: ""}, {}, "t1>t2", id="an-ace-is-worth-the-empty-column"),
        pytest.param({0: "6C", 1: ""}, {"waste": "9D"}, "w>t2", id="waste-to-the-empty-column"),
        pytest.param({}, {"waste": "QS"}, "w>t1", id="waste-on-a-card"),
        pytest.param({}, {"waste": "9D"}, "draw", id="draw-when-nothing-else-fits"),
        pytest.param({0: "5C 4C", 1: "3D 5C"}, {}, "draw", id="draw-rather-than-shuffle"),
        pytest.param(
            {0: "5C 4C", 1: "3D 5C"}, {"stock": 0}, "t1>t2", id="shuffle-when-nothing-is-left"
        ),
        pytest.param(
            {0: "6C 8D 5C 4C", 1: "5C", 2: "6C"}, {}, "t2>t3", id="lengthen-before-uncovering"
        ),
        pytest.param(
            {0: "8D 5C 4C", 1: "9H 5C", 2: "9S 6C"}, {}, "t2>t3", id="a-loose-card-goes-first"
        ),
        pytest.param(
            {0: "8D 4C 3C", 1: "KH 5C 4C", 2: "9S 5C"}, {"waste": "9S"}, "t1>t2", id="uncover"
        ),
    ],
)
def test_greedy_plays_by_its_rules(
    columns: dict[int, str], rest: dict[str, Any], choice: str
) -> None:
    table = [columns.get(c, card) for c, card in enumerate(BLOCKED)]
    assert greedy_choice(position(*table, **rest)) == choice


def test_greedy_never_takes_back_even_where_the_mask_allows_it() -> None:
    state = position("", *BLOCKED[1:], foundations={"f2": 5}, stock=0)
    assert greedy_choice(state, canonical=False) == "t2>t1"


def played_batch(agent: Agent, rows: int, plies: int) -> list[NDArray[np.int64]]:
    """Return the actions of an agent in games that go on from one to the next."""
    env = QuaranteVoleursVectorEnv(rows, autoreset_mode="SameStep", **agent.env_kwargs)
    observations, infos = env.reset(seed=5)
    agent.reset(np.arange(rows, dtype=np.uint64))
    made = []
    for _ in range(plies):
        actions = agent.act(observations, infos["action_mask"])
        assert infos["action_mask"][np.arange(rows), actions].all()
        observations, _, terminated, truncated, infos = env.step(actions)
        assert "refused" not in infos
        begun = np.flatnonzero(terminated | truncated)
        if len(begun):
            agent.reset(begun.astype(np.uint64), begun)
        made.append(actions)
    return made


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_agents_choose_what_the_mask_allows(name: str) -> None:
    played_batch(load_agent(name), rows=20, plies=500)


def test_random_is_uniform_over_the_mask() -> None:
    games = 20_000
    mask = np.zeros((games, 269), np.int8)
    allowed = [0, 3, 100, 187, 268]
    mask[:, allowed] = 1
    agent = RandomAgent()
    agent.reset(np.arange(games, dtype=np.uint64))
    for _ in range(2):
        actions = agent.act(np.zeros((games, 248), np.uint8), mask)
        numbers, counts = np.unique(actions, return_counts=True)
        assert numbers.tolist() == allowed
        assert stats.chisquare(counts).pvalue > 0.001


def test_the_random_agent_plays_by_either_mask() -> None:
    legal, canonical = load_agent("random"), load_agent("random:mask=canonical")
    assert dict(legal.env_kwargs) == {}
    assert dict(canonical.env_kwargs) == {"mask": "canonical"}
    deal = Deal.from_number(3)
    assert play_deals(legal, [deal])[0].actions != play_deals(canonical, [deal])[0].actions


def test_random_depends_on_seed_and_ply_alone() -> None:
    mask = np.ones((3, 269), np.int8)
    observations = np.zeros((3, 248), np.uint8)
    together, alone = RandomAgent(), RandomAgent()
    together.reset(np.array([7, 8, 9], np.uint64))
    alone.reset(np.array([9], np.uint64))
    for _ in range(10):
        assert together.act(observations, mask)[2] == alone.act(observations[:1], mask[:1])[0]
    together.reset(np.array([9], np.uint64), np.array([0]))
    alone.reset(np.array([9], np.uint64))
    assert together.act(observations, mask)[0] == alone.act(observations[:1], mask[:1])[0]


def test_the_stream_is_splitmix64() -> None:
    # First outputs for seed 1234567, from the reference implementation's published test vector.
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(mix(np.uint64(1234567), np.uint64(k))) for k in range(3)] == outputs


def test_game_seeds_differ_between_deals_and_between_runs() -> None:
    seeds = {int(game_seed(s, f"FT1-N-AAAAAA{c}")) for s in range(20) for c in "ABCDEFGH"}
    assert len(seeds) == 160


def test_only_what_an_agent_sees_and_chooses_from_is_its_own() -> None:
    class Cheat(RandomAgent):
        env_kwargs = {"max_episode_steps": 10**4}  # noqa: RUF012 - a user may well write so

    with pytest.raises(ValueError, match=r"'max_episode_steps', which is not an agent's to choose"):
        check_env_kwargs(Cheat())


@pytest.mark.parametrize("name", ["random", "greedy", " greedy "])
def test_built_in_agents_are_found_by_name(name: str) -> None:
    agent = load_agent(name)
    assert isinstance(agent, Agent)
    assert agent.name == name.strip()


MODULE = """
from agents.random_agent import RandomAgent
class Mine(RandomAgent):
    name = "mine"
class NeedsMore(RandomAgent):
    def __init__(self, size): ...
class NoAgent: ...
class Cheat(RandomAgent):
    env_kwargs = {"reward": "win"}
"""


@pytest.fixture
def agents_of_a_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "agents_of_a_user.py").write_text(MODULE)
    return "agents_of_a_user"


def test_a_users_class_is_found(agents_of_a_user: str) -> None:
    assert load_agent(f"{agents_of_a_user}:Mine").name == "mine"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("NeedsMore", "needs its option size: agents_of_a_user:NeedsMore:size=VALUE"),
        ("NoAgent", "is not an agent: it has no name, env_kwargs, reset, act"),
        ("Cheat", "'reward', which is not an agent's to choose"),
        ("Missing", "has no class 'Missing'"),
    ],
)
def test_a_users_class_is_checked(agents_of_a_user: str, name: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        load_agent(f"{agents_of_a_user}:{name}")


def test_unknown_agents_are_told_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"'gredy'; did you mean greedy\? Known agents: greedy, p"):
        load_agent("gredy")
    with pytest.raises(ValueError, match=r"unknown agent 'xyzzy'\. Known agents"):
        load_agent("xyzzy")


def test_runs_are_among_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "first").mkdir(parents=True)
    (tmp_path / "runs" / "first" / "model.zip").touch()
    with pytest.raises(ValueError, match=r"did you mean runs.first\?"):
        load_agent("runs/frist")
    with pytest.raises(ValueError, match="not a model file"):
        load_agent("runs/first")
    with pytest.raises(ValueError, match=r"holds no model\.zip"):
        load_agent("runs")
