"""Looking at every position that can be reached, with nothing left out but what is proven useless.

Three things keep the positions few; ``docs/solver.md`` proves that none of them changes whether a
deal can be won:

- a card both of whose next lower ones are on foundations goes up at once (rule R1);
- a draw is only made after a draw, after a waste play, or at the start (rule R5);
- positions that differ by the order of columns or of equal cards are one (rule R6).

Every other legal move is made, all take-backs among them. Positions are told apart by two hashes,
together of 128 bits.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from agents.search.moves import NO_PILE, foundation_for
from qv_env import engine
from qv_env.cards import NO_CARD
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key, write_canonical_mask
from qv_env.sizes import FULL, Sizes

EXHAUSTED: Final = -1
LIMITED: Final = -2
STOPPED: Final = -3

_MOST_DEPTH: Final = 20_000  # moves in a row
_TABLE_SPACE: Final = 2
_STOP_EVERY: Final = 1 << 10  # positions between two looks at the stop flag
_STEP: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_MIX: Final = np.uint64(0x165667B19E3779F9)
_WASTE: Final = np.uint64(0x27D4EB2F165667C5)
_FORCED: Final = 2  # a bit of `open`: the move made at this depth is one of rule R1
_SEEN: Final = 1  # found, but no draw has been made from it
_OPEN: Final = 2  # found, and a draw has been made from it


class ExhaustiveRoom(NamedTuple):
    """Room for a search.

    Attributes:
        keys: Two hashes of each position found, uint64 of shape ``(slots, 2)``.
        flags: `_SEEN` or `_OPEN` for each, uint8.
        masks: The moves yet to be made at each depth.
        actions: The move being made at each depth.
        changes: Its score, which undoing it needs.
        open: Whether a draw is allowed at each depth.
        found: Number of positions found, as an array of one.
    """

    keys: Any
    flags: Any
    masks: Any
    actions: Any
    changes: Any
    open: Any
    found: Any


def exhaustive_room(limit: int, sizes: Sizes = FULL) -> ExhaustiveRoom:
    """Return room for searches of up to ``limit`` positions."""
    slots = _slots(limit)
    return ExhaustiveRoom(
        keys=np.zeros((slots, 2), np.uint64),
        flags=np.zeros(slots, np.uint8),
        masks=np.zeros((_MOST_DEPTH, sizes.actions), np.int8),
        actions=np.zeros(_MOST_DEPTH, np.int16),
        changes=np.zeros(_MOST_DEPTH, np.int32),
        open=np.zeros(_MOST_DEPTH, np.uint8),
        found=np.zeros(1, np.int64),
    )


def exhaustive_bytes(limit: int, sizes: Sizes = FULL) -> int:
    """Return how many bytes such a room takes."""
    return _slots(limit) * 17 + _MOST_DEPTH * (sizes.actions + 7)


def _slots(limit: int) -> int:
    return 1 << (_TABLE_SPACE * limit - 1).bit_length()


@separate_kernel
def search_all(room: Any, state: Any, limit: int, stop: Any) -> int:
    """Search a position until a win is found or every position behind it is known.

    Args:
        room: An `exhaustive_room` for the sizes of the state.
        state: The position; it is changed, and restored where no win is found.
        limit: Most positions, at most what the room is for.
        stop: uint8 of shape ``(1,)``; once another thread sets it, the search gives up.

    Returns:
        Number of moves of the win, which lie in ``room.actions``; `EXHAUSTED` if there is none;
        `LIMITED` or `STOPPED` if the search was not finished.
    """
    room.flags[:] = 0
    room.found[0] = 0
    room.open[0] = 1
    depth = 0
    _enter(room, state, 0)
    while depth >= 0:
        if engine.is_won(state):
            return depth
        if room.found[0] >= limit or depth + 1 >= _MOST_DEPTH:
            return LIMITED
        if room.found[0] % _STOP_EVERY == 0 and stop[0]:
            return STOPPED
        action = _next_action(room.masks[depth])
        if action < 0:
            depth -= 1
            if depth >= 0:
                engine.undo(state, int(room.actions[depth]), int(room.changes[depth]))
            continue
        waste_plays = engine.source_of(state, action) == state["columns"].shape[0]
        room.actions[depth] = action
        room.changes[depth] = engine.apply(state, action)
        forced = room.open[depth] >= _FORCED
        room.open[depth + 1] = action == 0 or waste_plays or (forced and room.open[depth] & 1)
        depth += 1
        _enter(room, state, depth)
    return EXHAUSTED


@kernel
def _next_action(mask: Any) -> int:
    """Return the last action of a mask and remove it: moves come before draws."""
    for action in range(mask.shape[0] - 1, -1, -1):
        if mask[action]:
            mask[action] = 0
            return action
    return -1


@separate_kernel
def _enter(room: Any, state: Any, depth: int) -> None:
    """Write which moves are to be made from a position: none if it is known."""
    mask = room.masks[depth]
    forced = free_card(state)
    if forced != NO_PILE:
        mask[:] = 0
        goal = foundation_for(state, state["tops"][forced])
        mask[engine.action_of(state, forced, goal)] = 1
        room.open[depth] |= _FORCED
        return
    can_draw = room.open[depth] & 1
    slot = _slot_of(room.keys, room.flags, canonical_key(state), second_key(state))
    known = room.flags[slot]
    if known == _OPEN or (known == _SEEN and not can_draw):
        mask[:] = 0
        return
    room.flags[slot] = _OPEN if can_draw else _SEEN
    if known == _SEEN:
        mask[:] = 0
        mask[0] = state["stock_count"] > 0
        return
    room.found[0] += 1
    write_canonical_mask(state, mask)
    if not can_draw:
        mask[0] = 0


@kernel
def free_card(state: Any) -> int:
    """Return a pile whose top goes up by rule R1, or `NO_PILE`."""
    suits, ranks = state["unseen"].shape
    for pile in range(state["columns"].shape[0] + 1):
        card = state["tops"][pile]
        if card == NO_CARD:
            continue
        suit, rank = (card - 1) // ranks, (card - 1) % ranks
        left, right = state["foundations"][suit], state["foundations"][suit + suits]
        if min(left, right) >= rank and foundation_for(state, card) != NO_PILE:
            return pile
    return NO_PILE


@kernel
def _slot_of(keys: Any, flags: Any, first: Any, second: Any) -> int:
    """Return the slot of a position; where it has none, a free one that now holds its keys."""
    last = keys.shape[0] - 1
    slot = int(first >> np.uint64(20)) & last
    while flags[slot] != 0 and (keys[slot, 0] != first or keys[slot, 1] != second):
        slot = (slot + 1) & last
    keys[slot, 0], keys[slot, 1] = first, second
    return slot


@kernel
def second_key(state: Any) -> Any:
    """Return another hash of a position, alike for symmetric ones; see `canonical_key`."""
    total = _hash(state["waste"], int(state["waste_count"]), _WASTE)
    for c in range(state["heights"].shape[0]):
        total += _hash(state["columns"][c], int(state["heights"][c]), _STEP)
    return total + np.uint64(state["stock_count"]) * _MIX


@kernel
def _hash(cards: Any, count: int, seed: Any) -> Any:
    code = np.uint64(seed)
    for k in range(count):
        code = (code ^ (np.uint64(cards[k]) + _STEP)) * _MIX
        code ^= code >> np.uint64(31)
    return code
