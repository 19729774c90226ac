"""Which top cards meet what the piles want, for all pairs of piles at once.

A mask asks 268 times whether a card fits a pile. The answer takes two bytes, and a processor can
give 32 of them at a time. The question is asked without a branch: a pile that wants one card is a
range that holds this card alone, an empty column is the range of all cards, a pile that wants
nothing is a range that holds no card, and `qv_env.cards.NO_CARD` lies in none of them.

The functions that begin with ``write_`` say in plain Python what they do; kernels that call them
get the instructions of `qv_env.lanes` instead.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from qv_env import lanes
from qv_env.actions import action_table
from qv_env.engine import ANYTHING, is_legal
from qv_env.jit import compiled_as, instructions
from qv_env.sizes import FULL, Sizes

_COLUMNS: Final = range(FULL.columns)
_WASTE: Final = range(FULL.waste_pile, FULL.waste_pile + 1)
_SOURCES: Final = range(FULL.waste_pile + 1)
_FOUNDATIONS: Final = range(FULL.waste_pile + 1, FULL.stock_pile)
_LOWEST_CARD: Final = 1
_MOST_CARDS: Final = int(ANYTHING)
_WIDTHS: Final = (lanes.LANES // 2, lanes.LANES)  # bytes that processors store at once


def write_moves(state: Any, mask: Any) -> bool:
    """Write which moves between two piles are legal: all of the legal mask but the draw.

    This is what it means; kernels that call it get the vector instructions.

    Args:
        state: State record of a game of any sizes.
        mask: int8, one entry an action; entry 0 is left alone.

    Returns:
        Whether any is legal.
    """
    for action in range(1, mask.shape[0]):
        mask[action] = is_legal(state, action)
    return bool(mask[1:].any())


@compiled_as(write_moves)
def _write_moves(state: Any, mask: Any) -> Any:
    def write(state: Any, mask: Any) -> bool:
        return _store_moves(state, mask)

    return write


@instructions
def _store_moves(_typing: Any, state: Any, mask: Any) -> Any:
    """Store the row of each source pile, the destinations in the order of the action table."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        sizes = _sizes(state)
        entries = lanes.data(context, builder, mask, arguments[1])
        tops, wants = _tops_and_wants(builder, state, arguments[0])
        lowest, span = _ranges(builder, lanes.load(builder, wants, sizes.stock_pile))
        legal = lanes.constant(0)
        for source, group in groupby(action_table(sizes)[1:], attrgetter("source")):
            actions = list(group)
            card = builder.load(lanes.moved(builder, tops, source))
            offset = builder.sub(lanes.repeated(builder, card), lowest)
            fits = builder.zext(builder.icmp_unsigned("<=", offset, span), offset.type)
            goals = [action.destination for action in actions]
            row = lanes.shuffled(builder, fits, lanes.filled(goals))
            legal = builder.or_(legal, row)
            # Bytes too many are overwritten by the rows that follow.
            first = actions[0].number
            stored = lanes.shuffled(
                builder, row, range(_stored_bytes(len(goals), sizes.actions - first))
            )
            lanes.store(builder, stored, lanes.moved(builder, entries, first))
        bits = builder.bitcast(legal, ir.IntType(lanes.BYTE.width * lanes.LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(state, mask), generate


def write_matches(
    state: Any, out: Any, wanted: int, goes_up: int, hosts: int, next_top: int, next_waste: int
) -> None:
    """Write how the top cards and what the piles want meet.

    Args:
        state: State record of the full game.
        out: uint8 array to write to; the other arguments say from where on, and are constants of
            the calling kernel.
        wanted: Per column, how many columns and wastes have the card on top that it wants.
        goes_up: Per column and for the waste, whether a foundation wants its top card.
        hosts: Per column and for the waste, how many columns want just its top card.
        next_top: Per foundation, how many columns have the card on top that it wants.
        next_waste: Per foundation, whether the waste has.
    """
    tops, wants = state["tops"], state["wants"]
    match = tops[:, None] == wants
    columns, waste, foundations, sources = map(list, (_COLUMNS, _WASTE, _FOUNDATIONS, _SOURCES))
    out[wanted : wanted + len(columns)] = match[np.ix_(sources, columns)].sum(axis=0)
    out[goes_up : goes_up + len(sources)] = match[np.ix_(sources, foundations)].any(axis=1)
    out[hosts : hosts + len(sources)] = match[np.ix_(sources, columns)].sum(axis=1)
    out[next_top : next_top + len(foundations)] = match[np.ix_(columns, foundations)].sum(axis=0)
    out[next_waste : next_waste + len(foundations)] = match[np.ix_(waste, foundations)].sum(axis=0)


@compiled_as(write_matches, literals=True)
def _write_matches(
    state: Any, out: Any, wanted: Any, goes_up: Any, hosts: Any, next_top: Any, next_waste: Any
) -> Any:
    def write(
        state: Any, out: Any, wanted: Any, goes_up: Any, hosts: Any, next_top: Any, next_waste: Any
    ) -> None:
        _store_matches(state, out, wanted, goes_up, hosts, next_top, next_waste)

    return write


@instructions
def _store_matches(
    _typing: Any,
    state: Any,
    out: Any,
    wanted: Any,
    goes_up: Any,
    hosts: Any,
    next_top: Any,
    next_waste: Any,
) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        tops, wants = _tops_and_wants(builder, state, arguments[0])
        every_top = lanes.load(builder, tops, FULL.stock_pile)
        every_want = lanes.load(builder, wants, FULL.stock_pile)
        first = lanes.data(context, builder, out, arguments[1])

        def store(values: Any, piles: range, place: Any) -> None:
            at = lanes.moved(builder, first, place.literal_value)
            lanes.store(builder, lanes.shuffled(builder, values, piles), at)

        on_columns = _count_equal(builder, tops, _COLUMNS, every_want)
        on_waste = _count_equal(builder, tops, _WASTE, every_want)
        upward = _count_equal(builder, wants, _FOUNDATIONS, every_top)
        fits = builder.zext(builder.icmp_unsigned("!=", upward, lanes.constant(0)), upward.type)
        store(builder.add(on_columns, on_waste), _COLUMNS, wanted)
        store(fits, _SOURCES, goes_up)
        store(_count_equal(builder, wants, _COLUMNS, every_top), _SOURCES, hosts)
        store(on_columns, _FOUNDATIONS, next_top)
        store(on_waste, _FOUNDATIONS, next_waste)
        return context.get_dummy_value()

    return types.void(state, out, wanted, goes_up, hosts, next_top, next_waste), generate


def _count_equal(builder: Any, pointer: Any, piles: range, others: Any) -> Any:
    """Return, for each of the others, how many of these piles' bytes are equal to it."""
    total = lanes.constant(0)
    for pile in piles:
        byte = builder.load(lanes.moved(builder, pointer, pile))
        equal = builder.icmp_unsigned("==", lanes.repeated(builder, byte), others)
        total = builder.sub(total, builder.sext(equal, others.type))
    return total


def _tops_and_wants(builder: Any, kind: Any, state: Any) -> tuple[Any, ...]:
    """Return pointers to these fields of a state, whose Numba type is ``kind``."""
    record = lanes.first_byte(builder, state)
    return tuple(lanes.moved(builder, record, kind.offset(name)) for name in ("tops", "wants"))


def _sizes(state: Any) -> Sizes:
    """Return the sizes of a game from Numba's type of its record."""
    suits, ranks = state.typeof("unseen").shape
    columns, limit = state.typeof("columns").shape
    return Sizes(suits=suits, ranks=ranks, columns=columns, column_cards=limit + 1 - ranks)


def _ranges(builder: Any, wants: Any) -> tuple[Any, Any]:
    """Return the lowest card that each pile takes, and how many higher ones it takes too."""
    empty = builder.icmp_unsigned("==", wants, lanes.constant(int(ANYTHING)))
    lowest = builder.select(empty, lanes.constant(_LOWEST_CARD), wants)
    span = builder.select(empty, lanes.constant(_MOST_CARDS), lanes.constant(0))
    return lowest, span


def _stored_bytes(entries: int, room: int) -> int:
    """Return how many bytes to store for so many entries, where there is room for some."""
    return next((width for width in _WIDTHS if entries <= width <= room), entries)
