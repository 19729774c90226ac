"""Copies by vector instructions, against the same in plain Python."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from qv_env.lanes import LANES, copy_record, copy_row

RECORD = np.dtype([("number", np.int64), ("bytes", np.uint8, (93,))])


@pytest.mark.parametrize("count", [LANES, LANES + 1, 2 * LANES, 101])
def test_records_are_copied_as_far_as_asked_and_no_further(count: int) -> None:
    @numba.njit
    def copy(records: Any, target: Any) -> None:
        copy_record(records[1], count, target)

    source = np.arange(2 * RECORD.itemsize, dtype=np.uint8).view(RECORD)
    compiled, plain = (np.full(RECORD.itemsize, 255, np.uint8) for _ in range(2))
    copy(source, compiled)
    copy_record(source[1], count, plain)
    assert np.array_equal(compiled, plain)
    assert compiled[:count].tobytes() == source[1].tobytes()[:count]
    assert (compiled[count:] == 255).all()


def test_a_row_of_a_table_is_copied_to_its_place() -> None:
    @numba.njit
    def copy(table: Any, row: int, target: Any, at: int) -> None:
        copy_row(table, row, target, at)

    table = np.arange(5 * LANES, dtype=np.uint8).reshape(5, LANES)
    compiled, plain = (np.full(50, 255, np.uint8) for _ in range(2))
    copy(table, 3, compiled, 7)
    copy_row(table, 3, plain, 7)
    assert np.array_equal(compiled, plain)
    assert compiled[7 : 7 + LANES].tolist() == table[3].tolist()
    assert (np.delete(compiled, range(7, 7 + LANES)) == 255).all()
