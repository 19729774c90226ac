"""Steps a second of the environments, observation and action mask included.

Random legal actions are played; only the time inside ``step`` counts. Each figure is the best of
several rounds, which is what the code can do where nothing else runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from agents.random_agent import RandomAgent

ROUNDS = 5
SINGLE_STEPS = 20_000
VECTOR_STEPS = 300
SIZES = (1, 64, 1024, 4096)
OBSERVATIONS = ("cards", "features")

Step = Callable[[], float]


def single_step(observation: str) -> Step:
    """Return a function that steps one game and returns the seconds that ``step`` took."""
    env: Any = gymnasium.make("qv_env:QuaranteVoleurs-v0", observation=observation).unwrapped
    agent = RandomAgent()
    agent.reset(np.zeros(1, np.uint64))
    last = list(env.reset(seed=0))

    def step() -> float:
        observed, info = last
        action = int(agent.act(observed[None], info["action_mask"][None])[0])
        start = time.perf_counter()
        observed, _, terminated, truncated, info = env.step(action)
        seconds = time.perf_counter() - start
        last[:] = env.reset() if terminated or truncated else (observed, info)
        return seconds

    return step


def vector_step(observation: str, games: int) -> Step:
    """Return a function that steps many games and returns the seconds that ``step`` took."""
    envs: Any = gymnasium.make_vec(
        "qv_env:QuaranteVoleurs-v0", num_envs=games, observation=observation
    )
    agent = RandomAgent()
    agent.reset(np.arange(games, dtype=np.uint64))
    last = list(envs.reset(seed=0))

    def step() -> float:
        observed, infos = last
        actions = agent.act(observed, infos["action_mask"])
        start = time.perf_counter()
        observed, _, _, _, infos = envs.step(actions)
        seconds = time.perf_counter() - start
        last[:] = observed, infos
        return seconds

    return step


def best_rate(step: Step, steps: int, games: int) -> float:
    """Return the highest number of steps of single games a second over all rounds."""
    step()  # compiles
    return max(games * steps / sum(step() for _ in range(steps)) for _ in range(ROUNDS))


def main() -> None:
    """Measure and print all figures."""
    print(f"{'environment':24}{'observation':14}{'steps a second':>15}")
    for observation in OBSERVATIONS:
        rate = best_rate(single_step(observation), SINGLE_STEPS, games=1)
        print(f"{'single':24}{observation:14}{rate:15,.0f}", flush=True)
        for games in SIZES:
            rate = best_rate(vector_step(observation, games), VECTOR_STEPS, games)
            print(f"{f'vector, {games:,} games':24}{observation:14}{rate:15,.0f}", flush=True)


if __name__ == "__main__":
    main()
