"""What is measured: rows that advance an environment for a while and say how long it took."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Sequence

# Runs for about so many seconds; returns steps made and seconds spent inside the step calls.
Measure = Callable[[float], tuple[int, float]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        key: Name in the JSON file and in bars; unique.
        group: ``ours``, ``peer`` or ``floor``.
        name: What is measured, for people.
        games: Games that one call advances.
        threads: What the row's threads are, for people.
        measure: Makes steps for about as many seconds as it is given.
    """

    key: str
    group: str
    name: str
    games: int
    threads: str
    measure: Measure


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """What the rounds of one row gave.

    Attributes:
        nanoseconds: Time a step of one game in each round, in the order of the rounds.
        compile_seconds: Time from the row's making to the end of its first call.
    """

    key: str
    group: str
    name: str
    games: int
    threads: str
    nanoseconds: Sequence[float]
    compile_seconds: float

    @property
    def median(self) -> float:
        """Median of the rounds, nanoseconds a step."""
        return statistics.median(self.nanoseconds)


def ratios(one: Result, other: Result) -> list[float]:
    """Return how many times as long a step of ``one`` took as one of ``other``, round by round.

    Both were measured right after one another in each round, so what slows the machine down for a
    while slows both.
    """
    return [a / b for a, b in zip(one.nanoseconds, other.nanoseconds, strict=True)]
