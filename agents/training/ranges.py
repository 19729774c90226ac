"""The ranges of algorithms' numeric arguments, by the names that stable-baselines3 gives them.

The algorithms themselves check few: with others out of range they never end, fail after hours, or
train to no purpose.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from agents.training.errors import ConfigError


class Range(NamedTuple):
    """Numbers between two bounds.

    Attributes:
        low: The lower bound.
        high: The upper bound, which belongs to the range where it is finite.
        with_low: Whether the lower bound belongs to the range.
    """

    low: float
    high: float = math.inf
    with_low: bool = True

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int | float) or not math.isfinite(number):
            return False
        return (number >= self.low if self.with_low else number > self.low) and number <= self.high

    def __str__(self) -> str:
        if self.high < math.inf:
            start = "from" if self.with_low else "above"
            return f"{start} {self.low:g} to {self.high:g}"
        return f"{'at least' if self.with_low else 'more than'} {self.low:g}"


_COUNT: Final = Range(1)
_FROM_ZERO: Final = Range(0)
_POSITIVE: Final = Range(0, with_low=False)
_SHARE: Final = Range(0, 1)

RANGES: Final[dict[str, Range]] = {
    "batch_size": _COUNT,
    "buffer_size": _COUNT,
    "clip_range": _POSITIVE,
    "clip_range_vf": _POSITIVE,
    "ent_coef": _FROM_ZERO,
    "exploration_final_eps": _SHARE,
    "exploration_fraction": _SHARE,
    "exploration_initial_eps": _SHARE,
    "gae_lambda": _SHARE,
    "gamma": _SHARE,
    "gradient_steps": Range(-1),  # -1 for as many as plies were played
    "learning_rate": _POSITIVE,
    "learning_starts": _FROM_ZERO,
    "max_grad_norm": _POSITIVE,
    "n_epochs": _COUNT,
    "n_steps": _COUNT,
    "rms_prop_eps": _POSITIVE,
    "stats_window_size": _COUNT,
    "target_kl": _POSITIVE,
    "target_update_interval": _COUNT,
    "tau": Range(0, 1, with_low=False),
    "train_freq": _COUNT,
    "vf_coef": _FROM_ZERO,
}


def check_range(key: str, value: object) -> None:
    """Check an argument of an algorithm, where it is a number with a known range.

    Args:
        key: The argument's name.
        value: Its value; of ``[4, "step"]`` the number is checked.

    Raises:
        ConfigError: It is out of range.
    """
    number = value[0] if isinstance(value, tuple | list) and value else value
    allowed = RANGES.get(key)
    if allowed is None or isinstance(number, bool) or not isinstance(number, int | float):
        return
    if number not in allowed:
        raise ConfigError(f"{key}: should be {allowed}, got {value!r}")
