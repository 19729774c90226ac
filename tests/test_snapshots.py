"""Saving, restoring, copying, pickling, and copies that know no more than the agent does."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from qv_env import QuaranteVoleursEnv, QuaranteVoleursVectorEnv

MAKERS = [
    lambda **keywords: QuaranteVoleursEnv(max_episode_steps=90, **keywords),
    lambda **keywords: QuaranteVoleursVectorEnv(3, max_episode_steps=90, **keywords),
]


def games(env: Any) -> Any:
    return env.states if isinstance(env, QuaranteVoleursVectorEnv) else env.state


def trace(env: Any, seed: int, plies: int = 200) -> list[Any]:
    """Play random legal moves, over the ends of episodes, and return all that came back."""
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(plies):
        masks = np.atleast_2d(env.action_masks())
        choices = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        single = isinstance(env, QuaranteVoleursEnv)
        observation, reward, terminated, truncated, info = env.step(
            int(choices[0]) if single else choices
        )
        seen.append((observation.tobytes(), np.sum(reward), np.any(terminated), str(info["deal"])))
        if single and (terminated or truncated):
            env.reset()
    return seen


def started(make: Any, **keywords: Any) -> Any:
    env = make(**keywords)
    env.reset(seed=8)
    trace(env, seed=1, plies=50)
    return env


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    "duplicate",
    [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.clone()],
)
def test_a_copy_continues_identically(make: Any, duplicate: Any) -> None:
    env = started(make)
    twin = duplicate(env)
    expected = trace(env, seed=2)
    assert trace(twin, seed=2) == expected
    assert trace(started(make), seed=2) == expected


@pytest.mark.parametrize("make", MAKERS)
def test_a_state_can_be_set_again_and_elsewhere(make: Any) -> None:
    env = started(make)
    state = env.get_state()
    expected = trace(env, seed=2)
    env.set_state(state)
    assert trace(env, seed=2) == expected
    other = make()
    other.reset(seed=99)
    other.set_state(pickle.loads(pickle.dumps(state)))
    assert trace(other, seed=2) == expected
    env.set_state(state)
    assert trace(env, seed=2) == expected


def test_a_state_of_another_size_is_an_error() -> None:
    env = started(MAKERS[1])
    with pytest.raises(ValueError, match="holds 3 games, the environment 1"):
        QuaranteVoleursEnv(max_episode_steps=90).set_state(env.get_state())


@pytest.mark.parametrize("make", MAKERS)
def test_a_resampled_copy_keeps_what_is_visible(make: Any) -> None:
    env = started(make)
    before = games(env).tobytes()
    generator = copy.deepcopy(env.np_random.bit_generator.state)
    twins = [env.clone(hidden="resample", seed=seed) for seed in range(30)]
    assert games(env).tobytes() == before
    assert env.np_random.bit_generator.state == generator
    for twin in twins:
        assert np.array_equal(env.action_masks(), twin.action_masks())
        for name in games(env).dtype.names:
            same = np.array_equal(games(env)[name], games(twin)[name])
            assert same or name == "stock"
    stocks = {games(twin)["stock"].tobytes() for twin in twins}
    assert len(stocks) == 30
    assert games(env)["stock"].tobytes() not in stocks
    again = env.clone(hidden="resample", seed=4)
    assert games(again)["stock"].tobytes() == games(twins[4])["stock"].tobytes()


@pytest.mark.parametrize("stock", ["hidden", "open"])
def test_a_resampled_copy_tells_nothing_of_the_real_deal(stock: str) -> None:
    env = QuaranteVoleursEnv(stock=stock)
    env.reset(seed=21)
    twin = env.clone(hidden="resample", seed=0)
    assert twin.deal == "unknown"
    assert twin.np_random_seed == -1
    assert twin.step(0)[4]["deal"] == "unknown"
    state = twin.get_state()
    task = state["batch"]["tasks"][0]
    assert 21 not in (task["seed"], task["deal_number"])
    assert env.reset()[1]["deal"] != twin.reset()[1]["deal"]
    expected = env.reset(seed=21)[0]
    shown = twin.reset(seed=21)[0]
    assert np.array_equal(expected, shown)  # a new seed starts afresh


def test_a_resampled_observation_shows_the_resampled_stock() -> None:
    env = QuaranteVoleursVectorEnv(2, stock="open")
    env.reset(seed=21)
    twin = env.clone(hidden="resample", seed=0)
    observations, *_ = twin.step(np.zeros(2, np.int64))
    for row in range(2):
        assert observations[row, 248:].tolist() == twin.states["stock"][row].tolist()


def test_an_unknown_way_to_clone_is_an_error() -> None:
    with pytest.raises(ValueError, match="hidden must be one of 'keep', 'resample'"):
        QuaranteVoleursEnv().clone(hidden="reveal")
