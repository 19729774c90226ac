"""Intervals against published values, against scipy, and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from agents.statistics import Estimate, bootstrap_mean, paired_difference, wilson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Table I of R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
        # Statistics in Medicine 17 (1998), method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_the_literature(
    successes: int, trials: int, low: float, high: float
) -> None:
    rate = wilson(successes, trials)
    assert rate.value == successes / trials
    assert rate.low == pytest.approx(low, abs=5e-5)
    assert rate.high == pytest.approx(high, abs=5e-5)


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (7, 200), (200, 200)])
def test_wilson_follows_its_formula(successes: int, trials: int) -> None:
    z = float(stats.norm.ppf(0.975))
    share = successes / trials
    middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    spread = share * (1 - share) / trials + z**2 / (4 * trials**2)
    half = z / (1 + z**2 / trials) * spread**0.5
    rate = wilson(successes, trials)
    assert rate.low == pytest.approx(max(0.0, middle - half), abs=1e-9)
    assert rate.high == pytest.approx(min(1.0, middle + half), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_rate(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"{successes} successes in {trials} trials"):
        wilson(successes, trials)


def test_the_mean_is_the_samples_and_the_interval_is_near_students() -> None:
    sample = np.random.default_rng(1).normal(50, 10, 400)
    mean = bootstrap_mean(sample)
    half = stats.t.ppf(0.975, 399) * sample.std(ddof=1) / 20
    assert mean.value == pytest.approx(sample.mean())
    assert mean.low == pytest.approx(sample.mean() - half, abs=0.1)
    assert mean.high == pytest.approx(sample.mean() + half, abs=0.1)


def test_the_same_sample_gives_the_same_interval() -> None:
    sample = np.random.default_rng(2).exponential(size=100)
    np.random.default_rng(3).random(5)
    assert bootstrap_mean(sample) == bootstrap_mean(sample.copy())


def test_the_interval_does_not_depend_on_how_many_resamples_are_drawn_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample = np.random.default_rng(4).exponential(size=50)
    whole = bootstrap_mean(sample)
    monkeypatch.setattr("agents.statistics._RESAMPLED_VALUES_AT_ONCE", 50 * 7)
    assert bootstrap_mean(sample) == whole


@pytest.mark.slow
def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        mean = bootstrap_mean(rng.exponential(size=100))
        assert mean.low is not None
        assert mean.high is not None
        covered += mean.low <= 1 <= mean.high
    assert 0.90 <= covered / 300 <= 0.98


def test_equal_values_have_an_interval_of_length_zero() -> None:
    assert bootstrap_mean(np.full(9, 3.0)) == Estimate(3.0, 3.0, 3.0)


def test_one_value_has_no_interval() -> None:
    assert bootstrap_mean(np.array([4.0])) == Estimate(4.0, None, None)


def test_no_value_has_no_mean() -> None:
    with pytest.raises(ValueError, match="empty sample"):
        bootstrap_mean(np.array([]))


def test_pairing_takes_the_deals_out_of_the_difference() -> None:
    rng = np.random.default_rng(6)
    hardness = rng.normal(0, 100, 200)
    ours, theirs = hardness + rng.normal(3, 5, 200), hardness + rng.normal(0, 5, 200)
    paired = paired_difference(ours, theirs)
    assert paired.value == pytest.approx(ours.mean() - theirs.mean())
    assert paired.low is not None
    assert paired.low > 0
    unpaired = bootstrap_mean(ours)
    assert unpaired.low is not None
    assert unpaired.low < theirs.mean()


def test_the_difference_changes_its_sign_with_the_order() -> None:
    ours, theirs = np.array([1.0, 5.0, 2.0, 8.0]), np.array([0.0, 3.0, 4.0, 4.0])
    forth, back = paired_difference(ours, theirs), paired_difference(theirs, ours)
    assert forth.value == -back.value == 1.25


def test_pairs_need_equal_lengths() -> None:
    with pytest.raises(ValueError, match="equal length, got 2 and 3"):
        paired_difference(np.zeros(2), np.zeros(3))
