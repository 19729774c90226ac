"""Vector instructions for kernels: many bytes at a time.

LLVM does not find them by itself where it matters here: for all it knows an array might lie inside
the record that is being read. So they are spelled out, as LLVM's own vectors, which it knows how to
compile for any processor. The functions that begin with ``copy_`` can be called in kernels and do
the same in plain Python. The others write instructions, for the intrinsics of `qv_env.matching`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from qv_env.jit import compiled_as, instructions

LANES: Final = 32
BYTE: Final = ir.IntType(8)
_INDEX: Final = ir.IntType(32)


def copy_record(record: Any, count: int, target: Any) -> None:
    """Copy the first bytes of a record into an array.

    Args:
        record: A record of any type.
        count: How many bytes, at least 32; a constant of the calling kernel.
        target: uint8 of shape ``(n,)`` with n >= count.
    """
    target[:count] = np.frombuffer(record, np.uint8, count)


@compiled_as(copy_record, literals=True)
def _copy_record(record: Any, count: Any, target: Any) -> Any:
    def copy(record: Any, count: Any, target: Any) -> None:
        _move_record(record, count, target)

    return copy


@instructions
def _move_record(_typing: Any, record: Any, count: Any, target: Any) -> Any:
    """Copy as many bytes at a time as there are lanes, the last time some of them once more."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        source, goal = (
            first_byte(builder, arguments[0]),
            data(context, builder, target, arguments[2]),
        )
        last = count.literal_value - LANES
        for at in [*range(0, last, LANES), last]:
            piece = load(builder, moved(builder, source, at), LANES)
            store(builder, piece, moved(builder, goal, at))
        return context.get_dummy_value()

    return types.void(record, count, target), generate


def copy_row(table: Any, row: int, target: Any, at: int) -> None:
    """Copy a row of a table into an array, ``target[at : at + 32]``.

    Args:
        table: uint8 of shape ``(n, 32)``.
        row: Which row.
        target: uint8 of shape ``(m,)`` with m >= at + 32.
        at: Where to.
    """
    target[at : at + LANES] = table[row]


@compiled_as(copy_row)
def _copy_row(table: Any, row: Any, target: Any, at: Any) -> Any:
    def copy(table: Any, row: Any, target: Any, at: Any) -> None:
        _move_row(table, np.int64(row), target, np.int64(at))

    return copy


@instructions
def _move_row(_typing: Any, table: Any, row: Any, target: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        source = data(context, builder, table, arguments[0])
        goal = data(context, builder, target, arguments[2])
        offset = builder.mul(arguments[1], ir.Constant(arguments[1].type, LANES))
        piece = load(builder, builder.gep(source, [offset]), LANES)
        store(builder, piece, builder.gep(goal, [arguments[3]]))
        return context.get_dummy_value()

    return types.void(table, row, target, at), generate


def first_byte(builder: Any, record: Any) -> Any:
    """Return a pointer to the first byte of a record."""
    return builder.bitcast(record, BYTE.as_pointer())


def data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Return a pointer to the first byte of an array of bytes, whose Numba type is ``kind``."""
    return context.make_array(kind)(context, builder, array).data


def moved(builder: Any, pointer: Any, offset: int) -> Any:
    """Return a pointer so many bytes further on."""
    return builder.gep(pointer, [ir.Constant(_INDEX, offset)])


def load(builder: Any, pointer: Any, count: int) -> Any:
    """Load so many bytes; lanes that are left over repeat the first."""
    kind = ir.VectorType(BYTE, count)
    loaded = builder.load(builder.bitcast(pointer, kind.as_pointer()), align=1)
    return shuffled(builder, loaded, filled(range(count)))


def store(builder: Any, lanes: Any, pointer: Any) -> None:
    """Store all lanes as bytes."""
    builder.store(lanes, builder.bitcast(pointer, lanes.type.as_pointer()), align=1)


def shuffled(builder: Any, lanes: Any, order: Sequence[int]) -> Any:
    """Return the lanes with these numbers, in this order."""
    mask = ir.Constant(ir.VectorType(_INDEX, len(order)), list(order))
    return builder.shuffle_vector(lanes, lanes, mask)


def filled(order: Sequence[int]) -> list[int]:
    """Return lane numbers for all lanes, the first one again where there are none."""
    return [*order, *[order[0]] * (LANES - len(order))]


def repeated(builder: Any, byte: Any) -> Any:
    """Return one byte in all lanes."""
    single = ir.Constant(ir.VectorType(BYTE, 1), ir.Undefined)
    lane = builder.insert_element(single, byte, ir.Constant(_INDEX, 0))
    return shuffled(builder, lane, filled([0]))


def constant(byte: int) -> Any:
    """Return a known byte in all lanes."""
    return ir.Constant(ir.VectorType(BYTE, LANES), [byte] * LANES)
