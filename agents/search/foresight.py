"""What a position is worth to whoever knows the order of the stock.

The value is a sum of weights, one for each *mark* that the position bears: "a column is five cards
high", "the next card of a foundation comes in 8 draws", and so on. Marks are numbers; the tables
below say what they mean. The weights are learned (``scripts/learn_foresight.py``) and differ with
the size of the stock: a straight line between knots.

Words used below. The *wait* of a card is the number of cards of its suit that must go to a
foundation before it. A card *hinders* one below it in the same pile unless it has to go up before
it anyway.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env.cards import NO_CARD, RANKS, SUITS
from qv_env.jit import kernel, separate_kernel

WAITS: Final = RANKS
PLACES: Final = 23
_NEXT: Final = 5
_HINDERED: Final = 10
_DEPTHS: Final = 10

# Every table of marks with its number of rows and columns.
TABLES: Final = {
    "high": (1, RANKS + 1),  # cards on the higher foundation of a suit
    "low": (1, RANKS + 1),  # on the lower one
    "gap": (1, RANKS + 1),  # their difference
    "least_suit": (1, 2 * RANKS + 1),  # cards up of the suit that has fewest
    "next_high": (_NEXT, PLACES),  # where the k-th next card of a higher foundation lies
    "next_low": (_NEXT, PLACES),  # the same for a lower one
    "column_card": (WAITS, _HINDERED),  # its wait, and how many cards hinder it
    "column_cover": (WAITS, WAITS),  # its wait, and the least wait under it, if that is less
    "column_inversions": (1, 4),  # cards of its suit under it that go up earlier
    "height": (1, 17),
    "end": (10, 8),  # cards below the run that ends a column, length of the run
    "joint": (1, RANKS),  # rank of a column card that lies on the one it continues
    "bottom": (2, RANKS),  # whether the column is one run, and the rank of its bottom card
    "wanted": (1, PLACES),  # where the card lies that continues a column
    "empty": (1, 11),  # number of empty columns
    "waste_card": (WAITS, _DEPTHS),  # its wait, and its depth in the waste
    "waste_cover": (WAITS, WAITS),
    "waste_inversions": (1, 4),
    "waste_step": (1, RANKS),  # a waste card that lies on its next higher one
    "waste_joint": (1, RANKS),  # on its next lower one
    "waste": (1, 33),  # pairs of waste cards
}


def _first_marks() -> tuple[dict[str, int], int]:
    first, at = {}, 0
    for name, (rows, columns) in TABLES.items():
        first[name] = at
        at += rows * columns
    return first, at


FIRST, MARKS = _first_marks()
MOST_MARKS: Final = 640  # that one position bears
EXTRAS: Final = 3  # weights beside those of the marks: see `agents.search.beam.prospects`

(
    _HIGH,
    _LOW,
    _GAP,
    _LEAST,
    _NEXT_HIGH,
    _NEXT_LOW,
    _COLUMN_CARD,
    _COLUMN_COVER,
    _COLUMN_INVERSIONS,
    _HEIGHT,
    _END,
    _JOINT,
    _BOTTOM,
    _WANTED,
    _EMPTY,
    _WASTE_CARD,
    _WASTE_COVER,
    _WASTE_INVERSIONS,
    _WASTE_STEP,
    _WASTE_JOINT,
    _WASTE,
) = FIRST.values()

_MANY: Final = 255
_SUIT: Final = np.array([0, *(c // RANKS for c in range(SUITS * RANKS))], np.uint8)
_RANK: Final = np.array([0, *(c % RANKS for c in range(SUITS * RANKS))], np.uint8)
# The bits of the lower cards of the same suit, for each card.
_LOWER: Final = np.array(
    [0, *(((1 << r) - 1) << (1 + RANKS * s) for s in range(SUITS) for r in range(RANKS))], np.uint64
)
_BIT: Final = np.array([1 << c for c in range(1 + SUITS * RANKS)], np.uint64)


def _classes(edges: list[int], first: int, size: int) -> Any:
    """Return the class of each number below ``size``: ``first`` and the edges it reaches."""
    return np.array([first + sum(n >= e for e in edges) for n in range(size)], np.uint8)


_DEPTH_CLASS: Final = _classes([1, 2, 3, 5, 8, 12, 18, 26, 36], 0, 65)
_COLUMN_PLACE: Final = _classes([1, 2, 3, 4, 5], 1, 20)
_WASTE_PLACE: Final = _classes([1, 2, 3, 4, 6, 9, 14], 7, 65)
_STOCK_PLACE: Final = _classes([2, 3, 5, 8, 13, 21, 33], 15, 65)

CONTEXT: Final = np.dtype([("coming", np.uint8, (2, 1 + SUITS * RANKS))])
SCRATCH: Final = np.dtype(
    [
        ("marks", np.int32, (MOST_MARKS,)),
        ("waits", np.uint8, (1 + SUITS * RANKS,)),
        ("effort", np.uint8, (2, 1 + SUITS * RANKS)),
        ("place", np.uint8, (2, 1 + SUITS * RANKS)),
    ]
)


@separate_kernel
def look_ahead(state: Any, context: Any) -> None:
    """Note when each card comes: draws until its first and second copy, 0 for none."""
    coming = context["coming"]
    coming[:] = 0
    size = state["stock"].shape[0]
    first = size - int(state["stock_count"])
    for k in range(first, size):
        card = state["stock"][k]
        copy = 0 if coming[0, card] == 0 else 1
        coming[copy, card] = k - first + 1


@separate_kernel
def value_of(state: Any, context: Any, weights: Any, scratch: Any) -> float:
    """Return a position's value.

    Args:
        state: The position.
        context: A `CONTEXT` record, right for its stock.
        weights: float32 of shape ``(MARKS,)``, right for the size of its stock.
        scratch: A `SCRATCH` record.
    """
    count = list_marks(state, context, scratch)
    marks = scratch["marks"]
    value = np.float32(0)
    for k in range(count):
        value += weights[marks[k]]
    return float(value)


@separate_kernel
def list_marks(state: Any, context: Any, scratch: Any) -> int:
    """Write the marks of a position to the scratch, and return how many there are."""
    _note_waits_and_stock(state, context, scratch)
    count = _mark_columns(state, scratch, 0)
    count = _mark_waste(state, scratch, count)
    count = _mark_foundations(state, scratch, count)
    return _mark_tops(state, scratch, count)


@kernel
def _note_waits_and_stock(state: Any, context: Any, scratch: Any) -> None:
    waits, coming = scratch["waits"], context["coming"]
    effort, place = scratch["effort"], scratch["place"]
    card = 0
    for suit in range(SUITS):
        left, right = state["foundations"][suit], state["foundations"][suit + SUITS]
        high, low = max(left, right), min(left, right)
        for rank in range(RANKS):
            card += 1
            waits[card] = rank - high if rank >= high else max(rank - low, 0)
    for card in range(1 + SUITS * RANKS):
        for copy in range(2):
            draws = coming[copy, card]
            effort[copy, card] = _MANY if draws == 0 else 2 * draws
            place[copy, card] = 0 if draws == 0 else _STOCK_PLACE[draws]


@kernel
def _note_place(scratch: Any, card: Any, effort: int, place: Any) -> None:
    """Note where a copy of a card lies; the one that takes less effort comes first."""
    efforts, places = scratch["effort"], scratch["place"]
    if effort < efforts[0, card]:
        efforts[1, card], places[1, card] = efforts[0, card], places[0, card]
        efforts[0, card], places[0, card] = effort, place
    elif effort < efforts[1, card]:
        efforts[1, card], places[1, card] = effort, place


@kernel
def _bits(mask: Any) -> int:
    count = 0
    while mask != 0:
        mask &= mask - np.uint64(1)
        count += 1
    return count


@kernel
def _mark_columns(state: Any, scratch: Any, count: int) -> int:
    marks, waits = scratch["marks"], scratch["waits"]
    columns, heights = state["columns"], state["heights"]
    empty = 0
    for c in range(columns.shape[0]):
        height = int(heights[c])
        if height == 0:
            empty += 1
            continue
        above = np.uint64(0)
        for level in range(height - 1, -1, -1):
            card = columns[c, level]
            hindered = height - 1 - level - _bits(above & _LOWER[card])
            _note_place(scratch, card, 3 * hindered, _COLUMN_PLACE[hindered])
            marks[count] = _COLUMN_CARD + waits[card] * _HINDERED + min(hindered, _HINDERED - 1)
            count += 1
            above |= _BIT[card]
        under = np.uint64(0)
        least = _MANY
        below = NO_CARD
        start = 0
        for level in range(height):
            card = columns[c, level]
            wait = waits[card]
            if wait > least:
                marks[count] = _COLUMN_COVER + wait * WAITS + least
                count += 1
                inversions = _bits(under & _LOWER[card])
                if inversions > 0:
                    marks[count] = _COLUMN_INVERSIONS + min(inversions, 3)
                    count += 1
            least = min(least, wait)
            if below == card + 1 and _SUIT[below] == _SUIT[card]:
                marks[count] = _JOINT + _RANK[card]
                count += 1
            else:
                start = level
            under |= _BIT[card]
            below = card
        marks[count] = _HEIGHT + height
        marks[count + 1] = _END + min(start, 9) * 8 + min(height - start, 8) - 1
        marks[count + 2] = _BOTTOM + RANKS * (start == 0) + _RANK[columns[c, 0]]
        count += 3
    marks[count] = _EMPTY + empty
    return count + 1


@kernel
def _mark_waste(state: Any, scratch: Any, count: int) -> int:
    marks, waits, waste = scratch["marks"], scratch["waits"], state["waste"]
    size = int(state["waste_count"])
    under = np.uint64(0)
    least = _MANY
    below = NO_CARD
    for k in range(size):
        card = waste[k]
        depth = size - 1 - k
        wait = waits[card]
        _note_place(scratch, card, 2 * depth, _WASTE_PLACE[depth])
        marks[count] = _WASTE_CARD + wait * _DEPTHS + _DEPTH_CLASS[depth]
        count += 1
        if wait > least:
            marks[count] = _WASTE_COVER + wait * WAITS + least
            count += 1
            inversions = _bits(under & _LOWER[card])
            if inversions > 0:
                marks[count] = _WASTE_INVERSIONS + min(inversions, 3)
                count += 1
        least = min(least, wait)
        if below == card + 1 and _SUIT[below] == _SUIT[card]:
            marks[count] = _WASTE_STEP + _RANK[card]
            count += 1
        elif below + 1 == card and _SUIT[below] == _SUIT[card] and below != NO_CARD:
            marks[count] = _WASTE_JOINT + _RANK[card]
            count += 1
        under |= _BIT[card]
        below = card
    marks[count] = _WASTE + (size + 1) // 2
    return count + 1


@kernel
def _mark_foundations(state: Any, scratch: Any, count: int) -> int:
    marks, place = scratch["marks"], scratch["place"]
    fewest = _MANY
    for suit in range(SUITS):
        left, right = int(state["foundations"][suit]), int(state["foundations"][suit + SUITS])
        high, low = max(left, right), min(left, right)
        marks[count] = _HIGH + high
        marks[count + 1] = _LOW + low
        marks[count + 2] = _GAP + high - low
        count += 3
        fewest = min(fewest, high + low)
        for k in range(_NEXT):
            if high + k < RANKS:
                card = 1 + RANKS * suit + high + k
                marks[count] = _NEXT_HIGH + k * PLACES + place[0, card]
                count += 1
            if low + k < RANKS:
                card = 1 + RANKS * suit + low + k
                copy = 0 if low + k < high else 1
                marks[count] = _NEXT_LOW + k * PLACES + place[copy, card]
                count += 1
    marks[count] = _LEAST + fewest
    return count + 1


@kernel
def _mark_tops(state: Any, scratch: Any, count: int) -> int:
    marks, place = scratch["marks"], scratch["place"]
    for c in range(state["heights"].shape[0]):
        card = state["tops"][c]
        if card != NO_CARD and _RANK[card] > 0:
            marks[count] = _WANTED + place[0, card - 1]
            count += 1
    return count
