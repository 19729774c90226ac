"""A staged beam over the draws, for a stock that is known.

Every stage is one draw. The positions of the *frontier* draw, the search between two draws
(`agents.search.closure`) finds the exits of each, and the best of all exits are the next frontier.
What is cut off is a guess, so a beam finds wins and proves nothing.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.closure import ROOT, add_key, search
from agents.search.moves import make_safe_moves, make_search_move
from agents.search.playout import copy_state
from qv_env import engine
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key
from qv_env.sizes import FULL, Sizes

MOST_MOVES: Final = 60  # search moves of one stage
_POOL_SHARE: Final = 4  # room for exits of a stage, in frontiers
_TABLE_SPACE: Final = 4
NOT_WON: Final = -1
STOPPED: Final = -2


def beam_room(width: int, sizes: Sizes = FULL) -> Any:
    """Return room for beams of up to ``width`` positions, one record of shape ``(1,)``."""
    return np.zeros(1, _beam_dtype(width, sizes))


def room_bytes(width: int, sizes: Sizes = FULL) -> int:
    """Return how many bytes such a room takes."""
    return _beam_dtype(width, sizes).itemsize


def _beam_dtype(width: int, sizes: Sizes) -> np.dtype[np.void]:
    pool = _POOL_SHARE * width
    stages = sizes.stock + 1
    slots = 1 << (_TABLE_SPACE * pool - 1).bit_length()
    step = [("parent", np.int32), ("length", np.uint8), ("moves", np.uint8, (MOST_MOVES, 2))]
    entry = [("state", engine.state_dtype(sizes)), ("value", np.float64), *step]
    return np.dtype(
        [
            ("frontier", engine.state_dtype(sizes), (width,)),
            ("pool", entry, (pool,)),
            ("steps", step, (stages, width)),
            ("keys", np.uint64, (slots,)),
            ("nodes", np.int64),
            ("floor", np.float64),  # exits worth no more are not looked at
        ]
    )


@separate_kernel
def search_beam(
    beam: Any, room: Any, state: Any, weights: Any, width: int, nodes: int, stop: Any, path: Any
) -> int:
    """Search a deal for a win.

    Args:
        beam: A `beam_room` record.
        room: A `closure.workspace` record.
        state: The position to win from; it is not changed.
        weights: See `agents.search.evaluation.evaluate`.
        width: Most positions kept at each draw.
        nodes: Positions looked at from each of them.
        stop: uint8 of shape ``(1,)``; as soon as another thread sets it, the search gives up.
        path: Where the actions of a win are written, int16.

    Returns:
        Number of actions of the win, or `NOT_WON`, or `STOPPED`.
    """
    frontier, steps = beam["frontier"], beam["steps"]
    copy_state(frontier[0], state)
    size, stage = 1, 0
    beam["nodes"] = 0
    while True:
        beam["keys"][:] = 0
        beam["floor"] = -np.inf
        count = 0
        for i in range(size):
            if stop[0]:
                return STOPPED
            make_safe_moves(frontier[i], room["actions"], 0)
            goal = search(room, frontier[i], weights, nodes)
            beam["nodes"] += room["count"]
            if room["won"] >= 0:
                write_entry(room, goal, i, steps[stage, 0])
                return write_win(beam, stage, state, room["scratch"][0], path)
            count = gather_exits(beam, room, i, count, width)
        if state_is_dry(frontier[0]):
            return NOT_WON
        size = keep_best(beam["pool"], count, width)
        draw_all(beam, stage, size)
        stage += 1


@separate_kernel
def gather_exits(beam: Any, room: Any, parent: int, count: int, width: int) -> int:
    """Add the exits of a search to the pool of its stage, and return how many it holds."""
    pool, keys = beam["pool"], beam["keys"]
    for node in range(room["count"]):
        if room["exits"][node] != node or room["best"][node] <= beam["floor"]:
            continue
        if not add_key(keys, canonical_key(room["states"][node])):
            continue
        entry = pool[count]
        copy_state(entry["state"], room["states"][node])
        entry["value"] = room["best"][node]
        write_entry(room, node, parent, entry)
        count += 1
        if count == pool.shape[0]:
            count = keep_best(pool, count, width)
            beam["floor"] = lowest(pool, count)
            rebuild_keys(keys, pool, count)
    return count


@separate_kernel
def draw_all(beam: Any, stage: int, size: int) -> None:
    """Make the next frontier: draw from the first entries of the pool, and note their steps."""
    for k in range(size):
        entry, drawn, step = beam["pool"][k], beam["frontier"][k], beam["steps"][stage, k]
        copy_state(drawn, entry["state"])
        engine.move(drawn, drawn["tops"].shape[0], drawn["columns"].shape[0])
        step["parent"], step["length"] = entry["parent"], entry["length"]
        step["moves"][:] = entry["moves"]


@kernel
def state_is_dry(state: Any) -> bool:
    """Return whether a state has no card left to draw."""
    return bool(state["stock_count"] == 0)


@separate_kernel
def rebuild_keys(keys: Any, pool: Any, count: int) -> None:
    """Make the table of keys hold those of the pool alone."""
    keys[:] = 0
    for k in range(count):
        add_key(keys, canonical_key(pool[k]["state"]))


@separate_kernel
def write_entry(room: Any, node: int, parent: int, entry: Any) -> None:
    """Note which search moves lead to a node, and from which position of the frontier."""
    length = 0
    at = node
    while at != ROOT:
        length += 1
        at = room["parents"][at]
    entry["parent"], entry["length"] = parent, length
    at = node
    moves = entry["moves"]
    for k in range(min(length, MOST_MOVES) - 1, -1, -1):
        moves[k, 0], moves[k, 1] = room["moves"][at, 0], room["moves"][at, 1]
        at = room["parents"][at]


@separate_kernel
def lowest(pool: Any, count: int) -> float:
    """Return the lowest value in a pool."""
    value = np.inf
    for k in range(count):
        value = min(value, pool[k]["value"])
    return value


@separate_kernel
def keep_best(pool: Any, count: int, width: int) -> int:
    """Move the ``width`` best entries of a pool to its front, and return how many those are."""
    if count <= width:
        return count
    values = np.empty(count)
    for k in range(count):
        values[k] = pool[k]["value"]
    bar = np.partition(values, count - width)[count - width]
    kept = 0
    above = 0
    for k in range(count):
        above += values[k] > bar
    ties = width - above
    for k in range(count):
        if values[k] < bar or (values[k] == bar and ties == 0):
            continue
        ties -= values[k] == bar
        if kept != k:
            entry, source = pool[kept], pool[k]
            copy_state(entry["state"], source["state"])
            entry["value"] = source["value"]
            entry["parent"], entry["length"] = source["parent"], source["length"]
            entry["moves"][:] = source["moves"]
        kept += 1
    return kept


@separate_kernel
def write_win(beam: Any, stage: int, state: Any, scratch: Any, path: Any) -> int:
    """Write the actions from the start to a win; the last stage's step lies in place 0."""
    steps = beam["steps"]
    places = np.zeros(stage + 1, np.int64)
    place = 0
    for k in range(stage, 0, -1):
        place = steps[k, place]["parent"]
        places[k - 1] = place
    copy_state(scratch, state)
    count = 0
    for k in range(stage + 1):
        count = make_safe_moves(scratch, path, count)
        step = steps[k, places[k]]
        for m in range(step["length"]):
            source, destination = int(step["moves"][m, 0]), int(step["moves"][m, 1])
            count = make_search_move(scratch, source, destination, path, count)
        if k < stage:
            engine.move(scratch, scratch["tops"].shape[0], scratch["columns"].shape[0])
            path[count] = 0
            count += 1
    return count
