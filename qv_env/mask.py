"""Which actions are legal, as a row of zeros and ones, and which positions are the same.

Two masks exist. The *legal* mask has a 1 for everything the rules allow. The *canonical* mask
keeps one move of each set that differs only by symmetry: it drops the right one of two equally
high twin foundations, every empty column but the leftmost, and the move of a column's only card
to an empty column. It is empty only where the legal mask is: with an empty column on the table,
some column has two cards or the waste has one, and that card can go there; or else every card
left lies alone in its column, and the lowest of them can go up.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env.engine import action_of
from qv_env.jit import kernel
from qv_env.matching import write_moves

_HASH_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_HASH_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
_WASTE_SEED: Final = np.uint64(0xA0761D6478BD642F)


@kernel
def write_mask(state: Any, mask: Any) -> bool:
    """Write the legal mask, int8 of shape ``(269,)``; return whether anything is legal."""
    mask[0] = state["stock_count"] > 0
    movable = write_moves(state, mask)
    return movable or state["stock_count"] > 0


@kernel
def write_canonical_mask(state: Any, mask: Any) -> None:
    """Write the canonical mask, int8 of shape ``(269,)``."""
    write_mask(state, mask)
    keep_canonical(state, mask)


@kernel
def keep_canonical(state: Any, mask: Any) -> None:
    """Remove from a legal mask the moves that another one equals by symmetry."""
    heights, foundations = state["heights"], state["foundations"]
    column_count = heights.shape[0]
    first_empty = column_count
    for c in range(column_count):
        if heights[c] == 0:
            if first_empty == column_count:
                first_empty = c
                _drop_lone_cards_to(state, mask, c)
            else:
                _drop_moves_to(state, mask, c)
    suits = foundations.shape[0] // 2
    for f in range(suits, foundations.shape[0]):
        if foundations[f] == foundations[f - suits]:
            pile = column_count + 1 + f
            _drop_moves_to(state, mask, pile)
            for c in range(column_count):
                mask[action_of(state, pile, c)] = 0


@kernel
def _drop_lone_cards_to(state: Any, mask: Any, empty_column: int) -> None:
    """Remove the moves of a column's only card to an empty column."""
    heights = state["heights"]
    for source in range(heights.shape[0]):
        if heights[source] == 1:
            mask[action_of(state, source, empty_column)] = 0


@kernel
def _drop_moves_to(state: Any, mask: Any, pile: int) -> None:
    """Remove every move to a column or a foundation."""
    column_count = state["heights"].shape[0]
    sources = state["tops"].shape[0] if pile < column_count else column_count + 1
    for source in range(sources):
        if source != pile:
            mask[action_of(state, source, pile)] = 0


@kernel
def drop_take_backs(state: Any, mask: Any) -> None:
    """Remove the moves from a foundation to a column from a mask."""
    for action in range(mask.shape[0] - take_back_count(state), mask.shape[0]):
        mask[action] = 0


@kernel
def take_back_count(state: Any) -> int:
    """Return how many of the last actions of the table are take-backs."""
    return state["foundations"].shape[0] * state["columns"].shape[0]


@kernel
def any_set(mask: Any) -> bool:
    """Return whether a mask allows anything."""
    some = np.int8(0)
    for action in range(mask.shape[0]):
        some = np.int8(some | mask[action])
    return some != 0


@kernel
def canonical_form(state: Any, form: Any) -> None:
    """Write a position so that symmetric positions of one deal come out equal.

    Columns are sorted, twin foundations are ordered by height. The score and the counter of moves
    are left out, and so is the order of the stock, which the deal and the stock's count fix.

    Args:
        state: The state to describe.
        form: uint8 of shape ``(10 * 16 + 64 + 8 + 1,)``: columns, waste, foundations, stock count.
    """
    columns = state["columns"]
    column_count, limit = columns.shape[0], columns.shape[1]
    for c in range(column_count):
        place = 0
        for other in range(column_count):
            place += _column_before(columns, other, c)
        for level in range(limit):
            form[place * limit + level] = columns[c, level]
    at = column_count * limit
    for k in range(state["waste"].shape[0]):
        form[at] = state["waste"][k]
        at += 1
    suits = state["foundations"].shape[0] // 2
    for suit in range(suits):
        left, right = state["foundations"][suit], state["foundations"][suits + suit]
        form[at] = min(left, right)
        form[at + suits] = max(left, right)
        at += 1
    form[at + suits] = state["stock_count"]


@kernel
def _column_before(columns: Any, a: int, b: int) -> bool:
    """Return whether column ``a`` sorts before ``b``; equal columns sort by their place."""
    for level in range(columns.shape[1]):
        if columns[a, level] != columns[b, level]:
            return columns[a, level] < columns[b, level]
    return a < b


@kernel
def canonical_key(state: Any) -> Any:
    """Return a 64-bit hash of the canonical form, the same for symmetric positions (uint64).

    Columns are hashed one by one and added, so that their order does not matter. Foundations need
    no place in it: the cards that are missing elsewhere fix the pair of heights of each suit.
    """
    total = waste_key(state)
    for c in range(state["columns"].shape[0]):
        total += column_key(state, c)
    return finish_key(total, state)


@kernel
def column_key(state: Any, c: int) -> Any:
    """Return a column's part of the key."""
    return _hash_pile(state["columns"][c], state["heights"][c], _HASH_STEP)


@kernel
def waste_key(state: Any) -> Any:
    """Return the waste's part of the key."""
    return _hash_pile(state["waste"], state["waste_count"], _WASTE_SEED)


@kernel
def finish_key(total: Any, state: Any) -> Any:
    """Return the key, given the sum of the parts of all columns and of the waste."""
    total += np.uint64(state["stock_count"]) * _HASH_MIX
    total ^= total >> np.uint64(32)
    total *= _HASH_MIX
    return total ^ (total >> np.uint64(32))


@kernel
def _hash_pile(cards: Any, count: int, seed: Any) -> Any:
    code = np.uint64(seed)
    for k in range(count):
        code = (code ^ np.uint64(cards[k])) * _HASH_MIX
        code ^= code >> np.uint64(29)
    return code
