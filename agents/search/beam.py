"""A staged beam over the draws, for a stock that is known.

Every stage is one draw. From the positions of the *frontier* one search finds what can be done
before the next draw (`agents.search.stage`); the best of all exits are drawn from and make the next
frontier. What is cut off is a guess, so a beam finds wins and proves nothing.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from agents.chance import below, mix
from agents.search import stage
from agents.search.foresight import CONTEXT, MARKS, look_ahead
from agents.search.moves import make_safe_moves, make_search_move
from agents.search.playout import copy_state
from agents.search.stage import COUNT, FROM_ALL, NOWHERE, search_stage
from qv_env import engine
from qv_env.jit import array_kernel, kernel, separate_kernel
from qv_env.sizes import FULL

MOST_MOVES: Final = 40  # search moves of one stage, from each position
MOST_LAST_MOVES: Final = 400  # of the time after the last draw
LEAST_LAST: Final = 4_000  # positions looked at after the last draw, at least
SAMPLE: Final = 16
NODES: Final = 0  # positions looked at
CARDS: Final = 1  # most cards on the foundations at the end of a line


STEP: Final = np.dtype(
    [("parent", np.int32), ("length", np.uint8), ("moves", np.uint8, (MOST_MOVES, 2))]
)


class BeamRoom(NamedTuple):
    """Room for beams.

    Attributes:
        frontier: The positions of a stage.
        exits: The nodes of a stage to draw from.
        values: Their values.
        steps: How each position of the frontier was reached; `STEP`, by stage and place.
        last_moves: The search moves after the last draw.
        passed: A sample of the positions of each stage, whether kept or not; empty if not wanted.
        sizes: Positions in the frontier after each stage.
        context: A `CONTEXT` record, as an array of one.
        weights: Those of the stage.
        counters: `NODES` and `CARDS`.
    """

    frontier: Any
    exits: Any
    values: Any
    steps: Any
    last_moves: Any
    passed: Any
    sizes: Any
    context: Any
    weights: Any
    counters: Any


class Limits(NamedTuple):
    """What a beam leaves out.

    Attributes:
        width: Most positions kept at each draw.
        nodes: Positions looked at between two draws, for each of these.
        each: Most positions followed from each of them.
        drawing: `stage.FROM_BEST` or `stage.FROM_ALL`: which positions may be drawn from.
    """

    width: int
    nodes: int
    each: int
    drawing: int


def most_nodes(width: int, nodes: int) -> int:
    """Return how many positions beams look at in one stage, at most."""
    return max(LEAST_LAST, width * nodes)


def beam_room(width: int, nodes: int, *, sample: bool = False) -> BeamRoom:
    """Return room for beams of up to ``width`` positions and ``nodes`` for each of them."""
    stages = FULL.stock + 1
    return BeamRoom(
        frontier=np.zeros(width, engine.STATE),
        exits=np.zeros(most_nodes(width, nodes), np.int32),
        values=np.zeros(most_nodes(width, nodes)),
        steps=np.zeros((stages, width), STEP),
        last_moves=np.zeros((MOST_LAST_MOVES, 2), np.uint8),
        passed=np.zeros((stages if sample else 0, SAMPLE), engine.STATE),
        sizes=np.zeros(stages, np.int32),
        context=np.zeros(1, CONTEXT),
        weights=np.zeros(MARKS, np.float32),
        counters=np.zeros(2, np.int64),
    )


def room_bytes(width: int, nodes: int) -> int:
    """Return how many bytes the room for a beam and for its stages takes."""
    each = engine.STATE.itemsize + (FULL.stock + 1) * STEP.itemsize
    most = most_nodes(width, nodes)
    return width * each + most * 12 + stage.stage_bytes(most)


@separate_kernel
def search_beam(
    beam: Any,
    room: Any,
    last_room: Any,
    state: Any,
    weights: Any,
    limits: Any,
    stop: Any,
    path: Any,
) -> int:
    """Search a deal for a win.

    Args:
        beam: A `beam_room` record.
        room: A `stage.stage_room`, whose size of tables fits ``width * nodes`` positions.
        last_room: The same room, with tables for `most_nodes`: for the time after the last draw.
        state: The position to win from; it is not changed.
        weights: float32 of shape ``(knots, MARKS)``, from an empty to a full stock.
        limits: `Limits`.
        stop: uint8 of shape ``(1,)``; as soon as another thread sets it, the search gives up.
        path: Where the actions are written of the line that brings most cards to the foundations,
            int16. It is a win if ``counters[CARDS]`` says so.

    Returns:
        Number of actions of the line; 0 if the search was stopped before it had one.
    """
    frontier, context = beam.frontier, beam.context[0]
    width, nodes, each, drawing = limits
    copy_state(frontier[0], state)
    size, at = 1, 0
    beam.counters[:] = 0
    beam.sizes[:] = 0
    while frontier[0]["stock_count"] > 0:
        start_stage(beam, weights)
        most = width * nodes
        search_stage(
            room, frontier, size, context, beam.weights, most, each, MOST_MOVES, drawing, stop
        )
        beam.counters[NODES] += room.counters[COUNT]
        if stop[0]:
            return 0
        if beam.passed.shape[0] > 0:
            sample_exits(beam, room, at)
        size = keep_best(beam, gather_exits(beam, room, drawing), width)
        draw_all(beam, room, at, size)
        beam.sizes[at] = size
        at += 1
    start_stage(beam, weights)
    most = max(LEAST_LAST, width * nodes)
    search_stage(
        last_room,
        frontier,
        size,
        context,
        beam.weights,
        most,
        most,
        MOST_LAST_MOVES,
        drawing,
        stop,
    )
    beam.counters[NODES] += last_room.counters[COUNT]
    return write_best(beam, last_room, at, state, path)


@separate_kernel
def start_stage(beam: Any, weights: Any) -> None:
    """Look at what is left of the stock."""
    state = beam.frontier[0]
    look_ahead(state, beam.context[0])
    mix_weights(state, weights, beam.weights)


@kernel
def mix_weights(state: Any, weights: Any, mixed: Any) -> None:
    """Work out the weights for the size of a state's stock: a straight line between two knots."""
    spans = weights.shape[0] - 1
    at = spans * state["stock_count"] / state["stock"].shape[0]
    low = min(int(at), spans - 1)
    share = np.float32(at - low)
    for k in range(mixed.shape[0]):
        mixed[k] = weights[low, k] + share * (weights[low + 1, k] - weights[low, k])


@separate_kernel
def gather_exits(beam: Any, room: Any, drawing: int) -> int:
    """Note the positions to draw from and their values, and return how many there are."""
    count = 0
    for node in range(room.counters[COUNT]):
        if drawing == FROM_ALL or room.nodes[node]["exit"] == node:
            drawn_from = node if drawing == FROM_ALL else room.nodes[node]["behind"]
            beam.exits[count], beam.values[count] = drawn_from, room.values[drawn_from]
            count += 1
    return count


@array_kernel
def keep_best(beam: Any, count: int, width: int) -> int:
    """Move the ``width`` best exits to the front, the best first, and return how many those are."""
    order = np.argsort(-beam.values[:count])[:width]
    beam.exits[: order.shape[0]] = beam.exits[order]
    return order.shape[0]


@separate_kernel
def sample_exits(beam: Any, room: Any, at: int) -> None:
    """Keep the best position behind some of the exits, each as likely as any other."""
    for node in range(room.counters[COUNT]):
        if room.nodes[node]["exit"] != node:
            continue
        beam.sizes[at] += 1
        place = np.int64(beam.sizes[at] - 1)
        if place >= SAMPLE:
            bits = mix(np.uint64(place), beam.counters[NODES])
            place = np.int64(below(bits, beam.sizes[at]))
        if place < SAMPLE:
            copy_state(beam.passed[at, place], room.nodes[room.nodes[node]["behind"]]["state"])


@separate_kernel
def draw_all(beam: Any, room: Any, at: int, size: int) -> None:
    """Make the next frontier: draw from the first of the positions noted."""
    for k in range(size):
        node = beam.exits[k]
        state, step = beam.frontier[k], beam.steps[at, k]
        copy_state(state, room.nodes[node]["state"])
        engine.move(state, state["tops"].shape[0], state["columns"].shape[0])
        step["parent"] = room.nodes[node]["root"]
        step["length"] = room.nodes[node]["depth"]
        write_moves(room, node, step["moves"])


@separate_kernel
def write_moves(room: Any, node: int, moves: Any) -> None:
    """Write the search moves that lead from the root of a node to it."""
    at = node
    for k in range(room.nodes[node]["depth"] - 1, -1, -1):
        moves[k, 0], moves[k, 1] = room.nodes[at]["source"], room.nodes[at]["destination"]
        at = room.nodes[at]["parent"]


@separate_kernel
def write_best(beam: Any, room: Any, at: int, state: Any, path: Any) -> int:
    """Write the line that brings most cards up, and return its number of actions."""
    best = NOWHERE
    for node in range(room.counters[COUNT]):
        cards = engine.foundation_cards(room.nodes[node]["state"])
        if cards > beam.counters[CARDS]:
            beam.counters[CARDS] = cards
            best = node
    if best == NOWHERE:
        return 0
    write_moves(room, best, beam.last_moves)
    length = int(room.nodes[best]["depth"])
    return write_line(beam, at, room.nodes[best]["root"], length, state, room.playing[0], path)


@array_kernel
def write_line(
    beam: Any, at: int, place: int, last: int, state: Any, scratch: Any, path: Any
) -> int:
    """Write the actions from the start to a position of the last frontier and on from there.

    Args:
        beam: The beam.
        at: The last stage.
        place: The position's place in its frontier.
        last: How many of the last moves to make.
        state: The start.
        scratch: Room for a state.
        path: Where the actions are written.

    Returns:
        Number of actions.
    """
    places = np.zeros(at + 1, np.int64)
    places[at] = place
    for k in range(at, 0, -1):
        places[k - 1] = beam.steps[k - 1, places[k]]["parent"]
    copy_state(scratch, state)
    count = 0
    for k in range(at):
        step = beam.steps[k, places[k + 1]]
        count = make_safe_moves(scratch, path, count)
        count = play(scratch, step["moves"], int(step["length"]), path, count)
        engine.move(scratch, scratch["tops"].shape[0], scratch["columns"].shape[0])
        path[count] = 0
        count += 1
    count = make_safe_moves(scratch, path, count)
    return play(scratch, beam.last_moves, last, path, count)


@separate_kernel
def play(state: Any, moves: Any, length: int, path: Any, count: int) -> int:
    """Make search moves, note their actions from ``path[count]`` on, and return the new count."""
    for m in range(length):
        count = make_search_move(state, int(moves[m, 0]), int(moves[m, 1]), path, count)
    return count
