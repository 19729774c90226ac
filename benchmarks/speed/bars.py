"""The bars: ratios of rows that we hold ourselves to, each taken within the rounds of one run."""

from __future__ import annotations

import dataclasses
import operator
import statistics
from collections.abc import Mapping
from typing import Any, Final

from speed.rows import Result, ratios

AT_LEAST, AT_MOST = "at least", "at most"


@dataclasses.dataclass(frozen=True, kw_only=True)
class RatioBar:
    """A bar on how long a step of one row takes against one of another.

    Attributes:
        name: What is compared, for people.
        sense: `AT_LEAST` or `AT_MOST`.
        limit: The ratio to reach.
        over: Key of the row in the numerator.
        under: Key of the row in the denominator.
    """

    name: str
    sense: str
    limit: float
    over: str
    under: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class FigureBar:
    """A bar on a figure that stands for itself; fields as in `RatioBar`, ``key`` its name."""

    name: str
    sense: str
    limit: float
    key: str
    unit: str


RATIO_BARS: Final = (
    RatioBar(name="vector env, N = 1024, against OpenSpiel solitaire, tensor and mask",
             sense=AT_LEAST, limit=300, over="open_spiel", under="vector_cards_1024_1"),
    RatioBar(name="vector env against pgx 2048, N = 4096",
             sense=AT_LEAST, limit=12, over="pgx_4096", under="vector_cards_4096_1"),
    RatioBar(name="vector env against EnvPool's Game2048-v1, N = 1024",
             sense=AT_LEAST, limit=150, over="envpool_2048_1024", under="vector_cards_1024_1"),
    RatioBar(name="vector env against EnvPool's Game2048-v1, N = 4096",
             sense=AT_LEAST, limit=150, over="envpool_2048_4096", under="vector_cards_4096_1"),
    RatioBar(name="vector env against Gymnasium's CartPole vector env, N = 1024",
             sense=AT_LEAST, limit=1.5, over="gymnasium_cartpole_1024",
             under="vector_cards_1024_1"),
    RatioBar(name="vector env against the copy floor, N = 1024",
             sense=AT_MOST, limit=8, over="vector_cards_1024_1", under="floor_1024"),
    RatioBar(name="vector env against the copy floor, N = 4096",
             sense=AT_MOST, limit=8, over="vector_cards_4096_1", under="floor_4096"),
    *(RatioBar(name=f"two threads against one, N = {games}", sense=AT_LEAST, limit=1.7,
               over=f"vector_cards_{games}_1", under=f"vector_cards_{games}_2")
      for games in (1024, 4096, 16384)),
    RatioBar(name="single env against OpenSpiel solitaire, tensor and mask",
             sense=AT_LEAST, limit=5, over="open_spiel", under="single"),
    RatioBar(name="single env against Gymnasium's Blackjack",
             sense=AT_LEAST, limit=1, over="gymnasium_blackjack", under="single"),
    RatioBar(name="SB3 adapter against the vector env, N = 256",
             sense=AT_MOST, limit=1.5, over="sb3", under="vector_cards_256_1"),
    *(RatioBar(name=f"`features` against `cards`, N = {games}", sense=AT_MOST, limit=2,
               over=f"vector_features_{games}_1", under=f"vector_cards_{games}_1")
      for games in (1, 256, 1024, 4096)),
)  # fmt: skip

FIGURE_BARS: Final = (
    FigureBar(name="RGB frames a second", sense=AT_LEAST, limit=500, key="frames_a_second",
              unit=""),
    FigureBar(name="import and first step, kernels in the cache", sense=AT_MOST, limit=1.5,
              key="warm_start_seconds", unit=" s"),
    FigureBar(name="import and first step, nothing compiled yet", sense=AT_MOST, limit=30,
              key="cold_start_seconds", unit=" s"),
    *(FigureBar(name=f"memory a game beyond the arrays handed out, `{kind}`", sense=AT_MOST,
                limit=1024, key=f"memory_{kind}_bytes_a_game", unit=" B")
      for kind in ("cards", "features")),
    FigureBar(name="growth over 10,000,000 steps", sense=AT_MOST, limit=1, key="memory_growth_mib",
              unit=" MiB"),
)  # fmt: skip

_TESTS: Final = {AT_LEAST: operator.ge, AT_MOST: operator.le}


def judge(results: Mapping[str, Result], figures: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return every bar with what was measured; ``measured`` is None where a row is missing."""
    judged = []
    for bar in RATIO_BARS:
        rounds: list[float] = []
        if bar.over in results and bar.under in results:
            rounds = ratios(results[bar.over], results[bar.under])
        judged.append(_judgement(bar, rounds, " x"))
    for figure in FIGURE_BARS:
        values = [figures[figure.key]] if figure.key in figures else []
        judged.append(_judgement(figure, values, figure.unit))
    return judged


def _judgement(bar: RatioBar | FigureBar, values: list[float], unit: str) -> dict[str, Any]:
    median = statistics.median(values) if values else None
    return {
        "name": bar.name,
        "sense": bar.sense,
        "limit": bar.limit,
        "unit": unit,
        "measured": median,
        "lowest": min(values, default=None),
        "highest": max(values, default=None),
        "met": None if median is None else bool(_TESTS[bar.sense](median, bar.limit)),
    }
