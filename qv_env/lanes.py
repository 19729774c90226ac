"""Every pair of piles compared at once, in vector instructions.

A mask asks 268 times whether a card fits a pile. The answer takes two bytes, and a processor can
give 32 of them at a time; but LLVM does not find that in a loop, since for all it knows the mask
might lie inside the state. So the instructions are spelled out here, as LLVM's own vectors, which
it knows how to compile for any processor.

The question is asked without a branch. A pile that wants one card is a range that holds this card
alone, an empty column is the range of all cards, a pile that wants nothing is a range that holds no
card, and `qv_env.cards.NO_CARD` lies in none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from qv_env.actions import action_table
from qv_env.engine import ANYTHING, is_legal
from qv_env.sizes import FULL, Sizes

_BYTE: Final = ir.IntType(8)
_INDEX: Final = ir.IntType(32)
_LOWEST_CARD: Final = 1
_MOST_CARDS: Final = int(ANYTHING)
_COLUMNS: Final = FULL.columns
_WIDTHS: Final = (16, 32)  # bytes that processors store at once
_LANES: Final = _WIDTHS[-1]


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


@overload(write_moves, jit_options={"forceinline": True})
def _compiled_write_moves(state: Any, mask: Any) -> Any:
    def write(state: Any, mask: Any) -> bool:
        return _store_rows(state, mask)

    return write


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _store_rows(typing_context: Any, state: Any, mask: Any) -> Any:
    """Store the row of each source pile, the destinations in the order of the action table.

    Returns:
        Whether any entry is 1.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sizes = _sizes(state)
        record, array = arguments
        first_byte = builder.bitcast(record, _BYTE.as_pointer())
        tops = _at(builder, first_byte, state.offset("tops"))
        wants = _at(builder, first_byte, state.offset("wants"))
        entries = context.make_array(mask)(context, builder, array).data
        lowest, span = _ranges(builder, _load(builder, wants, sizes.stock_pile))
        legal = _constant(lowest.type, 0)
        for source, group in groupby(action_table(sizes)[1:], attrgetter("source")):
            actions = list(group)
            card = builder.load(_at(builder, tops, source))
            offset = builder.sub(_repeated(builder, card, lowest.type.count), lowest)
            fits = builder.zext(builder.icmp_unsigned("<=", offset, span), offset.type)
            goals = [action.destination for action in actions]
            row = _shuffled(builder, fits, _filled(goals))
            legal = builder.or_(legal, row)
            # Bytes too many are overwritten by the rows that follow.
            first = actions[0].number
            stored = range(_stored_bytes(len(goals), sizes.actions - first))
            _store(builder, _shuffled(builder, row, stored), _at(builder, entries, first))
        bits = builder.bitcast(legal, ir.IntType(_BYTE.width * _LANES))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(state, mask), generate


def copy_record(record: Any, count: int, target: Any) -> None:
    """Copy the first bytes of a record into an array.

    Args:
        record: A record of any type.
        count: How many bytes, at least 32; a constant of the calling kernel.
        target: uint8 of shape ``(n,)`` with n >= count.
    """
    target[:count] = np.frombuffer(record, np.uint8, count)


@overload(copy_record, jit_options={"forceinline": True}, prefer_literal=True)
def _compiled_copy_record(record: Any, count: Any, target: Any) -> Any:
    def copy(record: Any, count: Any, target: Any) -> None:
        _copy_lanes(record, count, target)

    return copy


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba has no types
def _copy_lanes(typing_context: Any, record: Any, count: Any, target: Any) -> Any:
    """Copy as many bytes at a time as there are lanes, the last time some of them once more."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bytes_ = count.literal_value
        source = builder.bitcast(arguments[0], _BYTE.as_pointer())
        goal = context.make_array(target)(context, builder, arguments[2]).data
        lanes = ir.VectorType(_BYTE, _LANES).as_pointer()
        for at in [*range(0, bytes_ - _LANES, _LANES), bytes_ - _LANES]:
            piece = builder.load(builder.bitcast(_at(builder, source, at), lanes), align=1)
            _store(builder, piece, _at(builder, goal, at))
        return context.get_dummy_value()

    return types.void(record, count, target), generate


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
    columns, waste = slice(_COLUMNS), slice(_COLUMNS, _COLUMNS + 1)
    foundations = slice(_COLUMNS + 1, FULL.stock_pile)

    def pairs(sources: slice, goals: slice) -> Any:
        return wants[goals] == tops[sources, None]

    out[wanted : wanted + _COLUMNS] = pairs(slice(_COLUMNS + 1), columns).sum(axis=0)
    out[goes_up : goes_up + _COLUMNS + 1] = pairs(slice(_COLUMNS + 1), foundations).any(axis=1)
    out[hosts : hosts + _COLUMNS + 1] = pairs(slice(_COLUMNS + 1), columns).sum(axis=1)
    out[next_top : next_top + FULL.foundations] = pairs(columns, foundations).sum(axis=0)
    out[next_waste : next_waste + FULL.foundations] = pairs(waste, foundations).sum(axis=0)


@overload(write_matches, jit_options={"forceinline": True}, prefer_literal=True)
def _compiled_write_matches(
    state: Any, out: Any, wanted: Any, goes_up: Any, hosts: Any, next_top: Any, next_waste: Any
) -> Any:
    def write(
        state: Any, out: Any, wanted: Any, goes_up: Any, hosts: Any, next_top: Any, next_waste: Any
    ) -> None:
        _store_matches(state, out, wanted, goes_up, hosts, next_top, next_waste)

    return write


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba has no types
def _store_matches(
    typing_context: Any,
    state: Any,
    out: Any,
    wanted: Any,
    goes_up: Any,
    hosts: Any,
    next_top: Any,
    next_waste: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        record = builder.bitcast(arguments[0], _BYTE.as_pointer())
        goal = context.make_array(out)(context, builder, arguments[1]).data
        tops = _at(builder, record, state.offset("tops"))
        wants = _at(builder, record, state.offset("wants"))
        every_top = _load(builder, tops, FULL.stock_pile)
        every_want = _load(builder, wants, FULL.stock_pile)

        def count(pointer: Any, piles: range, others: Any) -> Any:
            """Return how many of these piles' bytes equal each of the others."""
            total = _constant(others.type, 0)
            for pile in piles:
                byte = builder.load(_at(builder, pointer, pile))
                equal = builder.icmp_unsigned("==", _repeated(builder, byte, _LANES), others)
                total = builder.sub(total, builder.sext(equal, others.type))
            return total

        def store(lanes: Any, piles: range, place: Any) -> None:
            _store(builder, _shuffled(builder, lanes, piles), _at(builder, goal, place))

        columns, waste = range(_COLUMNS), range(_COLUMNS, _COLUMNS + 1)
        foundations = range(_COLUMNS + 1, FULL.stock_pile)
        on_columns, on_waste = (count(tops, piles, every_want) for piles in (columns, waste))
        store(builder.add(on_columns, on_waste), columns, wanted.literal_value)
        fits = builder.icmp_unsigned(
            "!=", count(wants, foundations, every_top), _constant(every_top.type, 0)
        )
        tops_shown = range(_COLUMNS + 1)
        store(builder.zext(fits, every_top.type), tops_shown, goes_up.literal_value)
        store(count(wants, columns, every_top), tops_shown, hosts.literal_value)
        store(on_columns, foundations, next_top.literal_value)
        store(on_waste, foundations, next_waste.literal_value)
        return context.get_dummy_value()

    return types.void(state, out, wanted, goes_up, hosts, next_top, next_waste), generate


def copy_row(table: Any, row: int, target: Any, at: int) -> None:
    """Copy a row of a table into an array, ``target[at : at + 32]``.

    Args:
        table: uint8 of shape ``(n, 32)``.
        row: Which row.
        target: uint8 of shape ``(m,)`` with m >= at + 32.
        at: Where to.
    """
    target[at : at + _LANES] = table[row]


@overload(copy_row, jit_options={"forceinline": True})
def _compiled_copy_row(table: Any, row: Any, target: Any, at: Any) -> Any:
    def copy(table: Any, row: Any, target: Any, at: Any) -> None:
        _copy_row_lanes(table, np.int64(row), target, np.int64(at))

    return copy


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _copy_row_lanes(typing_context: Any, table: Any, row: Any, target: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(table)(context, builder, arguments[0]).data
        goal = context.make_array(target)(context, builder, arguments[2]).data
        offset = builder.mul(arguments[1], ir.Constant(arguments[1].type, _LANES))
        lanes = ir.VectorType(_BYTE, _LANES)
        piece = builder.load(builder.bitcast(builder.gep(source, [offset]), lanes.as_pointer()), align=1)
        _store(builder, piece, builder.gep(goal, [arguments[3]]))
        return context.get_dummy_value()

    return types.void(table, row, target, at), generate


def _sizes(state: Any) -> Sizes:
    """Return the sizes of a game from Numba's type of its record."""
    suits, ranks = state.typeof("unseen").shape
    columns, limit = state.typeof("columns").shape
    return Sizes(suits=suits, ranks=ranks, columns=columns, column_cards=limit + 1 - ranks)


def _ranges(builder: Any, wants: Any) -> tuple[Any, Any]:
    """Return the lowest card that each pile takes, and how many higher ones it takes too."""
    empty = builder.icmp_unsigned("==", wants, _constant(wants.type, int(ANYTHING)))
    lowest = builder.select(empty, _constant(wants.type, _LOWEST_CARD), wants)
    span = builder.select(empty, _constant(wants.type, _MOST_CARDS), _constant(wants.type, 0))
    return lowest, span


def _stored_bytes(entries: int, room: int) -> int:
    """Return how many bytes to store for so many entries, where there is room for some."""
    return next((width for width in _WIDTHS if entries <= width <= room), entries)


def _filled(order: Sequence[int]) -> list[int]:
    """Return lane numbers for all lanes, the first one again where there are none."""
    return [*order, *[order[0]] * (_LANES - len(order))]


def _at(builder: Any, pointer: Any, offset: int) -> Any:
    return builder.gep(pointer, [ir.Constant(_INDEX, offset)])


def _load(builder: Any, pointer: Any, count: int) -> Any:
    """Load so many bytes into lanes."""
    kind = ir.VectorType(_BYTE, count)
    loaded = builder.load(builder.bitcast(pointer, kind.as_pointer()), align=1)
    return _shuffled(builder, loaded, _filled(range(count)))


def _store(builder: Any, lanes: Any, pointer: Any) -> None:
    builder.store(lanes, builder.bitcast(pointer, lanes.type.as_pointer()), align=1)


def _shuffled(builder: Any, lanes: Any, order: Sequence[int]) -> Any:
    """Return the lanes with these numbers, in this order."""
    mask = ir.Constant(ir.VectorType(_INDEX, len(order)), list(order))
    return builder.shuffle_vector(lanes, lanes, mask)


def _repeated(builder: Any, byte: Any, count: int) -> Any:
    """Return a vector full of one byte."""
    single = ir.Constant(ir.VectorType(_BYTE, 1), ir.Undefined)
    lane = builder.insert_element(single, byte, ir.Constant(_INDEX, 0))
    return _shuffled(builder, lane, [0] * count)


def _constant(kind: Any, byte: int) -> Any:
    return ir.Constant(kind, [byte] * kind.count)
