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

from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from qv_env.actions import action_table
from qv_env.engine import ANYTHING, is_legal
from qv_env.sizes import Sizes

_BYTE: Final = ir.IntType(8)
_INDEX: Final = ir.IntType(32)
_LOWEST_CARD: Final = 1
_MOST_CARDS: Final = int(ANYTHING)
_WIDTHS: Final = (16, 32)  # bytes that processors store at once


def write_moves(state: Any, mask: Any) -> None:
    """Write which moves between two piles are legal: all of the legal mask but the draw.

    This is what it means; kernels that call it get the vector instructions.

    Args:
        state: State record of a game of any sizes.
        mask: int8, one entry an action; entry 0 is left alone.
    """
    for action in range(1, mask.shape[0]):
        mask[action] = is_legal(state, action)


@overload(write_moves, jit_options={"forceinline": True})
def _compiled_write_moves(state: Any, mask: Any) -> Any:
    def write(state: Any, mask: Any) -> None:
        _store_rows(state, mask)

    return write


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _store_rows(typing_context: Any, state: Any, mask: Any) -> Any:
    """Store the row of each source pile, the destinations in the order of the action table."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sizes = _sizes(state)
        record, array = arguments
        first_byte = builder.bitcast(record, _BYTE.as_pointer())
        tops = _at(builder, first_byte, state.offset("tops"))
        wants = _at(builder, first_byte, state.offset("wants"))
        entries = context.make_array(mask)(context, builder, array).data
        lowest, span = _ranges(builder, _load(builder, wants, sizes.stock_pile))
        for source, group in groupby(action_table(sizes)[1:], attrgetter("source")):
            actions = list(group)
            card = builder.load(_at(builder, tops, source))
            offset = builder.sub(_repeated(builder, card, lowest.type.count), lowest)
            fits = builder.zext(builder.icmp_unsigned("<=", offset, span), offset.type)
            first = actions[0].number
            row = [action.destination for action in actions]
            # Bytes too many are overwritten by the rows that follow.
            row += [0] * (_stored(len(row), sizes.actions - first) - len(row))
            _store(builder, _shuffled(builder, fits, row), _at(builder, entries, first))
        return context.get_dummy_value()

    return types.void(state, mask), generate


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


def _stored(entries: int, room: int) -> int:
    """Return how many bytes to store for so many entries, where there is room for some."""
    return next((width for width in _WIDTHS if entries <= width <= room), entries)


def _at(builder: Any, pointer: Any, offset: int) -> Any:
    return builder.gep(pointer, [ir.Constant(_INDEX, offset)])


def _load(builder: Any, pointer: Any, count: int) -> Any:
    """Load so many bytes, filled up with copies of the first to a width that processors have."""
    kind = ir.VectorType(_BYTE, count)
    loaded = builder.load(builder.bitcast(pointer, kind.as_pointer()), align=1)
    width = next((width for width in _WIDTHS if count <= width), count)
    return _shuffled(builder, loaded, [*range(count), *[0] * (width - count)])


def _store(builder: Any, lanes: Any, pointer: Any) -> None:
    builder.store(lanes, builder.bitcast(pointer, lanes.type.as_pointer()), align=1)


def _shuffled(builder: Any, lanes: Any, order: list[int]) -> Any:
    """Return the lanes with these numbers, in this order."""
    mask = ir.Constant(ir.VectorType(_INDEX, len(order)), order)
    return builder.shuffle_vector(lanes, lanes, mask)


def _repeated(builder: Any, byte: Any, count: int) -> Any:
    """Return a vector full of one byte."""
    single = ir.Constant(ir.VectorType(_BYTE, 1), ir.Undefined)
    lane = builder.insert_element(single, byte, ir.Constant(_INDEX, 0))
    return _shuffled(builder, lane, [0] * count)


def _constant(kind: Any, byte: int) -> Any:
    return ir.Constant(kind, [byte] * kind.count)
