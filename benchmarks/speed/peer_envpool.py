"""EnvPool's 2048, Blackjack and CartPole, on one thread."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import envpool
import numpy as np
from answering import PeerRow, answer

# EnvPool has 2048 twice, after Jumanji and after pgx; both give a mask.
GAMES = {
    "envpool_2048": "Game2048-v1",
    "envpool_2048_pgx": "Play2048-v1",
    "envpool_blackjack": "Blackjack-v1",
    "envpool_cartpole": "CartPole-v1",
}
SIZES = (1024, 4096)


def stepper(name: str, games: int) -> Callable[[], float]:
    """Return a function that makes a random action in every game."""
    envs = envpool.make(name, env_type="gymnasium", num_envs=games, num_threads=1)
    rng = np.random.default_rng(0)
    observations, infos = envs.reset()

    def step() -> float:
        nonlocal observations, infos
        actions = choose(observations, infos, envs.action_space.n, games, rng)
        begin = time.perf_counter()
        observations, *_, infos = envs.step(actions)
        return time.perf_counter() - begin

    return step


def choose(
    observations: object, infos: dict[str, object], count: int, games: int, rng: np.random.Generator
) -> np.ndarray:
    """Return random actions, legal ones where the environment shows a mask."""
    mask = infos.get("legal_action_mask")
    if mask is None and isinstance(observations, dict):
        mask = observations["action_mask"]
    chances = rng.random((games, count))
    allowed = chances if mask is None else chances * np.asarray(mask)
    actions: np.ndarray = allowed.argmax(axis=1).astype(np.int32)
    return actions


if __name__ == "__main__":
    answer(
        [
            PeerRow(
                f"{key}_{games}", f"EnvPool {name}", games, "1",
                functools.partial(stepper, name, games),
            )
            for key, name in GAMES.items()
            for games in SIZES
        ],
        ["envpool", "gymnasium", "numpy"],
    )  # fmt: skip
