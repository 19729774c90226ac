"""Moves as a person gives them, and the view of all legal ones."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Final, SupportsIndex

import numpy as np

from qv_env.actions import ACTIONS, action_text, parse_action, parse_pile, pile_text
from qv_env.course import Course
from qv_env.engine import LEGAL, is_won
from qv_env.legal import can_move, legal_mask

Place = str | int
Move = str | SupportsIndex | tuple[Place, Place]
"""A text (``t3>f2``, ``draw``), an action number, or a pair of places (names or pile numbers)."""

_ACTION_OF_PAIR: Final = {(row.source, row.destination): row.number for row in ACTIONS}


class UnnumberedPairError(ValueError):
    """Two places exist, and no action leads from one to the other.

    Attributes:
        source: Name of the one.
        destination: Name of the other.
    """

    def __init__(self, source: str, destination: str) -> None:
        super().__init__(f"no action moves a card from {source} to {destination}")
        self.source = source
        self.destination = destination


def pile_of(place: Place) -> int:
    """Return the pile number of a place given as a name or as a pile number in [0, 19].

    >>> pile_of("t1"), pile_of("W"), pile_of(11), pile_of("stock")
    (0, 10, 11, 19)

    Raises:
        ValueError: There is no such place.
        TypeError: It is neither a text nor a whole number.
    """
    if isinstance(place, str):
        return parse_pile(place)
    pile = _whole_number(place)
    pile_text(pile)  # raises for numbers out of range
    return pile


def action_of(move: Move) -> int:
    """Return the action that a move means.

    >>> action_of("t1>t2"), action_of(("t1", "t2")), action_of((0, 1)), action_of(1)
    (1, 1, 1, 1)

    Raises:
        UnnumberedPairError: A pair, or a text with two places, between which no action leads.
        ValueError: It names no move; the message says why.
        TypeError: It is of another type.
    """
    if isinstance(move, tuple) and len(move) == len(("source", "destination")):
        return _pair_action(*move)
    if isinstance(move, str):
        places = move.split(">")
        if len(places) == len(("source", "destination")):
            return _text_action(move, *places)
        return parse_action(move)
    action = _whole_number(move)
    action_text(action)  # raises for numbers out of range
    return action


def _text_action(move: str, source: str, destination: str) -> int:
    try:
        pair = parse_pile(source), parse_pile(destination)
    except ValueError:
        return parse_action(move)  # whose message says more
    return _pair_action(*pair)


def _pair_action(source: Place, destination: Place) -> int:
    pair = pile_of(source), pile_of(destination)
    if pair not in _ACTION_OF_PAIR:
        raise UnnumberedPairError(*map(pile_text, pair))
    return _ACTION_OF_PAIR[pair]


def _whole_number(value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(
            "a move is a text such as t3>f2, an action number, or a pair of places; "
            f"got {type(value).__name__}"
        )
    return operator.index(value)


class LegalMoves:
    """The legal moves of a game as it stands at the time of asking, in order of their actions.

    It is true if there is one, can be counted and gone through, and says whether a move, in any
    form that `Move` has, is ``in`` it. In a won game it is empty.
    """

    def __init__(self, course: Course) -> None:
        """Look at a game in progress."""
        self._course = course

    @property
    def actions(self) -> list[int]:
        """The legal actions as numbers, in ascending order."""
        if is_won(self._course.state):
            return []
        return [int(action) for action in np.flatnonzero(legal_mask(self._course.state))]

    def __bool__(self) -> bool:
        return not is_won(self._course.state) and can_move(self._course.state)

    def __len__(self) -> int:
        return len(self.actions)

    def __iter__(self) -> Iterator[str]:
        return (action_text(action) for action in self.actions)

    def __contains__(self, move: object) -> bool:
        try:
            return self._course.refusal(action_of(move)) == LEGAL  # type: ignore[arg-type]  # any object may be asked for
        except (TypeError, ValueError):
            return False

    def __repr__(self) -> str:
        return f"<LegalMoves: {', '.join(self) or 'none'}>"
