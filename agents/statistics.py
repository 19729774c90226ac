"""Estimates with intervals: win rates, means, and paired differences."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 9_999

# The bootstrap draws the same resamples every time, so that the same results give the same table.
_BOOTSTRAP_SEED: Final = 20_240_229
_RESAMPLED_VALUES_AT_ONCE: Final = 4_000_000


class Estimate(NamedTuple):
    """A value with the ends of its 95 % interval; both are None where the data give none.

    Attributes:
        value: The point estimate.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    value: float
    low: float | None
    high: float | None


def wilson(successes: int, trials: int) -> Estimate:
    """Return a rate, in [0, 1], with its Wilson score interval without continuity correction.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).

    >>> rate = wilson(8, 10)
    >>> rate.value, round(rate.low, 4), round(rate.high, 4)
    (0.8, 0.4902, 0.9433)

    Raises:
        ValueError: There are no trials, or the successes do not lie in [0, trials].
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"cannot estimate a rate from {successes} successes in {trials} trials")
    interval = stats.binomtest(successes, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high))


def bootstrap_mean(values: NDArray[Any]) -> Estimate:
    """Return the mean of a sample, shape ``(n,)``, with its percentile bootstrap interval.

    A single value has no interval. Equal input gives equal output: the resamples are fixed.

    Raises:
        ValueError: The sample is empty.
    """
    sample = np.asarray(values, np.float64)
    if sample.size == 0:
        raise ValueError("cannot estimate a mean from an empty sample")
    mean = float(sample.mean())
    if sample.size == 1:
        return Estimate(mean, None, None)
    if np.all(sample == sample[0]):
        return Estimate(mean, mean, mean)
    interval = stats.bootstrap(
        (sample,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, _RESAMPLED_VALUES_AT_ONCE // sample.size),
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(_BOOTSTRAP_SEED),
    ).confidence_interval
    return Estimate(mean, float(interval.low), float(interval.high))


def paired_difference(values: NDArray[Any], baseline: NDArray[Any]) -> Estimate:
    """Return the mean of ``values - baseline`` with its bootstrap interval.

    Args:
        values: One number a deal, shape ``(n,)``.
        baseline: The numbers of the same deals in the same order, shape ``(n,)``.

    Raises:
        ValueError: The samples differ in length or are empty.
    """
    ours, theirs = np.asarray(values, np.float64), np.asarray(baseline, np.float64)
    if ours.shape != theirs.shape:
        raise ValueError(
            f"paired samples must be of equal length, got {ours.size} and {theirs.size} values"
        )
    return bootstrap_mean(ours - theirs)


def mcnemar(only_ours: int, only_theirs: int) -> float:
    """Return the two-sided p-value of McNemar's exact test, from the deals that one agent won.

    Deals that both won, or neither, say nothing of which is better; of the others, each is won by
    either with equal probability if the two are equally strong.
    Source: Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions or percentages", Psychometrika 12 (1947).

    >>> round(mcnemar(9, 1), 4), mcnemar(0, 0)
    (0.0215, 1.0)

    Raises:
        ValueError: A count is negative.
    """
    if only_ours < 0 or only_theirs < 0:
        raise ValueError(f"counts of deals cannot be negative, got {only_ours} and {only_theirs}")
    decided = only_ours + only_theirs
    return float(stats.binomtest(only_ours, decided).pvalue) if decided else 1.0
