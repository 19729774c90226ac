"""Making a win shorter, or worth more points.

A *shortcut* leads from one position of a win to a later one in fewer moves than the win took. They
are looked for breadth first from every position, among a limited number of positions. Positions
are compared as the canonical key does, and so the moves after a shortcut may have to be made
between other columns that hold the same cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from agents.search.stage import find_slot
from qv_env import engine
from qv_env.actions import ACTIONS
from qv_env.jit import separate_kernel
from qv_env.mask import canonical_key, write_canonical_mask
from qv_env.sizes import FULL

REACH: Final = 3000  # positions looked at from each position of a win
_TABLE_SPACE: Final = 4
_NUMBER: Final = {(a.source, a.destination): n for n, a in enumerate(ACTIONS)}


class _Room(NamedTuple):
    """Room for the search of shortcuts; the numbers of positions are their order of discovery."""

    states: Any
    parents: Any
    actions: Any
    depths: Any
    keys: Any
    line_keys: Any
    line_places: Any
    mask: Any


def shortened(
    state: np.void, actions: Sequence[int], stop: Any, reach: int = REACH
) -> tuple[int, ...]:
    """Return a win that is at most as long as a given one.

    Args:
        state: The position that the win begins with; it is not changed.
        actions: The win.
        stop: uint8 of shape ``(1,)``; once another thread sets it, what was found is enough.
        reach: Positions looked at from each position of the win.
    """
    line = list(actions)
    ply = 0
    while ply < len(line) and not stop[0]:
        found = _shortcut(state, line, ply, reach)
        if found is None:
            ply += 1
        else:
            line = found
    return tuple(line)


def worth_more(state: np.void, actions: Sequence[int]) -> tuple[int, ...]:
    """Return a win worth at least as many points, by way of columns.

    A card that goes from the waste to a foundation while a column would take it goes there first,
    which is worth 5 points more and takes a move more.
    """
    state, line = state.copy(), []
    for action in actions:
        for step in _by_way_of_a_column(state, action):
            engine.apply(state, step)
            line.append(step)
    return tuple(line)


def points(state: np.void, actions: Sequence[int]) -> int:
    """Return the score after some actions from a position."""
    state = state.copy()
    for action in actions:
        engine.apply(state, action)
    return int(state["score"])


def _by_way_of_a_column(state: np.void, action: int) -> list[int]:
    source, destination = ACTIONS[action].source, ACTIONS[action].destination
    if source != FULL.waste_pile or destination < FULL.columns:
        return [action]
    for column in range(FULL.columns):
        first = _NUMBER[source, column]
        if engine.is_legal(state, first):
            return [first, _NUMBER[column, destination]]
    return [action]


def _shortcut(state: np.void, line: list[int], ply: int, reach: int) -> list[int] | None:
    """Return the win with the shortcut that saves most from a ply on, or None if there is none."""
    states = np.zeros(len(line) + 1, engine.STATE)
    states[0] = state
    for k, action in enumerate(line):
        states[k + 1] = states[k]
        engine.apply(states[k + 1], action)
    room = _room(reach, len(line))
    node, target = _search(room, states, ply, reach)
    if node < 0:
        return None
    detour: list[int] = []
    end = room.states[node]
    while node != 0:
        detour.append(int(room.actions[node]))
        node = int(room.parents[node])
    piles = _piles(states[target], end)
    rest = (_NUMBER[piles[ACTIONS[a].source], piles[ACTIONS[a].destination]] for a in line[target:])
    return [*line[:ply], *reversed(detour), *rest]


def _room(reach: int, length: int) -> _Room:
    slots = 1 << (_TABLE_SPACE * reach - 1).bit_length()
    line_slots = 1 << (_TABLE_SPACE * (length + 1) - 1).bit_length()
    return _Room(
        states=np.zeros(reach, engine.STATE),
        parents=np.zeros(reach, np.int32),
        actions=np.zeros(reach, np.int16),
        depths=np.zeros(reach, np.int32),
        keys=np.zeros(slots, np.uint64),
        line_keys=np.zeros(line_slots, np.uint64),
        line_places=np.zeros(line_slots, np.int32),
        mask=np.zeros(FULL.actions, np.int8),
    )


@separate_kernel
def _search(room: Any, line: Any, ply: int, reach: int) -> tuple[int, int]:
    """Return the end of the shortcut that saves most, and its ply in the line; or two -1."""
    for k in range(ply, line.shape[0]):
        key = canonical_key(line[k]) | np.uint64(1)
        slot = find_slot(room.line_keys, key)
        room.line_keys[slot], room.line_places[slot] = key, k
    room.states[0] = line[ply]
    count, at = 1, 0
    best, node, target = 0, -1, -1
    while at < count < reach:
        write_canonical_mask(room.states[at], room.mask)
        for action in range(room.mask.shape[0]):
            if not room.mask[action] or count == reach:
                continue
            room.states[count] = room.states[at]
            engine.apply(room.states[count], action)
            key = canonical_key(room.states[count]) | np.uint64(1)
            slot = find_slot(room.keys, key)
            if room.keys[slot] == key:
                continue
            room.keys[slot] = key
            room.parents[count], room.actions[count] = at, action
            room.depths[count] = room.depths[at] + 1
            slot = find_slot(room.line_keys, key)
            if room.line_keys[slot] == key:
                saved = room.line_places[slot] - ply - room.depths[count]
                if saved > best:
                    best, node, target = saved, count, room.line_places[slot]
            count += 1
        at += 1
    return node, target


def _piles(one: np.void, other: np.void) -> list[int]:
    """Return which pile of a position holds what each pile of a symmetric one holds."""
    piles = list(range(FULL.stock_pile + 1))
    free = list(range(FULL.columns))
    for c in range(FULL.columns):
        same = next(d for d in free if np.array_equal(one["columns"][c], other["columns"][d]))
        free.remove(same)
        piles[c] = same
    first = FULL.columns + 1
    for suit in range(FULL.suits):
        left, right = first + suit, first + suit + FULL.suits
        if one["foundations"][suit] != other["foundations"][suit]:
            piles[left], piles[right] = right, left
    return piles
