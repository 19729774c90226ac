"""The figures of some games: what is reported of each agent, and of two agents side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.evaluate import Game
from agents.statistics import Estimate, bootstrap_mean, mcnemar, paired_difference, wilson
from qv_env.engine import TO_FOUNDATION_SCORE, WASTE_TO_COLUMN_SCORE
from qv_env.sizes import FULL

FOUNDATION_MILESTONES: Final = (1, 2, 4, 8)
CARD_MILESTONES: Final = (26, 52, 78, 104)


def score_share(game: Game) -> float:
    """Return a game's score as a share, in [0, 1], of what winning it would have been worth.

    A win without take-backs is worth 10 for each of 104 cards and 5 for each card that went from
    the waste to a column; there is no bonus. The share takes the waste plays that the game had,
    so that it is 1 for every win without take-backs. It is never more: a take-back costs 15 and
    its repair brings 10, and where the floor at 0 spares a part of the cost the score is 0.
    """
    worth = FULL.deck * TO_FOUNDATION_SCORE + game.waste_plays * WASTE_TO_COLUMN_SCORE
    return game.score / worth


_VALUES: Final[dict[str, Callable[[Game], float]]] = {
    "win_rate": lambda game: game.won,
    "truncated": lambda game: game.truncated,
    "score": lambda game: game.score,
    "score_share": score_share,
    "foundation_cards": lambda game: game.foundation_cards,
    "plies": lambda game: game.plies,
    "seconds": lambda game: game.seconds,
    "cpu_seconds": lambda game: game.cpu_seconds,
}
RATES: Final = ("win_rate", "truncated")
"""Figures that are rates; all others are means a game."""

PAIRED: Final = ("win_rate", "score", "score_share", "foundation_cards", "plies")
"""Figures whose differences are given."""


def values(games: Sequence[Game], figure: str) -> NDArray[np.float64]:
    """Return what a figure is made of, one number a game."""
    return np.array([_VALUES[figure](game) for game in games], np.float64)


def figures(games: Sequence[Game]) -> dict[str, Estimate]:
    """Return rates, in [0, 1], with Wilson intervals, and means with bootstrap intervals."""
    return {
        name: _rate(values(games, name)) if name in RATES else bootstrap_mean(values(games, name))
        for name in _VALUES
    }


def milestones(games: Sequence[Game]) -> dict[str, dict[str, Estimate]]:
    """Return the rates of games that end with at least so many foundations complete, and cards.

    Returns:
        ``foundations`` and ``foundation_cards``, each with one rate a milestone.
    """
    foundations = np.array([game.foundations for game in games])
    cards = np.array([game.foundation_cards for game in games])
    return {
        "foundations": {str(n): _rate(foundations >= n) for n in FOUNDATION_MILESTONES},
        "foundation_cards": {str(n): _rate(cards >= n) for n in CARD_MILESTONES},
    }


class Pairing(NamedTuple):
    """Two agents on the same deals.

    Attributes:
        deals: How many deals both have played.
        differences: The mean difference of each figure asked for, ours less theirs.
        only_ours: Deals that only our agent won.
        only_theirs: Deals that only the other one won.
        p_value: Of McNemar's exact test that either is as likely to be the only winner.
    """

    deals: int
    differences: dict[str, Estimate]
    only_ours: int
    only_theirs: int
    p_value: float


def pair(ours: Sequence[Game], theirs: Sequence[Game], names: Sequence[str] = PAIRED) -> Pairing:
    """Compare two agents deal by deal, on the deals that both have played.

    Args:
        ours: The games of one agent.
        theirs: The games of the other.
        names: The figures whose differences are wanted.

    Raises:
        ValueError: There is no such deal.
    """
    others = {game.deal: game for game in theirs}
    pairs = [(game, others[game.deal]) for game in ours if game.deal in others]
    if not pairs:
        raise ValueError("the two have no deal in common")
    left, right = [game for game, _ in pairs], [other for _, other in pairs]
    only_ours = sum(game.won and not other.won for game, other in pairs)
    only_theirs = sum(other.won and not game.won for game, other in pairs)
    return Pairing(
        deals=len(pairs),
        differences={
            name: paired_difference(values(left, name), values(right, name)) for name in names
        },
        only_ours=only_ours,
        only_theirs=only_theirs,
        p_value=mcnemar(only_ours, only_theirs),
    )


def _rate(hits: NDArray[Any]) -> Estimate:
    return wilson(int(np.count_nonzero(hits)), len(hits))
