"""Learners over several training seeds: how far the results of a recipe depend on chance.

Runs of one recipe are called by its name and their seed, as in ``ppo-0``, ``ppo-1``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from agents.boards.collection import Entry, Ranking
from agents.figures import pair
from agents.statistics import CONFIDENCE, Estimate

BASELINE: Final = "greedy"
_RUN: Final = re.compile(r"(?:.*/)?(?P<recipe>[^/]+)-(?P<seed>\d+)")


class Recipe(NamedTuple):
    """Results of the runs of one recipe on one list of deals.

    Attributes:
        name: What the runs are called, but for the seed.
        seeds: Training seeds, in ascending order.
        entries: The result of each.
        win_rate: Mean over seeds, with an interval over seeds.
        score: The same.
        hours: Mean hours of training, or None.
        less_baseline: For each seed how much its scores exceed the greedy agent's, deal by deal,
            with an interval over deals; empty where that has no result on the list.
    """

    name: str
    seeds: Sequence[int]
    entries: Sequence[Entry]
    win_rate: Estimate
    score: Estimate
    hours: float | None
    less_baseline: Sequence[Estimate]


def run_name(text: str) -> tuple[str, int] | None:
    """Return the recipe and the seed in a run's name, or None where it has none.

    >>> run_name("runs/ppo-0"), run_name("greedy")
    (('ppo', 0), None)
    """
    match = _RUN.fullmatch(text)
    return None if match is None else (match["recipe"], int(match["seed"]))


def recipes(ranking: Ranking) -> list[Recipe]:
    """Return the recipes of a ranking that were trained with two seeds or more."""
    by_name: dict[str, dict[int, Entry]] = {}
    for entry in ranking.entries:
        name = run_name(entry.result.agent)
        if name is not None and entry.result.budget.training_steps is not None:
            by_name.setdefault(name[0], {})[name[1]] = entry
    return [
        _recipe(name, by_seed, ranking)
        for name, by_seed in sorted(by_name.items())
        if len(by_seed) > 1
    ]


def over_seeds(values: Sequence[float]) -> Estimate:
    """Return a mean with Student's t interval.

    Source: Student, "The probable error of a mean", 1908.

    >>> over_seeds([1.0, 2.0, 3.0]).value
    2.0
    """
    mean = float(np.mean(values))
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1)) * error
    return Estimate(mean, mean - reach, mean + reach)


def _recipe(name: str, by_seed: dict[int, Entry], ranking: Ranking) -> Recipe:
    seeds = sorted(by_seed)
    results = [by_seed[seed].result for seed in seeds]
    hours = [result.budget.training_hours for result in results]
    baseline = [e.result for e in ranking.entries if e.result.agent == BASELINE]
    return Recipe(
        name,
        seeds,
        [by_seed[seed] for seed in seeds],
        over_seeds([result.win_rate.value for result in results]),
        over_seeds([result.score.value for result in results]),
        float(np.mean([h for h in hours if h is not None])) if all(hours) else None,
        [
            pair(result.rows, baseline[0].rows, ("score",)).differences["score"]
            for result in results
            if baseline
        ],
    )
