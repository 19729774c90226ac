"""The moves that search considers, and the ones that it makes without considering.

A *search move* is a pair of piles. Its card goes from the source to the destination; where the
destination is a column whose top has the card's suit but lies more than one rank above, the cards
between are brought back from a foundation first. That is the only use of take-backs here.

After a search move all *safe* moves to a foundation are made at once. That they never spoil a won
game is argued in the docs and checked exhaustively on small decks; none of them looks at the
stock.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env import engine
from qv_env.cards import NO_CARD
from qv_env.jit import kernel, separate_kernel

# A search move brings back at most this many cards, and so needs as many actions and one more.
MOST_TAKE_BACKS: Final = 12
NO_PILE: Final = -1


@kernel
def foundation_for(state: Any, card: int) -> int:
    """Return the pile number of the first foundation that wants a card, or `NO_PILE`."""
    first = state["columns"].shape[0] + 1
    for pile in range(first, first + state["foundations"].shape[0]):
        if state["wants"][pile] == card:
            return pile
    return NO_PILE


@kernel
def is_safe(state: Any, pile: int) -> bool:
    """Return whether the top of a column or the waste may go to a foundation in any case.

    It may where nothing can ever want to lie on it again (both copies of the card one rank lower
    have gone up), where the move can be taken back at once (the card lies on the one it continues,
    or alone in its column), or where its twin lies deeper in the waste.
    """
    column_count, ranks = state["columns"].shape[0], state["unseen"].shape[1]
    card = state["tops"][pile]
    suit, rank = (card - 1) // ranks, (card - 1) % ranks
    suits = state["unseen"].shape[0]
    left, right = state["foundations"][suit], state["foundations"][suit + suits]
    if min(left, right) >= rank:
        return True
    if pile < column_count:
        height = state["heights"][pile]
        return height == 1 or (rank + 1 < ranks and state["columns"][pile, height - 2] == card + 1)
    deeper = False
    for k in range(int(state["waste_count"]) - 1):
        deeper |= state["waste"][k] == card
    return deeper


@kernel
def do(state: Any, source: int, destination: int, actions: Any, count: int) -> int:
    """Make one action, note it at ``actions[count]``, and return the new count."""
    actions[count] = engine.action_of(state, source, destination)
    engine.move(state, source, destination)
    return count + 1


@separate_kernel
def make_safe_moves(state: Any, actions: Any, count: int) -> int:
    """Make safe foundation moves until none is left.

    Args:
        state: Changed in place.
        actions: Where the actions are noted, from index ``count`` on; int16.
        count: Number of actions noted before.

    Returns:
        Number of actions noted after.
    """
    sources = state["columns"].shape[0] + 1
    wanted = _wanted(state)
    quiet = 0
    pile = 0
    while quiet < sources:
        card = state["tops"][pile]
        if card != NO_CARD and wanted & _bit(card) != 0 and is_safe(state, pile):
            count = do(state, pile, foundation_for(state, card), actions, count)
            wanted = _wanted(state)
            quiet = 0
        else:
            quiet += 1
            pile = (pile + 1) % sources
    return count


@separate_kernel
def make_search_move(state: Any, source: int, destination: int, actions: Any, count: int) -> int:
    """Make a search move and the safe moves after it; see `make_safe_moves`."""
    column_count = state["columns"].shape[0]
    card = state["tops"][source]
    top = state["tops"][destination]
    if destination < column_count and top != NO_CARD:
        for between in range(top - 1, card, -1):
            foundation = _foundation_under(state, between)
            count = do(state, foundation, destination, actions, count)
    count = do(state, source, destination, actions, count)
    return make_safe_moves(state, actions, count)


@kernel
def _foundation_under(state: Any, card: int) -> int:
    """Return the pile number of a foundation with this card on top, or `NO_PILE`."""
    first = state["columns"].shape[0] + 1
    for pile in range(first, first + state["foundations"].shape[0]):
        if state["tops"][pile] == card:
            return pile
    return NO_PILE


@separate_kernel
def list_search_moves(state: Any, moves: Any) -> int:
    """Write the search moves of a position that has no safe move left.

    Left out are moves that mirror another one or lead nowhere new: to a second empty column, to an
    equal twin foundation, and of a column's only card to an empty column.

    Args:
        state: The position.
        moves: Where they are written, uint8 of shape ``(m, 2)``, source and destination.

    Returns:
        How many there are.
    """
    column_count = state["columns"].shape[0]
    tops, heights = state["tops"], state["heights"]
    empty = NO_PILE
    column_tops = np.uint64(0)  # a bit for each code
    for c in range(column_count - 1, -1, -1):
        if heights[c] == 0:
            empty = c
        else:
            column_tops |= _bit(tops[c])
    wanted = _wanted(state)
    count = 0
    for source in range(column_count + 1):
        card = tops[source]
        if card == NO_CARD:
            continue
        if wanted & _bit(card) != 0:
            moves[count, 0], moves[count, 1] = source, foundation_for(state, card)
            count += 1
        # Most cards have no higher card of their suit on top of any column.
        if column_tops & _higher(state, card) != 0:
            for c in range(column_count):
                if c != source and heights[c] > 0 and _reaches(state, card, tops[c]):
                    moves[count, 0], moves[count, 1] = source, c
                    count += 1
        alone = source < column_count and heights[source] == 1
        if empty != NO_PILE and not alone:
            moves[count, 0], moves[count, 1] = source, empty
            count += 1
    return count


@kernel
def _wanted(state: Any) -> Any:
    """Return the bits of the cards that foundations want."""
    wanted = np.uint64(0)
    for pile in range(state["columns"].shape[0] + 1, state["wants"].shape[0]):
        wanted |= _bit(state["wants"][pile])
    return wanted


@kernel
def _bit(card: int) -> Any:
    # The marks of a pile that accepts nothing or anything become bits beyond those of all cards.
    return np.uint64(1) << (np.uint64(card) & np.uint64(63))


@kernel
def _higher(state: Any, card: int) -> Any:
    """Return the bits of the higher cards of a card's suit."""
    ranks = state["unseen"].shape[1]
    last = card + ranks - 1 - (card - 1) % ranks
    return (np.uint64(2) << np.uint64(last)) - (np.uint64(2) << np.uint64(card))


@kernel
def _reaches(state: Any, card: int, top: int) -> bool:
    """Return whether a card can come to lie on a top, with the help of take-backs if need be."""
    ranks = state["unseen"].shape[1]
    if top <= card or (top - 1) // ranks != (card - 1) // ranks:
        return False
    if top == card + 1:
        return True
    # The cards between come from one foundation, whose top must be the highest of them.
    return _foundation_under(state, top - 1) != NO_PILE


def new_move_list(columns: int) -> Any:
    """Return an array that holds the search moves of any position."""
    sources = columns + 1
    return np.zeros((sources * (columns + 1), 2), np.uint8)
