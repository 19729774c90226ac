"""What a position is worth to whoever knows the order of the stock.

The value is a sum of weights, one for each *mark* that the position bears: "a column is five cards
high", "the next card of a foundation comes in 8 draws", and so on. Marks are numbers; the tables
below say what they mean, and `agents.search.pile_values` adds their weights up. The weights are
learned (``scripts/learn_foresight.py``) and differ with the size of the stock: a straight line
between knots.

Words used below. The *wait* of a card is the number of cards of its suit that must go to a
foundation before it. A card *hinders* one below it in the same pile unless it has to go up before
it anyway.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env.cards import NO_CARD, RANKS, SUITS
from qv_env.jit import kernel, separate_kernel
from qv_env.sizes import FULL

WAITS: Final = RANKS
PLACES: Final = 23
_NEXT: Final = 5
_HINDERED: Final = 10
_DEPTHS: Final = 10
_INVERSIONS: Final = 4
_EMPTIES: Final = 4

# Every table of marks with its number of rows and columns.
TABLES: Final = {
    "pair": (RANKS + 1, RANKS + 1),  # cards on the higher and on the lower foundation of a suit
    "least_suit": (1, 2 * RANKS + 1),  # cards up of the suit that has fewest
    "next_high": (_NEXT, PLACES),  # where the k-th next card of a higher foundation lies
    "next_low": (_NEXT, PLACES),  # the same for a lower one
    "column_card": (WAITS, _HINDERED),  # its wait, and how many cards hinder it
    "column_cover": (WAITS, WAITS + 1),  # its wait, and the least wait under it
    # Cards of its suit under it that go up earlier; its rank if it lies on the one it continues.
    "column_joint": (_INVERSIONS, RANKS + 1),
    "height": (1, 17),
    "end": (10, 8),  # cards below the run that ends a column, length of the run
    "bottom": (2, RANKS),  # whether the column is one run, and the rank of its bottom card
    "wanted": (1, PLACES),  # where the card lies that continues a column
    "waste_card": (WAITS, _DEPTHS),  # its wait, and its depth in the waste
    "waste_cover": (WAITS, WAITS + 1),
    # As in columns; its rank if it lies on its next lower one, or on its next higher one.
    "waste_joint": (_INVERSIONS, 2 * RANKS + 1),
    "waste": (_EMPTIES, 33),  # empty columns, pairs of waste cards
}


def _first_marks() -> tuple[dict[str, int], int]:
    first, at = {}, 0
    for name, (rows, columns) in TABLES.items():
        first[name] = at
        at += rows * columns
    return first, at


FIRST, MARKS = _first_marks()
MOST_MARKS: Final = 640  # that one position bears

(
    _PAIR,
    _LEAST,
    _NEXT_HIGH,
    _NEXT_LOW,
    _COLUMN_CARD,
    _COLUMN_COVER,
    _COLUMN_JOINT,
    _HEIGHT,
    _END,
    _BOTTOM,
    _WANTED,
    _WASTE_CARD,
    _WASTE_COVER,
    _WASTE_JOINT,
    _WASTE,
) = FIRST.values()

_RANK: Final = np.array([0, *(c % RANKS for c in range(SUITS * RANKS))], np.uint8)
# The bits of the lower cards of the same suit, for each card.
_LOWER: Final = np.array(
    [0, *(((1 << r) - 1) << (1 + RANKS * s) for s in range(SUITS) for r in range(RANKS))], np.uint64
)
_BIT: Final = np.array([1 << c for c in range(1 + SUITS * RANKS)], np.uint64)
# The card that a card continues: none for kings.
_HOST: Final = np.array(
    [255, *(c + 1 if c % RANKS else 255 for c in range(1, 1 + SUITS * RANKS))], np.uint8
)
# The waits of a suit's cards, for each pair of heights of its foundations.
_WAITS: Final = np.array(
    [
        [
            [r - high if r >= high else max(r - low, 0) for r in range(RANKS)]
            for low in range(RANKS + 1)
        ]
        for high in range(RANKS + 1)
    ],
    np.uint8,
)


def _classes(edges: list[int], first: int, size: int) -> Any:
    """Return the class of each number below ``size``: ``first`` and the edges it reaches."""
    return np.array([first + sum(n >= e for e in edges) for n in range(size)], np.uint8)


_DEPTH_CLASS: Final = _classes([1, 2, 3, 5, 8, 12, 18, 26, 36], 0, 65)
# How easy a copy of a card is to come by: the effort, times 32, and the place. The least is best.
_PLACE_BITS: Final = 5
_FAR: Final = 255 << _PLACE_BITS


def _efforts(each: int, places: Any) -> Any:
    return np.array([each * n << _PLACE_BITS for n in range(len(places))], np.uint16) + places


_IN_COLUMN: Final = _efforts(3, _classes([1, 2, 3, 4, 5], 1, 20))
IN_WASTE: Final = _efforts(2, _classes([1, 2, 3, 4, 6, 9, 14], 7, 65))
_IN_STOCK: Final = _efforts(2, _classes([2, 3, 5, 8, 13, 21, 33], 15, 65))

CONTEXT: Final = np.dtype(
    [("nearest", np.uint16, (2, 1 + SUITS * RANKS))]  # of the copies in the stock
)
SCRATCH: Final = np.dtype(
    [
        ("marks", np.int32, (MOST_MARKS,)),
        ("waits", np.uint8, (1 + SUITS * RANKS,)),
        ("nearest", np.uint16, (2, 1 + SUITS * RANKS)),
        ("efforts", np.uint16, (FULL.column_limit,)),  # of a column's cards
    ]
)


@separate_kernel
def look_ahead(state: Any, context: Any) -> None:
    """Note when the copies of each card come."""
    nearest = context["nearest"]
    nearest[:] = _FAR
    size = state["stock"].shape[0]
    first = size - int(state["stock_count"])
    for k in range(first, size):
        note_place(nearest, state["stock"][k], _IN_STOCK[k - first + 1])


@kernel
def sum_weights(marks: Any, count: int, weights: Any) -> float:
    """Return the sum of the weights of the first ``count`` marks."""
    # Four sums, since each addition waits for the one before it.
    a = b = c = d = np.float32(0)
    for k in range(0, count - 3, 4):
        a += weights[marks[k]]
        b += weights[marks[k + 1]]
        c += weights[marks[k + 2]]
        d += weights[marks[k + 3]]
    for k in range(count & ~3, count):
        a += weights[marks[k]]
    return float(a + b + c + d)


@separate_kernel
def list_marks(state: Any, context: Any, scratch: Any) -> int:
    """Write the marks of a position to the scratch, and return how many there are."""
    note_waits(state, scratch)
    start_places(context, scratch)
    count = 0
    for c in range(state["columns"].shape[0]):
        count = mark_column(state, c, scratch, count)
        note_column(state, c, scratch["efforts"], scratch)
    count = mark_waste(state, scratch, count)
    note_waste(state, scratch)
    return mark_tops(state, scratch, mark_foundations(state, scratch, count))


@kernel
def note_waits(state: Any, scratch: Any) -> None:
    """Note the wait of every card."""
    waits = scratch["waits"]
    for suit in range(SUITS):
        left, right = state["foundations"][suit], state["foundations"][suit + SUITS]
        high, low = max(left, right), min(left, right)
        for rank in range(RANKS):
            waits[1 + RANKS * suit + rank] = _WAITS[high, low, rank]


@kernel
def start_places(context: Any, scratch: Any) -> None:
    """Note where copies of cards lie in the stock; those in columns and waste come next."""
    nearest, coming = scratch["nearest"], context["nearest"]
    for copy in range(2):
        for card in range(1 + SUITS * RANKS):
            nearest[copy, card] = coming[copy, card]


@kernel
def note_column(state: Any, c: int, efforts: Any, scratch: Any) -> None:
    """Note where a column's cards lie, given the effort that each takes."""
    for level in range(state["heights"][c]):
        note_place(scratch["nearest"], state["columns"][c, level], efforts[level])


@kernel
def note_waste(state: Any, scratch: Any) -> None:
    """Note where the cards of the waste lie."""
    size = int(state["waste_count"])
    for k in range(size):
        note_place(scratch["nearest"], state["waste"][k], IN_WASTE[size - 1 - k])


@kernel
def note_place(nearest: Any, card: Any, place: Any) -> None:
    """Note where a copy of a card lies; the one that takes less effort comes first."""
    first = nearest[0, card]
    nearest[0, card] = min(first, place)
    nearest[1, card] = min(nearest[1, card], max(first, place))


@kernel
def _bits(mask: Any) -> int:
    count = 0
    while mask != 0:
        mask &= mask - np.uint64(1)
        count += 1
    return count


@kernel
def mark_column(state: Any, c: int, scratch: Any, count: int) -> int:
    """Write the marks of a column from ``marks[count]`` on, and the efforts that its cards take.

    Returns:
        The new count.
    """
    marks, waits, efforts = scratch["marks"], scratch["waits"], scratch["efforts"]
    column, height = state["columns"][c], int(state["heights"][c])
    if height == 0:
        return count
    above = np.uint64(0)
    for level in range(height - 1, -1, -1):
        card = column[level]
        hindered = height - 1 - level - _bits(above & _LOWER[card])
        efforts[level] = _IN_COLUMN[hindered]
        marks[count] = _COLUMN_CARD + waits[card] * _HINDERED + min(hindered, _HINDERED - 1)
        count += 1
        above |= _BIT[card]
    under = np.uint64(0)
    least = np.int64(WAITS)
    below = np.uint8(NO_CARD)
    start = 0
    for level in range(height):
        card = column[level]
        wait = np.int64(waits[card])
        marks[count] = _COLUMN_COVER + wait * (WAITS + 1) + least
        joint = below == _HOST[card]
        inversions = min(_bits(under & _LOWER[card]), _INVERSIONS - 1)
        marks[count + 1] = (
            _COLUMN_JOINT + inversions * (RANKS + 1) + (1 + _RANK[card] if joint else 0)
        )
        count += 2
        start = start if joint else level
        least = min(least, wait)
        under |= _BIT[card]
        below = card
    marks[count] = _HEIGHT + height
    marks[count + 1] = _END + min(start, 9) * 8 + min(height - start, 8) - 1
    marks[count + 2] = _BOTTOM + RANKS * (start == 0) + _RANK[column[0]]
    return count + 3


@kernel
def mark_waste(state: Any, scratch: Any, count: int) -> int:
    """Write the marks of the waste; return the new count."""
    marks, waits, waste = scratch["marks"], scratch["waits"], state["waste"]
    size = int(state["waste_count"])
    under = np.uint64(0)
    least = np.int64(WAITS)
    below = np.uint8(NO_CARD)
    for k in range(size):
        card = waste[k]
        depth = size - 1 - k
        wait = np.int64(waits[card])
        marks[count] = _WASTE_CARD + wait * _DEPTHS + _DEPTH_CLASS[depth]
        marks[count + 1] = _WASTE_COVER + wait * (WAITS + 1) + least
        inversions = min(_bits(under & _LOWER[card]), _INVERSIONS - 1)
        kind = 0
        if card == _HOST[below]:
            kind = 1 + _RANK[card]
        elif below == _HOST[card]:
            kind = 1 + RANKS + _RANK[card]
        marks[count + 2] = _WASTE_JOINT + inversions * (2 * RANKS + 1) + kind
        count += 3
        least = min(least, wait)
        under |= _BIT[card]
        below = card
    return count


@kernel
def mark_foundations(state: Any, scratch: Any, count: int) -> int:
    """Write the marks of the foundations and of what goes there next; return the new count."""
    marks, nearest = scratch["marks"], scratch["nearest"]
    fewest = 2 * RANKS
    for suit in range(SUITS):
        left, right = int(state["foundations"][suit]), int(state["foundations"][suit + SUITS])
        high, low = max(left, right), min(left, right)
        marks[count] = _PAIR + high * (RANKS + 1) + low
        count += 1
        fewest = min(fewest, high + low)
        for k in range(_NEXT):
            if high + k < RANKS:
                card = 1 + RANKS * suit + high + k
                marks[count] = _NEXT_HIGH + k * PLACES + _place(nearest[0, card])
                count += 1
            if low + k < RANKS:
                card = 1 + RANKS * suit + low + k
                copy = 0 if low + k < high else 1
                marks[count] = _NEXT_LOW + k * PLACES + _place(nearest[copy, card])
                count += 1
    marks[count] = _LEAST + fewest
    return count + 1


@kernel
def _place(nearest: Any) -> int:
    return int(nearest) & ((1 << _PLACE_BITS) - 1)


@kernel
def mark_tops(state: Any, scratch: Any, count: int) -> int:
    """Write the marks of what the columns wait for, and of empty ones; return the new count."""
    marks, nearest = scratch["marks"], scratch["nearest"]
    empty = 0
    for c in range(state["heights"].shape[0]):
        card = state["tops"][c]
        if card == NO_CARD:
            empty += 1
        elif _RANK[card] > 0:
            marks[count] = _WANTED + _place(nearest[0, card - 1])
            count += 1
    waste = int(state["waste_count"])
    marks[count] = _WASTE + min(empty, _EMPTIES - 1) * 33 + (waste + 1) // 2
    return count + 1
