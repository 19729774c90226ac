"""The floor: copying what a step must write from arrays of the same size."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from qv_env.actions import NUM_ACTIONS
from qv_env.task import CARDS_BYTES
from speed.answering import run_for
from speed.rows import Row

_ENDINGS: Final = 2  # terminated, truncated


def floor_rows(sizes: Sequence[int]) -> Iterator[Row]:
    """Yield a row for each number of games."""
    for games in sizes:
        yield Row(
            key=f"floor_{games}",
            group="floor",
            name="copy of observation, mask, reward, flags",
            games=games,
            threads="1",
            measure=functools.partial(_measure, games, _arrays(games), _arrays(games)),
        )


def _arrays(games: int) -> list[np.ndarray]:
    return [
        np.ones((games, CARDS_BYTES), np.uint8),
        np.ones((games, NUM_ACTIONS), np.int8),
        np.ones(games, np.float64),
        np.ones((_ENDINGS, games), np.bool_),
    ]


def _measure(
    games: int, sources: list[np.ndarray], targets: list[np.ndarray], seconds: float
) -> tuple[int, float]:
    pairs = list(zip(targets, sources, strict=True))

    def step() -> float:
        begin = time.perf_counter()
        for target, source in pairs:
            np.copyto(target, source)
        return time.perf_counter() - begin

    calls, spent = run_for(step, seconds)
    return calls * games, spent
