"""One stage of a beam: all that can be done between two draws, from many positions at once.

As in `agents.search.closure`, a draw is only considered where the search begins and where a waste
card has just been played, the *exits*. All positions of a stage share one table and one queue, so
that none is looked at twice and the best ones are followed first, wherever they come from. Two
more things keep the exits of a stage apart:

- A waste card is not played after a move that might as well come after it, unless draws may be made
  from anywhere.
- An exit that another exit reaches without a further waste play counts as behind that one.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from agents.search.closure import pop, push
from agents.search.moves import list_search_moves, make_safe_moves, make_search_move, new_move_list
from agents.search.pile_values import MEMORY, forget, value_of
from qv_env import engine
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key
from qv_env.sizes import FULL

NOWHERE: Final = -1
FROM_BEST: Final = 0  # draws are made from the best position behind each exit
FROM_ALL: Final = 1  # from any position
_MOST_ACTIONS: Final = 256
_TABLE_SPACE: Final = 2
_STOP_EVERY: Final = 64  # positions followed between two looks at the stop flag


NODE: Final = np.dtype(
    [
        ("state", engine.STATE),
        ("parent", np.int32),
        ("depth", np.uint16),  # search moves from its root
        ("source", np.uint8),
        ("destination", np.uint8),
        ("root", np.int32),  # the position of the frontier that it comes from
        ("exit", np.int32),  # the exit that the node lies behind
        ("behind", np.int32),  # of exits: the best node behind them
        ("best", np.float64),  # of exits: its value
    ]
)


class StageRoom(NamedTuple):
    """Room for the search of one stage.

    Attributes:
        nodes: Positions looked at, in the order in which they were found; `NODE`.
        values: Their values.
        heap: Those that wait.
        keys: Their keys, hashed.
        places: The node of each key.
        followed: How many positions of each root have been followed.
        list: Room for search moves.
        actions: Room for actions.
        playing: Room for a state.
        memory: A `MEMORY` record, as an array of one.
        counters: `COUNT` and `WON`.
    """

    nodes: Any
    values: Any
    heap: Any
    keys: Any
    places: Any
    followed: Any
    list: Any
    actions: Any
    playing: Any
    memory: Any
    counters: Any


COUNT: Final = 0  # nodes in the room
WON: Final = 1  # the won node, or `NOWHERE`


def stage_room(width: int, nodes: int) -> StageRoom:
    """Return room for searches of up to ``nodes`` positions from ``width`` ones."""
    slots = _slots(nodes)
    return StageRoom(
        nodes=np.zeros(nodes, NODE),
        values=np.zeros(nodes),
        heap=np.zeros(nodes, np.int32),
        keys=np.zeros(slots, np.uint64),
        places=np.zeros(slots, np.int32),
        followed=np.zeros(width, np.int32),
        list=new_move_list(FULL.columns),
        actions=np.zeros(_MOST_ACTIONS, np.int16),
        playing=np.zeros(1, engine.STATE),
        memory=np.zeros(1, MEMORY),
        counters=np.zeros(2, np.int64),
    )


def part_of(room: StageRoom, nodes: int) -> StageRoom:
    """Return the part of a room that searches of fewer positions use.

    Clearing a large table would take longer than a small search.
    """
    slots = _slots(nodes)
    return room._replace(keys=room.keys[:slots], places=room.places[:slots])


def stage_bytes(nodes: int) -> int:
    """Return how many bytes the room for so many positions takes."""
    return nodes * (NODE.itemsize + 12) + _slots(nodes) * 12


def _slots(nodes: int) -> int:
    return 1 << (_TABLE_SPACE * nodes - 1).bit_length()


@kernel
def find_slot(keys: Any, key: Any) -> int:
    """Return the slot of a key in a table, or the free slot where it would go."""
    last = keys.shape[0] - 1
    slot = int(key >> np.uint64(20)) & last
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot


@separate_kernel
def search_stage(
    room: Any,
    frontier: Any,
    size: int,
    context: Any,
    weights: Any,
    nodes: int,
    each: int,
    depth: int,
    drawing: int,
    stop: Any,
) -> None:
    """Search from the first ``size`` positions of a frontier until nodes run out.

    Args:
        room: A `stage_room` record.
        frontier: Where the search begins; safe moves are made there.
        size: At most what the room and ``nodes`` allow.
        context: See `agents.search.pile_values.value_of`.
        weights: The same.
        nodes: Most positions to look at, at most what the room holds.
        each: Most positions to follow from each position of the frontier.
        depth: Most search moves to make from there.
        drawing: `FROM_BEST` or `FROM_ALL`; for the latter late waste plays are made too.
        stop: uint8 of shape ``(1,)``; as soon as another thread sets it, the search gives up.
    """
    room.keys[:] = 0
    forget(room.memory[0])
    room.counters[WON] = NOWHERE
    room.counters[COUNT] = 0
    waiting = 0
    for root in range(size):
        make_safe_moves(frontier[root], room.actions, 0)
        waiting = add_root(room, frontier[root], root, context, weights, waiting)
    turns = 0
    while waiting > 0 and room.counters[COUNT] < nodes and room.counters[WON] < 0:
        turns += 1
        if turns % _STOP_EVERY == 0 and stop[0]:
            return
        node = pop(room.heap, waiting, room.values)
        waiting -= 1
        root = room.nodes[node]["root"]
        if room.followed[root] == each or room.nodes[node]["depth"] == depth:
            continue
        room.followed[root] += 1
        total = list_search_moves(room.nodes[node]["state"], room.list)
        for k in range(total):
            if room.counters[COUNT] == nodes or room.counters[WON] >= 0:
                break
            source, destination = int(room.list[k, 0]), int(room.list[k, 1])
            if drawing == FROM_ALL or not is_late(room, node, source, destination):
                waiting = add_child(room, node, source, destination, context, weights, waiting)


@separate_kernel
def add_root(room: Any, state: Any, root: int, context: Any, weights: Any, waiting: int) -> int:
    """Add a position of the frontier, and return how many nodes wait in the heap."""
    room.followed[root] = 0
    key = canonical_key(state) | np.uint64(1)
    slot = find_slot(room.keys, key)
    if room.keys[slot] == key:
        return waiting
    node = room.counters[COUNT]
    room.counters[COUNT] = node + 1
    room.keys[slot], room.places[slot] = key, node
    record = room.nodes[node]
    record["state"] = state
    record["parent"], record["depth"], record["root"] = NOWHERE, 0, root
    record["exit"], record["behind"] = node, node
    record["best"] = value_of(state, context, weights, room.memory[0])
    room.values[node] = record["best"]
    if engine.is_won(state):
        room.counters[WON] = node
    return push(room.heap, waiting, room.values, node)


@kernel
def is_late(room: Any, node: int, source: int, destination: int) -> bool:
    """Return whether a move plays a waste card that the move before it did not wait for."""
    nodes = room.nodes
    waste = nodes[node]["state"]["columns"].shape[0]
    parent = room.nodes[node]["parent"]
    if parent == NOWHERE or source != waste:
        return False
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
    room: Any, node: int, source: int, destination: int, context: Any, weights: Any, waiting: int
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
    room.keys[slot], room.places[slot] = key, child
    room.counters[COUNT] = child + 1
    nodes[child]["parent"], nodes[child]["root"] = node, nodes[node]["root"]
    nodes[child]["depth"] = nodes[node]["depth"] + 1
    nodes[child]["source"], nodes[child]["destination"] = source, destination
    exit_node = child if is_exit else exit_of(room, node)
    nodes[child]["exit"] = exit_node
    value = value_of(nodes[child]["state"], context, weights, room.memory[0])
    room.values[child] = value
    if is_exit or value > nodes[exit_node]["best"]:
        nodes[exit_node]["best"] = value
        nodes[exit_node]["behind"] = child
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
