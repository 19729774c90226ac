"""Wrong arguments of methods: told by type and value, and nothing has changed."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from qv_env import Deal, QuaranteVoleursEnv, QuaranteVoleursVectorEnv, rebuild_state
from qv_env.cards import parse_card
from qv_env.deals import deal_number, parse_deal


class Move(enum.IntEnum):
    """An enumeration of actions, as somebody may keep one."""

    DRAW = 0


def started(**keywords: Any) -> QuaranteVoleursEnv:
    env = QuaranteVoleursEnv(**keywords)
    env.reset(seed=21)
    return env


@pytest.mark.parametrize("action", ["0", 0.0, 1.5, True, np.True_, None, [0], np.zeros(1, int)])
def test_what_is_no_whole_number_is_no_action(action: Any) -> None:
    env = started()
    with pytest.raises(TypeError, match="an action must be a whole number, got "):
        env.step(action)
    assert env.state["moves"] == 0


@pytest.mark.parametrize("action", [0, np.int64(0), np.uint8(0), np.array(0), Move.DRAW])
def test_whole_numbers_of_any_kind_are_actions(action: Any) -> None:
    assert started().step(action)[4]["moves"] == 1


@pytest.mark.parametrize("action", [10**20, -(10**20), np.uint64(2**63)])
def test_numbers_beyond_all_actions_are_refused(action: Any) -> None:
    assert started().step(action)[4]["refused"].startswith("There is no such action")
    with pytest.raises(ValueError, match="There is no such action"):
        started(illegal="raise").step(action)


def test_a_closed_environment_has_to_be_reset() -> None:
    single, vector = started(), QuaranteVoleursVectorEnv(2)
    vector.reset(seed=21)
    single.close()
    vector.close()
    with pytest.raises(ResetNeeded):
        single.step(0)
    with pytest.raises(ResetNeeded):
        vector.step(np.zeros(2, np.int64))
    assert single.reset(seed=21)[1]["deal"] == "FT1-N-AAAAAAV"


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_there_is_nothing_to_render_before_a_reset(mode: str) -> None:
    for env in (
        QuaranteVoleursEnv(render_mode=mode),
        QuaranteVoleursVectorEnv(2, render_mode=mode),
    ):
        with pytest.raises(ResetNeeded):
            env.render()


@pytest.mark.parametrize("make", [QuaranteVoleursEnv, lambda: QuaranteVoleursVectorEnv(2)])
@pytest.mark.parametrize("options", [3, [], "deal"])
def test_options_are_a_dict(make: Any, options: Any) -> None:
    with pytest.raises(TypeError, match="options must be a dict"):
        make().reset(options=options)


def test_cards_as_an_array_are_no_deal() -> None:
    with pytest.raises(TypeError, match="104 cards as text, or a Deal; got ndarray"):
        QuaranteVoleursEnv().reset(options={"deal": Deal.from_number(21).cards})


def test_a_deal_number_may_be_given_in_digits() -> None:
    assert QuaranteVoleursEnv().reset(options={"deal": "21"})[1]["deal"] == "FT1-N-AAAAAAV"
    vector = QuaranteVoleursVectorEnv(2)
    assert vector.reset(options={"deal": ["21", " 0 "]})[1]["deal"].tolist() == [
        "FT1-N-AAAAAAV",
        "FT1-N-AAAAAAA",
    ]
    for digits in ("8031810176", "9" * 5000):
        with pytest.raises(ValueError, match=r"must lie in \[0, 8031810175\]"):
            parse_deal(digits)


def test_deal_codes_are_texts_of_plain_letters() -> None:
    code: Any = 3
    with pytest.raises(TypeError, match="a deal code is a text such as FT1-N-AAAAAAV, got 3"):
        deal_number(code)
    with pytest.raises(ValueError, match="wrong letter '\u017f'"):  # its capital is an S
        deal_number("FT1-N-\u017fAAAAAA")
    with pytest.raises(ValueError, match="not a card"):
        parse_card("A\u017f")


def test_numpys_truth_values_are_taken_for_pythons() -> None:
    env = QuaranteVoleursEnv(takebacks=np.False_, undo=np.True_)  # type: ignore[arg-type]
    assert env.settings.takebacks is False
    assert env.settings.action_count == 270
    assert QuaranteVoleursVectorEnv(1, copy=np.False_).copy is False  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "why"),
    [({}, "without 'settings'"), (None, "got None"), ({"settings": 1, "batch": 2}, "'outputs'")],
)
def test_what_is_no_state_is_not_set(state: Any, why: str) -> None:
    with pytest.raises(ValueError, match=rf"expected a state from get_state\(\), .*{why}"):
        started().set_state(state)


@pytest.mark.parametrize(
    ("keywords", "why"),
    [
        ({"split": "dev"}, "split='dev'; this one has split='train'"),
        ({"observation": "features"}, "observation='features'"),
        ({"takebacks": False, "mask": "canonical"}, "mask='canonical', takebacks=False; this"),
        ({"max_episode_steps": 7}, "max_episode_steps=7; this one has max_episode_steps=1000"),
    ],
)
def test_a_state_is_set_where_it_was_made_alike_alone(keywords: dict[str, Any], why: str) -> None:
    state = started(**keywords).get_state()
    env = started()
    before = env.state.tobytes()
    with pytest.raises(ValueError, match=f"this state is of an environment with {why}"):
        env.set_state(state)
    assert env.state.tobytes() == before
    QuaranteVoleursEnv(**keywords).set_state(state)


@pytest.mark.parametrize("env", [QuaranteVoleursEnv(), QuaranteVoleursVectorEnv(2)])
def test_seeds_of_copies_are_checked(env: Any) -> None:
    env.reset(seed=21)
    with pytest.raises(ValueError, match="a seed must be 0 or more, got -1"):
        env.clone(hidden="resample", seed=-1)
    with pytest.raises(TypeError, match="a seed must be a whole number"):
        env.clone(hidden="resample", seed=1.5)


def test_states_are_rebuilt_from_positions_alone() -> None:
    observation, _ = QuaranteVoleursEnv().reset(seed=21)
    rng = np.random.default_rng(0)
    with pytest.raises(TypeError, match="rng must be a NumPy Generator"):
        rebuild_state(observation, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="104 cards are not seen, and the stock has 0"):
        rebuild_state(np.zeros(248, np.uint8), rng)
    with pytest.raises(ValueError, match=r"expected one game, got an array of shape \(2,\)"):
        rebuild_state(np.stack([observation, observation]), rng)
    for byte, value in ((24, 53), (6, 3), (16, 14)):  # a card, a height, a foundation
        wrong = observation.copy()
        wrong[byte] = value
        with pytest.raises(ValueError, match="this shows no position of the game"):
            rebuild_state(wrong, rng)
