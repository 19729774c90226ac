"""The cost of a step early and late in an episode."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Final

from qv_env.settings import LONGEST_EPISODE, Settings
from speed.answering import run_for
from speed.playing import playing
from speed.rows import Row

GAMES: Final = 256
# Plies made before; the last is near the longest episode there is.
PLIES: Final = (0, 100, 1_000, 10_000, 60_000)
_STEPS: Final = 50


def ply_rows() -> Iterator[Row]:
    """Yield a row for each length that an episode may have behind it."""
    for plies in PLIES:
        yield Row(key=f"plies_{plies}", group="plies", name=f"kernel after {plies:,} plies",
                  games=GAMES, threads="1", measure=_measure(plies))  # fmt: skip


def _measure(plies: int) -> Callable[[float], tuple[int, float]]:
    step = functools.cache(lambda: _stepper(plies))

    def measure(seconds: float) -> tuple[int, float]:
        calls, spent = run_for(step(), seconds)
        return calls * GAMES, spent

    return measure


def _stepper(plies: int) -> Callable[[], float]:
    """Return a function that steps games of about so many plies, again and again the same ones."""
    settings = Settings(max_episode_steps=LONGEST_EPISODE)
    batch, outputs, agent = playing(GAMES, settings, plies)
    start, masks = batch.snapshot(), outputs.masks.copy()
    made = 0

    def step() -> float:
        nonlocal made
        if made == _STEPS:
            batch.restore(start)
            outputs.masks[:] = masks
            made = 0
        made += 1
        actions = agent.act(outputs.observations, outputs.masks)
        begin = time.perf_counter()
        batch.step(actions, outputs)
        return time.perf_counter() - begin

    return step
