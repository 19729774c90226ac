"""Which beams the solver runs, one after another.

A beam that is twice as wide wins somewhat more, and takes twice the time; so widths double, and
easy deals are quick. Of two beams of a width, the first draws only from the best position behind
each exit, which narrow beams need, and the second from any, which wide ones need. What a beam loses
at one draw it never finds again, and positions close to each other are lost together. So every beam
has weights of its own, the learned ones times random factors for each table of marks; the factors
come from the number of the beam and are the same for every deal.

Where no wider beam fits into memory, the widest go on with new factors. Deals that come so far in a
short time have few positions at each draw, fewer than such a beam holds: what it still leaves out
is what it does not follow, so ever more positions are followed from each.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.foresight import TABLES
from agents.search.stage import FROM_ALL, FROM_BEST

FIRST_WIDTH: Final = 20
GROWTH: Final = 2  # of the width, from one pair of beams to the next
NODES: Final = 20  # positions looked at between two draws, for each position of a beam
FOLLOWED: Final = 200  # positions followed between two draws from any one of them, at most
FOLLOWED_GROWTH: Final = 4  # from one pair of beams to the next, once they are as wide as can be
MOST_FOLLOWED: Final = 1_000_000
SPREAD: Final = 0.4  # of the logarithms of the random factors
_SEED: Final = 5

_TABLE_OF_MARK: Final = np.repeat(
    np.arange(len(TABLES)), [rows * columns for rows, columns in TABLES.values()]
)


class Plan(NamedTuple):
    """One beam of the portfolio.

    Attributes:
        weights: float32 of shape ``(knots, MARKS)``.
        width: Positions kept at each draw.
        followed: Most positions followed between two draws from any one of them.
        drawing: `stage.FROM_BEST` or `stage.FROM_ALL`: which positions may be drawn from.
    """

    weights: NDArray[np.float32]
    width: int
    followed: int
    drawing: int


def plan(number: int, learned: Any, widest: int = 2**30) -> Plan:
    """Return a beam of the portfolio.

    Args:
        number: Which one, from 0 on.
        learned: The learned sets of weights, shape ``(sets, knots, MARKS)``. The first
            beams take them as they are.
        widest: Most positions that a beam may keep; at least `FIRST_WIDTH`.
    """
    sets, knots, _ = learned.shape
    weights = learned[number % sets]
    if number >= sets:
        rng = np.random.default_rng((_SEED, number))
        weights = weights * random_factors(rng, knots)
    pair, place = divmod(number, 2)
    doublings = int(math.log2(widest / FIRST_WIDTH))
    width = FIRST_WIDTH * GROWTH ** min(pair, doublings)
    followed = min(FOLLOWED * FOLLOWED_GROWTH ** max(pair - doublings, 0), MOST_FOLLOWED)
    drawing = (FROM_BEST, FROM_ALL)[place]
    return Plan(np.ascontiguousarray(weights, np.float32), width, followed, drawing)


def random_factors(rng: np.random.Generator, knots: int) -> NDArray[np.float64]:
    """Return random factors for weights, shape ``(knots, MARKS)``, one for each table and knot."""
    factors = np.exp(SPREAD * rng.standard_normal((knots, len(TABLES))))
    return factors[:, _TABLE_OF_MARK]
