"""From the bytes of `cards` observations to facts of cards and columns that networks can use.

Cards are told apart by *kind*, suit and rank, of which there are two copies each. The two have no
names: the *first* copy is the one that lies in the lowest numbered place, where columns come before
the waste. Everything here treats suits and columns alike, so that networks that do the same
learn for all of them at once. Nothing looks ahead: all facts are about what lies where.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from qv_env import read_observation
from qv_env.cards import COPIES, RANKS, SUITS
from qv_env.jit import array_kernel, kernel, separate_kernel
from qv_env.sizes import FULL

COLUMNS: Final = FULL.columns
FOUNDATIONS: Final = FULL.foundations
KINDS: Final = SUITS * RANKS
STOCK: Final = FULL.stock
CODES: Final = KINDS + 1  # and one for no card
SEEN_FROM_TOP: Final = 6
SEEN_OF_WASTE: Final = 3

_NEAR: Final = 4  # depths that are told apart, before they are only numbers
_DEPTH_FACTS: Final = _NEAR + 2
_IN_WASTE: Final = _DEPTH_FACTS
_FLAGS: Final = 2 * _DEPTH_FACTS
_COPY_FACTS: Final = _FLAGS + 8
_KIND: Final = COPIES * _COPY_FACTS
CARD_FACTS: Final = _KIND + 9
COLUMN_FACTS: Final = 12
TABLE_FACTS: Final = 6
_MOST_PLIES: Final = 50  # more plies than these that are left are as good as endless
_SCALE: Final = np.float32(1 / 8)  # of depths, heights and ranks
_COVER_SCALE: Final = np.float32(1 / 4)
_NO_COLUMN: Final = COLUMNS


class Layout(NamedTuple):
    """What lies where, for ``n`` positions.

    Indices count rows of tables that hold those of all positions one after another: of 53 codes,
    the first for no card, and of 11 columns, the last for none.

    Attributes:
        cards: Facts of each kind of card, float32 ``(n, 52, CARD_FACTS)``.
        columns: Facts of each column, float32 ``(n, 10, COLUMN_FACTS)``.
        table: Facts of the whole table, float32 ``(n, TABLE_FACTS)``.
        from_top: Codes in each column from the top down, int64 ``(n, 10, SEEN_FROM_TOP)``.
        waste: Codes of the waste's top cards, int64 ``(n, SEEN_OF_WASTE)``.
        foundations: Code of each foundation's top card, and of the card it wants, int64
            ``(n, 8, 2)``.
        column_of: Column of each copy of each kind, int64 ``(n, 52, 2)``.
    """

    cards: Tensor
    columns: Tensor
    table: Tensor
    from_top: Tensor
    waste: Tensor
    foundations: Tensor
    column_of: Tensor


_PARTS: Final[tuple[tuple[type[Any], tuple[int, ...]], ...]] = (
    (np.float32, (KINDS, CARD_FACTS)),
    (np.float32, (COLUMNS, COLUMN_FACTS)),
    (np.float32, (TABLE_FACTS,)),
    (np.int64, (COLUMNS, SEEN_FROM_TOP)),
    (np.int64, (SEEN_OF_WASTE,)),
    (np.int64, (FOUNDATIONS, 2)),
    (np.int64, (KINDS, COPIES)),
)


def read_layout(observations: Tensor) -> Layout:
    """Return the layout of `cards` observations, of shape ``(n, 248)`` and any numeric type."""
    rows: NDArray[np.uint8] = observations.detach().to("cpu", torch.uint8).numpy()
    parts = tuple(np.zeros((len(rows), *shape), dtype) for dtype, shape in _PARTS)
    write_layouts(read_observation(rows), *parts)
    return Layout(*(torch.from_numpy(part).to(observations.device) for part in parts))


@array_kernel
def write_layouts(
    tables: Any,
    cards: Any,
    columns: Any,
    table_facts: Any,
    from_top: Any,
    waste: Any,
    foundations: Any,
    column_of: Any,
) -> None:
    """Write the parts of `Layout`, all zeros before, for ``n`` records of `CARDS_DTYPE`."""
    copies = np.empty(KINDS, np.int64)
    for n in range(tables.shape[0]):
        table, first = tables[n], n * CODES
        copies[:] = 0
        column_of[n] = n * (COLUMNS + 1) + _NO_COLUMN
        for c in range(COLUMNS):
            height = int(table["heights"][c])
            for level in range(height):
                kind = int(table["columns"][c, level]) - 1
                copy = copies[kind]
                copies[kind] += 1
                column_of[n, kind, copy] = n * (COLUMNS + 1) + c
                facts = cards[n, kind, copy * _COPY_FACTS : (copy + 1) * _COPY_FACTS]
                _write_place(table["columns"][c], height, level, facts, 0)
                facts[_FLAGS] = 1.0
            _write_column(table["columns"][c], height, columns[n, c])
            for k in range(SEEN_FROM_TOP):
                card = table["columns"][c, height - 1 - k] if k < height else 0
                from_top[n, c, k] = first + card
        count = int(table["waste_count"])
        for level in range(count):
            kind = int(table["waste"][level]) - 1
            copy = copies[kind]
            copies[kind] += 1
            facts = cards[n, kind, copy * _COPY_FACTS : (copy + 1) * _COPY_FACTS]
            _write_place(table["waste"], count, level, facts, _IN_WASTE)
        for k in range(SEEN_OF_WASTE):
            waste[n, k] = first + (table["waste"][count - 1 - k] if k < count else 0)
        _write_kinds(table, copies, cards[n])
        _mark_tops(table, cards[n], columns[n])
        for f in range(FOUNDATIONS):
            height, suit = int(table["foundations"][f]), f % SUITS
            foundations[n, f, 0] = first + (suit * RANKS + height if height > 0 else 0)
            foundations[n, f, 1] = first + (suit * RANKS + height + 1 if height < RANKS else 0)
        _write_table(table, table_facts[n])


@separate_kernel
def _write_place(pile: Any, height: int, level: int, facts: Any, offset: int) -> None:
    """Write the facts of a card in a column or the waste."""
    depth = height - 1 - level
    if depth < _NEAR:
        facts[offset + depth] = 1.0
    facts[offset + _NEAR] = 1.0 / (1.0 + depth)
    facts[offset + _NEAR + 1] = depth * _SCALE
    code = int(pile[level])
    rank, suit = (code - 1) % RANKS, (code - 1) // RANKS
    facts[_FLAGS + 1] = level == 0
    facts[_FLAGS + 2] = _continues(pile, level)
    facts[_FLAGS + 3] = depth > 0 and _continues(pile, level + 1)
    in_run = True
    for above in range(level + 1, height):
        in_run = in_run and _continues(pile, above)
        other = int(pile[above]) - 1
        if other // RANKS == suit and other % RANKS > rank:
            facts[_FLAGS + 7] += _COVER_SCALE
    facts[_FLAGS + 4] = in_run
    facts[_FLAGS + 5] = level * _SCALE
    for under in range(level):
        other = int(pile[under]) - 1
        if other // RANKS == suit and other % RANKS < rank:
            facts[_FLAGS + 6] += _COVER_SCALE


@kernel
def _continues(pile: Any, level: int) -> bool:
    """Return whether a card lies on the next higher one of its suit."""
    if level == 0:
        return False
    return bool(pile[level - 1] == pile[level] + 1 and pile[level] % RANKS != 0)


@separate_kernel
def _write_column(pile: Any, height: int, facts: Any) -> None:
    run, joints, covering = min(height, 1), 0, 0
    for level in range(1, height):
        if _continues(pile, level):
            run += 1
            joints += 1
        else:
            run = 1
        for under in range(level):
            lower = pile[under] < pile[level]
            if lower and (pile[under] - 1) // RANKS == (pile[level] - 1) // RANKS:
                covering += 1
    facts[0] = height == 0
    facts[1] = height == 1
    facts[2] = height == 2  # noqa: PLR2004 - two moves empty it
    facts[3] = height * _SCALE
    facts[4] = run * _SCALE
    facts[5] = height > 0 and run == height
    facts[6] = height > 0 and pile[0] % RANKS == 0
    facts[7] = joints * _SCALE
    facts[8] = (height - run) * _SCALE
    facts[9] = covering * _COVER_SCALE


@separate_kernel
def _write_kinds(table: Any, copies: Any, cards: Any) -> None:
    """Write copies up and unseen, whether wanted, and how many must go up before."""
    for suit in range(SUITS):
        left, right = int(table["foundations"][suit]), int(table["foundations"][suit + SUITS])
        high, low = max(left, right), min(left, right)
        for rank in range(RANKS):
            kind = suit * RANKS + rank
            facts = cards[kind, _KIND:]
            up = (high > rank) + (low > rank)
            facts[0] = up == 1
            facts[1] = up == COPIES
            facts[2] = COPIES - up - copies[kind]
            facts[3] = high == rank
            facts[4] = low == rank
            facts[5] = (rank - high) * _SCALE
            facts[6] = (rank - low) * _SCALE
            facts[7] = 1.0 / (1.0 + max(rank - low, 0))


@separate_kernel
def _mark_tops(table: Any, cards: Any, columns: Any) -> None:
    """Count the columns that accept each card, and mark columns whose tops can go somewhere."""
    for c in range(COLUMNS):
        height = int(table["heights"][c])
        if height > 0:
            card = int(table["columns"][c, height - 1])
            if card % RANKS != 1:
                cards[card - 2, _KIND + 8] += 1.0
    for c in range(COLUMNS):
        height = int(table["heights"][c])
        if height > 0:
            facts = cards[int(table["columns"][c, height - 1]) - 1]
            columns[c, 10] = max(facts[_KIND + 3], facts[_KIND + 4])
            columns[c, 11] = facts[_KIND + 8]


@separate_kernel
def _write_table(table: Any, facts: Any) -> None:
    empty = 0
    for c in range(COLUMNS):
        empty += table["heights"][c] == 0
    facts[0] = table["stock_count"] / STOCK
    facts[1] = table["waste_count"] / STOCK
    facts[2] = empty * _COVER_SCALE
    facts[3] = empty > 0
    facts[4] = table["stock_count"] == 0
    facts[5] = min(int(table["plies_left"]), _MOST_PLIES) / _MOST_PLIES
