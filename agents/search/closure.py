"""Best-first search of all that can be done before the next draw.

Moves that do not touch the waste can as well be made after a draw, when one card more is known.
So a draw is only considered in the position that the search begins with and in positions that the
play of a waste card has just made: the *exits*. Everything that search finds beyond an exit without
another waste play speaks for the exit, whose value is the best of all positions found behind it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.evaluation import FACTS, evaluate
from agents.search.moves import list_search_moves, make_search_move, new_move_list
from qv_env import engine
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key
from qv_env.sizes import FULL, Sizes

ROOT: Final = 0
WON: Final = 1e9
_MOST_ACTIONS: Final = 256
_TABLE_SPACE: Final = 4  # slots of the transposition table for each node


def workspace(nodes: int, sizes: Sizes = FULL) -> Any:
    """Return room for searches of up to ``nodes`` positions, one record of shape ``(1,)``."""
    slots = 1 << (max(nodes, 2) * _TABLE_SPACE - 1).bit_length()
    return np.zeros(
        1,
        [
            ("states", engine.state_dtype(sizes), (nodes,)),
            ("parents", np.int32, (nodes,)),
            ("moves", np.uint8, (nodes, 2)),
            ("exits", np.int32, (nodes,)),  # the exit that the node lies behind
            ("values", np.float64, (nodes,)),
            ("best", np.float64, (nodes,)),  # of exits: the best value behind them
            ("behind", np.int32, (nodes,)),  # of exits: the node of that value
            ("heap", np.int32, (nodes,)),
            ("keys", np.uint64, (slots,)),
            ("list", np.uint8, new_move_list(sizes.columns).shape),
            ("facts", np.float64, (len(FACTS),)),
            ("actions", np.int16, (_MOST_ACTIONS,)),
            ("scratch", engine.state_dtype(sizes), (1,)),
            ("playing", engine.state_dtype(sizes), (1,)),
            ("won", np.int32),
            ("count", np.int32),
        ],
    )


@separate_kernel
def search(room: Any, state: Any, weights: Any, nodes: int) -> int:
    """Search from a position, in which all safe moves have been made, until nodes run out.

    Args:
        room: A `workspace` record.
        state: Where the search begins.
        weights: See `agents.search.evaluation.evaluate`.
        nodes: Most positions to look at, at most what the workspace holds.

    Returns:
        The exit with the best value; where a win was found, the won node.
    """
    room["keys"][:] = 0
    room["states"][ROOT] = state
    room["parents"][ROOT] = -1
    room["exits"][ROOT] = ROOT
    room["values"][ROOT] = evaluate(state, weights, room["facts"])
    room["best"][ROOT] = room["values"][ROOT]
    room["behind"][ROOT] = ROOT
    room["heap"][0] = ROOT
    room["count"] = 1
    room["won"] = ROOT if engine.is_won(state) else -1
    add_key(room["keys"], canonical_key(state))
    waiting = 1
    while waiting > 0 and room["count"] < nodes and room["won"] < 0:
        node = pop(room["heap"], waiting, room["values"])
        waiting = expand(room, node, waiting - 1, weights, nodes)
    if room["won"] >= 0:
        return int(room["won"])
    best = ROOT
    for node in range(room["count"]):
        if room["exits"][node] == node and room["best"][node] > room["best"][best]:
            best = node
    return best


@separate_kernel
def expand(room: Any, node: int, waiting: int, weights: Any, nodes: int) -> int:
    """Add the successors of a node that are new, and return how many nodes wait in the heap."""
    moves, states = room["list"], room["states"]
    total = list_search_moves(states[node], moves)
    for k in range(total):
        child = room["count"]
        if child == nodes:
            break
        source, destination = int(moves[k, 0]), int(moves[k, 1])
        states[child] = states[node]
        waste_before = states[node]["waste_count"]
        make_search_move(states[child], source, destination, room["actions"], 0)
        if not add_key(room["keys"], canonical_key(states[child])):
            continue
        room["count"] = child + 1
        room["parents"][child] = node
        moves_made = room["moves"]
        moves_made[child, 0], moves_made[child, 1] = source, destination
        is_exit = states[child]["waste_count"] < waste_before
        exit_node = child if is_exit else room["exits"][node]
        room["exits"][child] = exit_node
        value = evaluate(states[child], weights, room["facts"])
        room["values"][child] = value
        if is_exit or value > room["best"][exit_node]:
            room["best"][exit_node] = value
            room["behind"][exit_node] = child
        if engine.is_won(states[child]):
            room["won"] = child
            break
        waiting = push(room["heap"], waiting, room["values"], child)
    return waiting


@separate_kernel
def write_path(room: Any, node: int, path: Any, count: int) -> int:
    """Write the actions that lead from the root of a search to a node.

    Args:
        room: The workspace after a search.
        node: Where to go.
        path: Where the actions are written, from index ``count`` on; int16.
        count: Number of actions written before.

    Returns:
        Number of actions written after.
    """
    length = 0
    at = node
    while at != ROOT:
        room["heap"][length] = at
        length += 1
        at = room["parents"][at]
    scratch = room["scratch"]
    scratch[0] = room["states"][ROOT]
    for k in range(length - 1, -1, -1):
        step = room["heap"][k]
        source, destination = int(room["moves"][step, 0]), int(room["moves"][step, 1])
        count = make_search_move(scratch[0], source, destination, path, count)
    return count


@kernel
def add_key(keys: Any, key: Any) -> bool:
    """Add a position's key to a table, and return whether it is new."""
    last = keys.shape[0] - 1
    key = key | np.uint64(1)  # zero marks a free slot
    slot = int(key >> np.uint64(20)) & last
    while keys[slot] != 0:
        if keys[slot] == key:
            return False
        slot = (slot + 1) & last
    keys[slot] = key
    return True


@kernel
def push(heap: Any, size: int, values: Any, node: int) -> int:
    """Add a node to a binary heap with the largest value first, and return the new size."""
    at = size
    while at > 0:
        parent = (at - 1) // 2
        if values[heap[parent]] >= values[node]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = node
    return size + 1


@kernel
def pop(heap: Any, size: int, values: Any) -> int:
    """Take the node with the largest value from a heap; the caller counts it down."""
    top = heap[0]
    last = heap[size - 1]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size - 1:
            break
        if child + 1 < size - 1 and values[heap[child + 1]] > values[heap[child]]:
            child += 1
        if values[last] >= values[heap[child]]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return int(top)
