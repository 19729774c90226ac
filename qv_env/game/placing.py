"""Where a card goes by itself: the app's orders of preference for tap and double click.

Ties are broken from left to right everywhere.

- *Tap*: the leftmost foundation that accepts the card; for the waste's card, failing that, the
  leftmost column that accepts it, be it empty or not.
- *Double click*, and a drop with automatic placement: the leftmost foundation that accepts the
  card; failing that, the longest column that accepts it and holds cards, the leftmost of equally
  long ones; failing that, the leftmost empty column.

A card on a foundation is taken back by dragging only: taps and double clicks on foundations are
refused. Both turn a card over when they hit the stock.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from qv_env import engine
from qv_env.actions import ACTIONS
from qv_env.cards import NO_CARD
from qv_env.refusals import FOUNDATION_TAPPED, GAME_WON, NO_PLACE
from qv_env.sizes import FULL

NOWHERE: Final = -1
Gesture = Literal["tap", "double tap", "drop"]

_DESTINATIONS: Final = {
    pile: tuple(row.destination for row in ACTIONS if row.source == pile)
    for pile in range(FULL.stock_pile + 1)
}


def accepting(state: Any, source: int) -> list[int]:
    """Return the piles that accept the top card of a pile: columns, then foundations.

    Args:
        state: A state record.
        source: A pile number; of the stock's, the waste accepts a card while there is one.
    """
    places = _DESTINATIONS[source]
    return [p for p in places if engine.is_legal(state, engine.action_of(state, source, p))]


def tap_target(state: Any, source: int) -> int:
    """Return the pile that a tapped card goes to, or `NOWHERE`; see the module."""
    if source > FULL.waste_pile:
        return _draw_target(state, source)
    foundations, columns = _split(accepting(state, source))
    return next(iter(foundations + (columns if source == FULL.waste_pile else [])), NOWHERE)


def best_target(state: Any, source: int) -> int:
    """Return the pile that a card goes to by automatic placement, or `NOWHERE`; see the module.

    For the top card of a foundation this is a column.
    """
    foundations, columns = _split(accepting(state, source))
    heights = state["heights"]
    if foundations:
        return foundations[0]
    # `max` keeps the first of equals, and an empty column is shorter than any other.
    return max(columns, key=lambda column: int(heights[column]), default=NOWHERE)


def double_tap_target(state: Any, source: int) -> int:
    """Return the pile that a double-clicked card goes to, or `NOWHERE`; see the module."""
    if source > FULL.waste_pile:
        return _draw_target(state, source)
    return best_target(state, source)


def why_nowhere(state: Any, source: int, gesture: Gesture) -> int:
    """Return the code (see `qv_env.refusals`) of why a gesture sends a pile's card nowhere.

    Args:
        state: A state record in which the gesture has no target, or which is won.
        source: The pile number.
        gesture: What was done.
    """
    if engine.is_won(state):
        return GAME_WON
    if source == FULL.stock_pile:
        return engine.STOCK_EMPTY
    if state["tops"][source] == NO_CARD:
        return engine.SOURCE_EMPTY
    if gesture != "drop" and source > FULL.waste_pile:
        return FOUNDATION_TAPPED
    # A tap tries a column's card on the foundations of its suit alone.
    to_foundations_only = gesture == "tap" and source < FULL.waste_pile
    return engine.FOUNDATION_OTHER_RANK if to_foundations_only else NO_PLACE


def _draw_target(state: Any, source: int) -> int:
    drawn = source == FULL.stock_pile and state["stock_count"] > 0
    return FULL.waste_pile if drawn else NOWHERE


def _split(piles: list[int]) -> tuple[list[int], list[int]]:
    """Return the foundations and the columns among some piles."""
    return (
        [pile for pile in piles if pile > FULL.waste_pile],
        [pile for pile in piles if pile < FULL.columns],
    )
