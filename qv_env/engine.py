"""What happens: the state of a game, and the kernels that deal, judge, apply and undo.

The rules exist here and nowhere else. A *state* is one record of `state_dtype`; every kernel takes
a record (or an element of a record array), works in place, allocates nothing and trusts its
arguments. Sizes come from the record's own type, so the same kernels, compiled once more, play
shrunken games.

Fields of a state, in the order in which they lie in memory. Those of the first group are public
knowledge; those of the second are not, or follow from the first.

============== ========= ====== ==========================================================
field          shape     type   meaning
============== ========= ====== ==========================================================
score          ()        uint16 points so far, a multiple of 5, never below 0
stock_count    ()        uint8  cards left in the stock
waste_count    ()        uint8  cards in the waste
heights        (10,)     uint8  cards in each column
foundations    (8,)      uint8  cards on each foundation, 0 to 13
columns        (10, 16)  uint8  card codes from the bottom up, then zeros
waste          (64,)     uint8  card codes from the bottom up, then zeros
-------------- --------- ------ ----------------------------------------------------------
stock          (64,)     uint8  card codes in the order of drawing; zero once drawn
unseen         (4, 13)   uint8  copies of each card that still lie in the stock
tops           (19,)     uint8  top card of each pile that a move can leave, 0 for none
wants          (19,)     uint8  the card each pile accepts, or `ANYTHING`, or `NOTHING`
moves          ()        uint16 moves and draws made
============== ========= ====== ==========================================================

A move is legal exactly where ``tops[source]`` is a card and ``wants[destination]`` is that card or
`ANYTHING`. The pile numbers are those of `qv_env.actions`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from qv_env.cards import NO_CARD
from qv_env.jit import kernel
from qv_env.sizes import FULL, Sizes

# As single bytes, so that kernels compare piles many at a time.
NOTHING: Final = np.uint8(255)  # no card has this code
ANYTHING: Final = np.uint8(254)

TO_FOUNDATION_SCORE: Final = 10
WASTE_TO_COLUMN_SCORE: Final = 5
TAKE_BACK_COST: Final = 15

# What `refusal` answers, in the order of the sentences in `qv_env.refusals`.
LEGAL: Final = 0
STOCK_EMPTY: Final = 1
SOURCE_EMPTY: Final = 2
COLUMN_ON_ACE: Final = 3
COLUMN_OTHER_SUIT: Final = 4
COLUMN_OTHER_RANK: Final = 5
FOUNDATION_OTHER_SUIT: Final = 6
FOUNDATION_OTHER_RANK: Final = 7


@lru_cache
def state_dtype(sizes: Sizes = FULL) -> np.dtype[np.void]:
    """Return the record type of a state for a game of these sizes."""
    piles = sizes.stock_pile
    return np.dtype(
        [
            ("score", np.uint16),
            ("stock_count", np.uint8),
            ("waste_count", np.uint8),
            ("heights", np.uint8, (sizes.columns,)),
            ("foundations", np.uint8, (sizes.foundations,)),
            ("columns", np.uint8, (sizes.columns, sizes.column_limit)),
            ("waste", np.uint8, (sizes.stock,)),
            ("stock", np.uint8, (sizes.stock,)),
            ("unseen", np.uint8, (sizes.suits, sizes.ranks)),
            ("tops", np.uint8, (piles,)),
            ("wants", np.uint8, (piles,)),
            ("moves", np.uint16),
        ]
    )


STATE: Final = state_dtype()
PUBLIC_BYTES: Final = int(STATE.fields["stock"][1])  # type: ignore[index]
OPEN_BYTES: Final = int(STATE.fields["unseen"][1])  # type: ignore[index]


def new_state(sizes: Sizes = FULL) -> Any:
    """Return a blank state record (shape ``()``); `deal` makes a game of it."""
    return np.zeros(1, state_dtype(sizes))[0]


@kernel
def deal(state: Any, cards: Any) -> None:
    """Lay out a fresh game: the columns one after another, bottom card first, then the stock.

    Args:
        state: The record to overwrite.
        cards: Card codes, shape ``(104,)``; the first 40 go to the columns, four to each from
            left to right, and the others to the stock in the order of drawing.
    """
    columns, waste, stock, unseen = (
        state["columns"],
        state["waste"],
        state["stock"],
        state["unseen"],
    )
    heights, foundations = state["heights"], state["foundations"]
    column_count, ranks, stock_size = columns.shape[0], unseen.shape[1], stock.shape[0]
    column_cards = columns.shape[1] + 1 - ranks
    state["score"] = 0
    state["moves"] = 0
    state["stock_count"] = stock_size
    state["waste_count"] = 0
    for suit in range(unseen.shape[0]):
        for rank in range(ranks):
            unseen[suit, rank] = 0
    for c in range(column_count):
        heights[c] = column_cards
        for level in range(columns.shape[1]):
            dealt = level < column_cards
            columns[c, level] = cards[c * column_cards + level] if dealt else NO_CARD
    for k in range(stock_size):
        card = cards[column_count * column_cards + k]
        stock[k] = card
        waste[k] = NO_CARD
        unseen[(card - 1) // ranks, (card - 1) % ranks] += 1
    for f in range(foundations.shape[0]):
        foundations[f] = 0
    refresh_all(state)


@kernel
def refresh_all(state: Any) -> None:
    """Work out ``tops`` and ``wants`` of every pile from the cards."""
    for pile in range(state["tops"].shape[0]):
        refresh_pile(state, pile)


@kernel
def refresh_pile(state: Any, pile: int) -> None:
    """Work out ``tops`` and ``wants`` of one pile from its cards."""
    tops, wants, columns = state["tops"], state["wants"], state["columns"]
    column_count, ranks = columns.shape[0], state["unseen"].shape[1]
    if pile < column_count:
        height = state["heights"][pile]
        if height == 0:
            tops[pile] = NO_CARD
            wants[pile] = ANYTHING
        else:
            card = columns[pile, height - 1]
            tops[pile] = card
            wants[pile] = NOTHING if (card - 1) % ranks == 0 else card - 1
    elif pile == column_count:
        count = state["waste_count"]
        tops[pile] = NO_CARD if count == 0 else state["waste"][count - 1]
        wants[pile] = NOTHING
    else:
        f = pile - column_count - 1
        below = ranks * (f % state["unseen"].shape[0])
        height = state["foundations"][f]
        tops[pile] = NO_CARD if height == 0 else below + height
        wants[pile] = NOTHING if height == ranks else below + height + 1


@kernel
def source_of(state: Any, action: int) -> int:
    """Return the pile number that an action takes its card from."""
    column_count = state["columns"].shape[0]
    piles = state["tops"].shape[0]
    if action == 0:
        return piles
    per_column = column_count - 1 + state["foundations"].shape[0]
    k = action - 1
    if k < column_count * per_column:
        return k // per_column
    k -= column_count * per_column
    if k < piles - 1:
        return column_count
    return column_count + 1 + (k - (piles - 1)) // column_count


@kernel
def destination_of(state: Any, action: int) -> int:
    """Return the pile number that an action puts its card on."""
    column_count = state["columns"].shape[0]
    piles = state["tops"].shape[0]
    if action == 0:
        return column_count
    per_column = column_count - 1 + state["foundations"].shape[0]
    k = action - 1
    if k < column_count * per_column:
        source = k // per_column
        place = k % per_column
        # The column itself is no destination, and neither is the waste.
        if place < column_count - 1:
            return place + (place >= source)
        return place + 2
    k -= column_count * per_column
    if k < piles - 1:
        return k + (k >= column_count)
    return (k - (piles - 1)) % column_count


@kernel
def action_of(state: Any, source: int, destination: int) -> int:
    """Return the action that moves a card between two piles; the pair must be in the table."""
    column_count = state["columns"].shape[0]
    piles = state["tops"].shape[0]
    if source == piles:
        return 0
    per_column = column_count - 1 + state["foundations"].shape[0]
    if source < column_count:
        place = destination - (destination > source) - (destination > column_count)
        return 1 + per_column * source + place
    first = 1 + column_count * per_column
    if source == column_count:
        return first + destination - (destination > column_count)
    return first + piles - 1 + column_count * (source - column_count - 1) + destination


@kernel
def is_legal(state: Any, action: int) -> bool:
    """Return whether the rules allow an action of the table in this state."""
    return fits(state, source_of(state, action), destination_of(state, action))


@kernel
def fits(state: Any, source: int, destination: int) -> bool:
    """Return whether the rules allow a move between two piles, or a draw."""
    if source == state["tops"].shape[0]:
        return state["stock_count"] > 0
    card, want = state["tops"][source], state["wants"][destination]
    # No pile wants "no card", so equality alone would do for an empty source too.
    return card != NO_CARD if want == ANYTHING else card == want


@kernel
def refusal(state: Any, action: int) -> int:
    """Return which rule forbids an action, or `LEGAL`."""
    if is_legal(state, action):
        return LEGAL
    if action == 0:
        return STOCK_EMPTY
    column_count, ranks = state["columns"].shape[0], state["unseen"].shape[1]
    card = state["tops"][source_of(state, action)]
    destination = destination_of(state, action)
    if card == NO_CARD:
        return SOURCE_EMPTY
    suit = (card - 1) // ranks
    if destination > column_count:
        same = (destination - column_count - 1) % state["unseen"].shape[0] == suit
        return FOUNDATION_OTHER_RANK if same else FOUNDATION_OTHER_SUIT
    top = state["tops"][destination]
    if (top - 1) % ranks == 0:
        return COLUMN_ON_ACE
    return COLUMN_OTHER_RANK if (top - 1) // ranks == suit else COLUMN_OTHER_SUIT


@kernel
def apply(state: Any, action: int) -> int:
    """Make a legal move in place.

    Returns:
        The score's change, which `undo` needs to take the move back exactly.
    """
    return move(state, source_of(state, action), destination_of(state, action))


@kernel
def move(state: Any, source: int, destination: int) -> int:
    """Make a legal move between two piles in place; see `apply`."""
    column_count = state["columns"].shape[0]
    if source == state["tops"].shape[0]:
        drawn = state["stock"].shape[0] - state["stock_count"]
        card = state["stock"][drawn]
        ranks = state["unseen"].shape[1]
        state["stock"][drawn] = NO_CARD
        state["stock_count"] -= 1
        state["unseen"][(card - 1) // ranks, (card - 1) % ranks] -= 1
    else:
        card = _take(state, source)
        refresh_pile(state, source)
    _put(state, destination, card)
    refresh_pile(state, destination)
    state["moves"] += 1
    change = 0
    if destination > column_count:
        change = TO_FOUNDATION_SCORE
    elif source == column_count:
        change = WASTE_TO_COLUMN_SCORE
    elif column_count < source < state["tops"].shape[0]:  # a take-back; the stock comes last
        change = -min(TAKE_BACK_COST, int(state["score"]))
    state["score"] = np.int64(state["score"]) + change
    return change


@kernel
def undo(state: Any, action: int, change: int) -> None:
    """Take back the last move, restoring every byte of the state before it.

    Args:
        state: The record just after the move.
        action: The move.
        change: What `apply` returned for it.
    """
    source, destination = source_of(state, action), destination_of(state, action)
    card = _take(state, destination)
    refresh_pile(state, destination)
    if action == 0:
        ranks = state["unseen"].shape[1]
        state["stock_count"] += 1
        state["stock"][state["stock"].shape[0] - state["stock_count"]] = card
        state["unseen"][(card - 1) // ranks, (card - 1) % ranks] += 1
    else:
        _put(state, source, card)
        refresh_pile(state, source)
    state["moves"] -= 1
    state["score"] = np.int64(state["score"]) - change


@kernel
def _take(state: Any, pile: int) -> int:
    """Remove and return the top card of a column, the waste or a foundation."""
    column_count = state["columns"].shape[0]
    card = state["tops"][pile]
    if pile < column_count:
        state["heights"][pile] -= 1
        state["columns"][pile, state["heights"][pile]] = NO_CARD
    elif pile == column_count:
        state["waste_count"] -= 1
        state["waste"][state["waste_count"]] = NO_CARD
    else:
        state["foundations"][pile - column_count - 1] -= 1
    return card


@kernel
def _put(state: Any, pile: int, card: int) -> None:
    """Lay a card on top of a column, the waste or a foundation."""
    column_count = state["columns"].shape[0]
    if pile < column_count:
        state["columns"][pile, state["heights"][pile]] = card
        state["heights"][pile] += 1
    elif pile == column_count:
        state["waste"][state["waste_count"]] = card
        state["waste_count"] += 1
    else:
        state["foundations"][pile - column_count - 1] += 1


@kernel
def foundation_cards(state: Any) -> int:
    """Return how many cards lie on the foundations."""
    total = 0
    for f in range(state["foundations"].shape[0]):
        total += state["foundations"][f]
    return total


@kernel
def is_won(state: Any) -> bool:
    """Return whether all cards lie on the foundations."""
    unseen = state["unseen"]
    return foundation_cards(state) == state["foundations"].shape[0] * unseen.shape[1]
