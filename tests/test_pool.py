"""Arrays are used again when nobody holds them, and never before."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from qv_env import QuaranteVoleursVectorEnv
from qv_env.pool import ArrayPool

GAMES = 5


def fresh() -> tuple[np.ndarray, ...]:
    return np.zeros(3), np.zeros((2, 3))


def test_what_nobody_holds_is_used_again() -> None:
    pool = ArrayPool(fresh)
    first = id(pool.take()[0])
    assert id(pool.take()[0]) == first


@pytest.mark.parametrize("hold", [lambda a: a[0], lambda a: a[1][0], lambda a: memoryview(a[1])])
def test_what_somebody_holds_is_not(hold: Any) -> None:
    pool = ArrayPool(fresh)
    held = hold(pool.take())
    before = bytes(held)
    for _ in range(5):
        for array in pool.take():
            np.add(array, 1, out=array)
    assert bytes(held) == before
    del held


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda pool: pickle.loads(pickle.dumps(pool))])
def test_copies_share_no_arrays(twin: Any) -> None:
    pool = ArrayPool(fresh)
    arrays = {id(pool.take()[0])}
    assert id(twin(pool).take()[0]) not in arrays


def parts(stepped: tuple[Any, ...]) -> list[np.ndarray]:
    *arrays, infos = stepped
    return [*arrays, *infos.values()]


def test_what_an_environment_hands_out_stays_as_long_as_any_of_it_is_held() -> None:
    env = QuaranteVoleursVectorEnv(GAMES, max_episode_steps=40)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    held: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(120):
        every = parts(env.step(rng.integers(0, 269, GAMES)))
        chosen = every[rng.integers(len(every))]
        chosen = chosen[1:] if rng.random() < 0.5 else chosen
        held = [*held[-6:], (chosen, chosen.copy())]
        del every, chosen
        assert all(np.array_equal(array, as_it_was) for array, as_it_was in held)


def test_whoever_keeps_the_outputs_of_games_keeps_their_arrays() -> None:
    env = QuaranteVoleursVectorEnv(GAMES)
    env.reset(seed=1)
    outputs, _ = env.step_games(np.zeros(GAMES, np.int64))
    before = outputs.observations.tobytes()
    for _ in range(5):
        env.step(np.zeros(GAMES, np.int64))
    assert outputs.observations.tobytes() == before
