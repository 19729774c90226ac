"""Gymnasium's CartPole on NumPy arrays, and its single Blackjack and Taxi."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from answering import PeerRow, answer

SIZES = (1024, 4096)


def vector_stepper(name: str, games: int) -> Callable[[], float]:
    """Return a function that makes a random action in every game of a vector environment."""
    envs: Any = gymnasium.make_vec(name, games, vectorization_mode="vector_entry_point")
    envs.reset(seed=0)
    rng = np.random.default_rng(0)

    def step() -> float:
        actions = rng.integers(0, envs.single_action_space.n, games)
        begin = time.perf_counter()
        envs.step(actions)
        return time.perf_counter() - begin

    return step


def single_stepper(name: str) -> Callable[[], float]:
    """Return a function that makes a random action, a legal one where the game has a mask.

    Only ``step`` counts, which favours the peer: our own single environment's figure has its
    resets in it.
    """
    env: Any = gymnasium.make(name)
    _, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    every = np.ones(env.action_space.n, np.int8)

    def step() -> float:
        nonlocal info
        action = int(rng.choice(np.flatnonzero(info.get("action_mask", every))))
        begin = time.perf_counter()
        _, _, terminated, truncated, info = env.step(action)
        seconds = time.perf_counter() - begin
        if terminated or truncated:
            _, info = env.reset()
        return seconds

    return step


if __name__ == "__main__":
    cartpole = [
        PeerRow(
            f"gymnasium_cartpole_{games}", "Gymnasium CartPole-v1, vector env", games, "1",
            functools.partial(vector_stepper, "CartPole-v1", games),
        )
        for games in SIZES
    ]  # fmt: skip
    singles = [
        PeerRow(
            f"gymnasium_{key}", f"Gymnasium {name}, single env", 1, "1",
            functools.partial(single_stepper, name),
        )
        for key, name in (("blackjack", "Blackjack-v1"), ("taxi", "Taxi-v4"))
    ]  # fmt: skip
    answer([*cartpole, *singles], ["gymnasium", "numpy"])
