"""The value of a position, worked out pile by pile.

A move changes a pile or two, and the marks of a pile depend on its cards and on the foundations
alone. So the sum of their weights is remembered for each pile that a search meets, and only what
ties piles together is worked out anew.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search import foresight
from agents.search.foresight import (
    mark_column,
    mark_foundations,
    mark_tops,
    mark_waste,
    note_column,
    note_waits,
    note_waste,
    start_places,
    sum_weights,
)
from qv_env.cards import SUITS
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import column_key, waste_key
from qv_env.sizes import FULL

SLOTS: Final = 1 << 12  # piles remembered; a new one takes the place of an old one
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_TO_SLOT: Final = np.uint64(64 - (SLOTS - 1).bit_length())

PILE: Final = np.dtype(
    [("value", np.float32), ("efforts", np.uint16, (FULL.column_limit,))]  # see `foresight`
)
MEMORY: Final = np.dtype(
    [
        ("keys", np.uint64, (SLOTS,)),
        ("piles", PILE, (SLOTS,)),
        ("scratch", foresight.SCRATCH),
    ]
)


@separate_kernel
def forget(memory: Any) -> None:
    """Start anew, for other weights or another stock."""
    memory["keys"][:] = 0


@separate_kernel
def value_of(state: Any, context: Any, weights: Any, memory: Any) -> float:
    """Return a position's value.

    Args:
        state: The position.
        context: A `foresight.CONTEXT` record, right for its stock.
        weights: float32 of shape ``(foresight.MARKS,)``, right for the size of its stock.
        memory: A `MEMORY` record, of which `forget` has been asked since context or weights
            changed.
    """
    scratch = memory["scratch"]
    start_places(context, scratch)
    ground = foundations_key(state)
    total = 0.0
    for c in range(state["columns"].shape[0]):
        if state["heights"][c] == 0:
            continue
        key = (column_key(state, c) ^ ground) * _MIX
        slot = key >> _TO_SLOT
        pile = memory["piles"][slot]
        if memory["keys"][slot] != key:
            memory["keys"][slot] = key
            note_waits(state, scratch)
            count = mark_column(state, c, scratch, 0)
            pile["value"] = sum_weights(scratch["marks"], count, weights)
            for level in range(state["heights"][c]):
                pile["efforts"][level] = scratch["efforts"][level]
        total += pile["value"]
        note_column(state, c, pile["efforts"], scratch)
    key = (waste_key(state) ^ ground) * _MIX
    slot = key >> _TO_SLOT
    pile = memory["piles"][slot]
    if memory["keys"][slot] != key:
        memory["keys"][slot] = key
        note_waits(state, scratch)
        pile["value"] = sum_weights(scratch["marks"], mark_waste(state, scratch, 0), weights)
    total += pile["value"]
    note_waste(state, scratch)
    count = mark_tops(state, scratch, mark_foundations(state, scratch, 0))
    return total + sum_weights(scratch["marks"], count, weights)


@kernel
def foundations_key(state: Any) -> Any:
    """Return a hash of the pairs of heights of the foundations of each suit."""
    code = np.uint64(0)
    for suit in range(SUITS):
        left, right = state["foundations"][suit], state["foundations"][suit + SUITS]
        code = code << np.uint64(8) | np.uint64(max(left, right) << 4 | min(left, right))
    return code * _MIX
