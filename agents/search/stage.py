"""One stage of a beam: all that can be done between two draws, from one position of many.

As in `agents.search.closure`, a draw is only considered where the search begins and where a waste
card has just been played, the *exits*. Three more things keep the positions of a beam apart:

- All searches of a stage share one table of positions, so that none goes where another has been.
- A waste card is not played after a move that might as well come after it.
- An exit that another exit reaches without a further waste play counts as behind that one.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from agents.search.closure import pop, push
from agents.search.foresight import SCRATCH, value_of
from agents.search.moves import list_search_moves, make_search_move, new_move_list
from qv_env import engine
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key
from qv_env.sizes import FULL

ROOT: Final = 0
_MOST_ACTIONS: Final = 256
_TABLE_SPACE: Final = 4


NODE: Final = np.dtype(
    [
        ("state", engine.STATE),
        ("parent", np.int32),
        ("source", np.uint8),
        ("destination", np.uint8),
        ("exit", np.int32),  # the exit that the node lies behind
        ("best", np.float64),  # of exits: the best value behind them
        ("behind", np.int32),  # of exits: the node of that value
    ]
)


class StageRoom(NamedTuple):
    """Room for the search of one stage from one position.

    Attributes:
        nodes: Positions looked at, in the order in which they were found; `NODE`.
        values: Their values.
        heap: Those that wait.
        keys: Their keys, hashed.
        places: The node of each key.
        list: Room for search moves.
        actions: Room for actions.
        playing: Room for a state.
        scratch: A `SCRATCH` record, as an array of one.
        counters: `COUNT` and `WON`.
    """

    nodes: Any
    values: Any
    heap: Any
    keys: Any
    places: Any
    list: Any
    actions: Any
    playing: Any
    scratch: Any
    counters: Any


COUNT: Final = 0  # nodes in the room
WON: Final = 1  # the won node, or -1


def stage_room(nodes: int) -> StageRoom:
    """Return room for searches of up to ``nodes`` positions."""
    slots = 1 << (max(nodes, 2) * _TABLE_SPACE - 1).bit_length()
    return StageRoom(
        nodes=np.zeros(nodes, NODE),
        values=np.zeros(nodes),
        heap=np.zeros(nodes, np.int32),
        keys=np.zeros(slots, np.uint64),
        places=np.zeros(slots, np.int32),
        list=new_move_list(FULL.columns),
        actions=np.zeros(_MOST_ACTIONS, np.int16),
        playing=np.zeros(1, engine.STATE),
        scratch=np.zeros(1, SCRATCH),
        counters=np.zeros(2, np.int64),
    )


@kernel
def find_slot(keys: Any, key: Any) -> int:
    """Return the slot of a key in a table, or the free slot where it would go."""
    last = keys.shape[0] - 1
    slot = int(key >> np.uint64(20)) & last
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@separate_kernel
def search_stage(room: Any, state: Any, context: Any, weights: Any, nodes: int, seen: Any) -> int:
    """Search from a position, in which all safe moves have been made, until nodes run out.

    Args:
        room: A `stage_room` record.
        state: Where the search begins.
        context: See `agents.search.foresight.value_of`.
        weights: The same.
        nodes: Most positions to look at, at most what the room holds.
        seen: Keys of the positions that earlier searches of the stage have reached.

    Returns:
        Number of positions looked at, 0 if the first of them is known already.
    """
    room.counters[WON] = -1
    room.counters[COUNT] = 0
    key = canonical_key(state) | np.uint64(1)
    if seen[find_slot(seen, key)] == key:
        return 0
    room.keys[:] = 0
    slot = find_slot(room.keys, key)
    room.keys[slot], room.places[slot] = key, ROOT
    room.nodes[ROOT]["state"] = state
    room.nodes[ROOT]["parent"] = -1
    room.nodes[ROOT]["exit"] = ROOT
    room.values[ROOT] = value_of(state, context, weights, room.scratch[0])
    room.nodes[ROOT]["best"] = room.values[ROOT]
    room.nodes[ROOT]["behind"] = ROOT
    room.heap[0] = ROOT
    room.counters[COUNT] = 1
    if engine.is_won(state):
        room.counters[WON] = ROOT
    waiting = 1
    while waiting > 0 and room.counters[COUNT] < nodes and room.counters[WON] < 0:
        node = pop(room.heap, waiting, room.values)
        waiting -= 1
        total = list_search_moves(room.nodes[node]["state"], room.list)
        for k in range(total):
            if room.counters[COUNT] == nodes or room.counters[WON] >= 0:
                break
            source, destination = int(room.list[k, 0]), int(room.list[k, 1])
            if is_late(room, node, source, destination):
                continue
            waiting = add_child(room, node, source, destination, context, weights, seen, waiting)
    return int(room.counters[COUNT])


@kernel
def is_late(room: Any, node: int, source: int, destination: int) -> bool:
    """Return whether a move plays a waste card that the move before it did not wait for."""
    nodes = room.nodes
    waste = nodes[node]["state"]["columns"].shape[0]
    if node == ROOT or source != waste:
        return False
    parent = room.nodes[node]["parent"]
    came_from, went_to = int(nodes[node]["source"]), int(nodes[node]["destination"])
    if came_from == waste or destination == came_from or destination == went_to:
        return False
    before, now = nodes[parent]["state"], nodes[node]["state"]
    if before["waste_count"] != now["waste_count"]:
        return False
    if destination > waste:
        return before["wants"][destination] == now["wants"][destination]
    return before["heights"][destination] == now["heights"][destination]


@separate_kernel
def add_child(
    room: Any,
    node: int,
    source: int,
    destination: int,
    context: Any,
    weights: Any,
    seen: Any,
    waiting: int,
) -> int:
    """Make a search move, add the position if it is new, and return how many wait in the heap."""
    nodes, child = room.nodes, room.counters[COUNT]
    nodes[child]["state"] = nodes[node]["state"]
    waste_before = nodes[node]["state"]["waste_count"]
    make_search_move(nodes[child]["state"], source, destination, room.actions, 0)
    is_exit = nodes[child]["state"]["waste_count"] < waste_before
    key = canonical_key(nodes[child]["state"]) | np.uint64(1)
    slot = find_slot(room.keys, key)
    if room.keys[slot] == key:
        if not is_exit:
            join(room, room.places[slot], node)
        return waiting
    if seen[find_slot(seen, key)] == key:
        return waiting
    room.keys[slot], room.places[slot] = key, child
    room.counters[COUNT] = child + 1
    room.nodes[child]["parent"] = node
    nodes[child]["source"], nodes[child]["destination"] = source, destination
    exit_node = child if is_exit else exit_of(room, node)
    room.nodes[child]["exit"] = exit_node
    value = value_of(nodes[child]["state"], context, weights, room.scratch[0])
    room.values[child] = value
    if is_exit or value > room.nodes[exit_node]["best"]:
        room.nodes[exit_node]["best"] = value
        room.nodes[exit_node]["behind"] = child
    if engine.is_won(nodes[child]["state"]):
        room.counters[WON] = child
        return waiting
    return push(room.heap, waiting, room.values, child)


@kernel
def exit_of(room: Any, node: int) -> int:
    """Return the exit that a node lies behind; exits that were joined to others pass on."""
    at = room.nodes[node]["exit"]
    while room.nodes[at]["exit"] != at:
        at = room.nodes[at]["exit"]
    return at


@kernel
def join(room: Any, node: int, from_node: int) -> None:
    """Count an exit as behind another one, from which it has been reached."""
    joined = room.nodes[node]
    if joined["exit"] != node:
        return
    exit_node = exit_of(room, from_node)
    if exit_node == node:
        return
    joined["exit"] = exit_node
    to = room.nodes[exit_node]
    if joined["best"] > to["best"]:
        to["best"], to["behind"] = joined["best"], joined["behind"]
