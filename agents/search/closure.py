"""Best-first search of all that can be done before the next draw.

Moves that do not touch the waste can as well be made after a draw, when one card more is known.
So a draw is only considered in the position that the search begins with and in positions that the
play of a waste card has just made: the *exits*. Everything that search finds beyond an exit without
another waste play speaks for the exit, whose value is the best of all positions found behind it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.evaluation import FACTS
from agents.search.ledger import (
    ledger_dtype,
    open_ledger,
    set_weights,
    total_value,
    update_keys,
    update_value,
)
from agents.search.moves import list_search_moves, make_search_move, new_move_list
from agents.search.network import LAYERS
from qv_env import engine
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key
from qv_env.sizes import FULL, Sizes

ROOT: Final = 0
WON: Final = 1e9
MOST_ARMS: Final = 64
ARM_INPUTS: Final = len(FACTS) + 2  # facts, cards in the stock, value
_MOST_ACTIONS: Final = 256
_TABLE_SPACE: Final = 4  # slots of the transposition table for each node


def workspace(nodes: int, sizes: Sizes = FULL) -> Any:
    """Return room for searches of up to ``nodes`` positions, one record of shape ``(1,)``."""
    slots = _slots_for(nodes)
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
            ("weights", np.float64, (len(FACTS),)),  # for the stock of this search
            ("ledgers", ledger_dtype(sizes), (nodes,)),
            ("layers", LAYERS),
            ("actions", np.int16, (_MOST_ACTIONS,)),
            ("scratch", engine.state_dtype(sizes), (1,)),
            ("playing", engine.state_dtype(sizes), (1,)),
            ("slots", np.int64),  # of the transposition table, as many as this search needs
            ("won", np.int32),
            ("count", np.int32),
            ("arm_count", np.int64),
            ("arms", np.int64, (MOST_ARMS,)),  # exits to choose from
            ("arm_inputs", np.float32, (MOST_ARMS, ARM_INPUTS)),
            ("ranks", np.float64, (MOST_ARMS,)),
            ("estimates", np.float64, (MOST_ARMS,)),  # of playouts' results
            ("totals", np.float64, (MOST_ARMS,)),  # of playouts' results
            ("worths", np.float64, (MOST_ARMS,)),  # means of playouts' results
            ("looked_at", np.int64),  # positions of all searches so far, for whoever counts them
            ("playouts", np.int64),
        ],
    )


@kernel
def _slots_for(nodes: int) -> int:
    """Return the size of a transposition table for so many positions, a power of two."""
    slots = _TABLE_SPACE
    while slots < _TABLE_SPACE * nodes:
        slots *= 2
    return slots


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
    room["slots"] = _slots_for(nodes)
    room["keys"][: room["slots"]] = 0
    room["states"][ROOT] = state
    room["parents"][ROOT] = -1
    room["exits"][ROOT] = ROOT
    set_weights(room, state, weights)
    open_ledger(room["ledgers"][ROOT], state, room)
    room["values"][ROOT] = total_value(room["ledgers"][ROOT], state, room)
    room["best"][ROOT] = room["values"][ROOT]
    room["behind"][ROOT] = ROOT
    room["heap"][0] = ROOT
    room["count"] = 1
    room["won"] = ROOT if engine.is_won(state) else -1
    add_key(room["keys"][: room["slots"]], canonical_key(state))
    waiting = 1
    while waiting > 0 and room["count"] < nodes and room["won"] < 0:
        node = pop(room["heap"], waiting, room["values"])
        waiting = expand(room, node, waiting - 1, nodes)
    room["looked_at"] += room["count"]
    if room["won"] >= 0:
        return int(room["won"])
    best = ROOT
    for node in range(room["count"]):
        if room["exits"][node] == node and room["best"][node] > room["best"][best]:
            best = node
    return best


@separate_kernel
def expand(room: Any, node: int, waiting: int, nodes: int) -> int:
    """Add the successors of a node that are new, and return how many nodes wait in the heap."""
    moves, states, ledgers = room["list"], room["states"], room["ledgers"]
    keys = room["keys"][: room["slots"]]
    total = list_search_moves(states[node], moves)
    for k in range(total):
        child = room["count"]
        if child == nodes:
            break
        source, destination = int(moves[k, 0]), int(moves[k, 1])
        states[child] = states[node]
        waste_before = states[node]["waste_count"]
        make_search_move(states[child], source, destination, room["actions"], 0)
        ledgers[child] = ledgers[node]
        ledger = ledgers[child]
        if not add_key(keys, update_keys(ledger, states[child], states[node])):
            continue
        room["count"] = child + 1
        room["parents"][child] = node
        moves_made = room["moves"]
        moves_made[child, 0], moves_made[child, 1] = source, destination
        is_exit = states[child]["waste_count"] < waste_before
        exit_node = child if is_exit else room["exits"][node]
        room["exits"][child] = exit_node
        value = update_value(ledger, states[child], states[node], room)
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
