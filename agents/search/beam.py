"""A staged beam over the draws, for a stock that is known.

Every stage is one draw. The positions of the *frontier* draw, the search between two draws
(`agents.search.stage`) finds the exits of each, and the best of all exits are the next frontier.
What is cut off is a guess, so a beam finds wins and proves nothing.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from agents.chance import below, mix
from agents.search.closure import add_key
from agents.search.foresight import CONTEXT, EXTRAS, MARKS, look_ahead
from agents.search.moves import make_safe_moves, make_search_move
from agents.search.playout import copy_state
from agents.search.rollout import roll_out
from agents.search.stage import COUNT, ROOT, WON, search_stage
from qv_env import engine
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import canonical_key
from qv_env.sizes import FULL

MOST_MOVES: Final = 40  # search moves of one stage; exits that need more are left out
MOST_LAST_MOVES: Final = 400  # of the time after the last draw
_POOL_SHARE: Final = 4  # room for exits of a stage, in frontiers
_TABLE_SPACE: Final = 2
_LEAST_NODES: Final = 2  # a position and one after it
SAMPLE: Final = 16
NODES: Final = 0  # positions looked at
CARDS: Final = 1  # most cards on the foundations at the end of a line


_STEP: Final = [("parent", np.int32), ("length", np.uint8), ("moves", np.uint8, (MOST_MOVES, 2))]
STEP: Final = np.dtype(_STEP)
ENTRY: Final = np.dtype([("state", engine.STATE), ("value", np.float64), *_STEP])


class BeamRoom(NamedTuple):
    """Room for beams.

    Attributes:
        frontier: The positions of a stage.
        pool: Exits of a stage; `ENTRY`.
        steps: How each position of the frontier was reached; `STEP`, by stage and place.
        last_moves: The search moves after the last draw.
        passed: A sample of the positions of each stage, whether kept or not; empty if not wanted.
        sizes: Positions in the frontier after each stage.
        seen: Keys of all positions of a stage, hashed.
        context: A `CONTEXT` record, as an array of one.
        weights: Those of the stage.
        counters: `NODES` and `CARDS`.
        floor: Exits worth no more are not looked at; as an array of one.
    """

    frontier: Any
    pool: Any
    steps: Any
    last_moves: Any
    passed: Any
    sizes: Any
    seen: Any
    context: Any
    weights: Any
    counters: Any
    floor: Any


def beam_room(width: int, nodes: int, *, sample: bool = False) -> BeamRoom:
    """Return room for beams of up to ``width`` positions."""
    stages = FULL.stock + 1
    return BeamRoom(
        frontier=np.zeros(width, engine.STATE),
        pool=np.zeros(_POOL_SHARE * width, ENTRY),
        steps=np.zeros((stages, width), STEP),
        last_moves=np.zeros((MOST_LAST_MOVES, 2), np.uint8),
        passed=np.zeros((stages if sample else 0, SAMPLE), engine.STATE),
        sizes=np.zeros(stages, np.int32),
        seen=np.zeros(_slots(width, nodes), np.uint64),
        context=np.zeros(1, CONTEXT),
        weights=np.zeros(MARKS + EXTRAS, np.float32),
        counters=np.zeros(2, np.int64),
        floor=np.zeros(1),
    )


def part_of(room: BeamRoom, width: int, nodes: int) -> BeamRoom:
    """Return the part of a room that beams of a smaller width use.

    What a beam finds depends on the size of its room, and so must not on the beams before it.
    """
    return room._replace(
        frontier=room.frontier[:width],
        pool=room.pool[: _POOL_SHARE * width],
        seen=room.seen[: _slots(width, nodes)],
    )


def _slots(width: int, nodes: int) -> int:
    return 1 << (_TABLE_SPACE * width * nodes - 1).bit_length()


def room_bytes(width: int, nodes: int) -> int:
    """Return how many bytes such a room takes."""
    stages = FULL.stock + 1
    entry = engine.STATE.itemsize + _POOL_SHARE * ENTRY.itemsize + stages * STEP.itemsize
    return width * entry + _slots(width, nodes) * np.dtype(np.uint64).itemsize


@separate_kernel
def search_beam(
    beam: Any,
    room: Any,
    last_room: Any,
    state: Any,
    weights: Any,
    width: int,
    nodes: int,
    stop: Any,
    path: Any,
) -> int:
    """Search a deal for a win.

    Args:
        beam: A `beam_room` record.
        room: A `stage.stage_room`.
        last_room: Another one, for the time after the last draw, when there is no stage after it.
        state: The position to win from; it is not changed.
        weights: float32 of shape ``(knots, MARKS)``, from an empty to a full stock.
        width: Most positions kept at each draw.
        nodes: Positions looked at from each of them.
        stop: uint8 of shape ``(1,)``; as soon as another thread sets it, the search gives up.
        path: Where the actions are written of the line that brings most cards to the foundations,
            int16. It is a win if ``counters[CARDS]`` says so.

    Returns:
        Number of actions of the line; 0 if the search was stopped before it had one.
    """
    frontier = beam.frontier
    copy_state(frontier[0], state)
    size, stage = 1, 0
    beam.counters[:] = 0
    beam.sizes[:] = 0
    while frontier[0]["stock_count"] > 0:
        start_stage(beam, weights)
        count = 0
        for i in range(size):
            if stop[0]:
                return 0
            make_safe_moves(frontier[i], room.actions, 0)
            found = search_stage(room, frontier[i], beam.context[0], beam.weights, nodes, beam.seen)
            beam.counters[NODES] += found
            if beam.passed.shape[0] > 0:
                sample_exits(beam, room, stage)
            count = gather_exits(beam, room, i, count, width)
        size = keep_best(beam.pool, count, width)
        draw_all(beam, stage, size)
        beam.sizes[stage] = size
        stage += 1
    start_stage(beam, weights)
    return finish(beam, last_room, state, stage, size, stop, path)


@separate_kernel
def finish(beam: Any, room: Any, state: Any, stage: int, size: int, stop: Any, path: Any) -> int:
    """Search from all positions of the last frontier, the best first; see `search_beam`."""
    frontier, nodes = beam.frontier, room.nodes.shape[0]
    left = beam.seen.shape[0] // _TABLE_SPACE  # never fills the table
    length = 0
    for i in range(size):
        if stop[0] or left < _LEAST_NODES:
            break
        make_safe_moves(frontier[i], room.actions, 0)
        found = search_stage(
            room, frontier[i], beam.context[0], beam.weights, min(nodes, left), beam.seen
        )
        beam.counters[NODES] += found
        left -= found
        for node in range(found):
            add_key(beam.seen, canonical_key(room.nodes[node]["state"]))
            cards = engine.foundation_cards(room.nodes[node]["state"])
            if cards <= beam.counters[CARDS]:
                continue
            steps = write_moves(room, node, beam.last_moves)
            if steps <= MOST_LAST_MOVES:
                beam.counters[CARDS] = cards
                length = write_line(beam, stage, i, steps, state, room.playing[0], path)
        if room.counters[WON] >= 0:
            break
    return length


@separate_kernel
def start_stage(beam: Any, weights: Any) -> None:
    """Forget the positions of the stage before, and look at what is left of the stock."""
    state = beam.frontier[0]
    beam.seen[:] = 0
    beam.floor[0] = -np.inf
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
def gather_exits(beam: Any, room: Any, parent: int, count: int, width: int) -> int:
    """Add the exits of a search to the pool of its stage, and return how many it holds."""
    pool, seen = beam.pool, beam.seen
    total = room.counters[COUNT]
    for node in range(total):
        add_key(seen, canonical_key(room.nodes[node]["state"]))
    for node in range(total):
        if room.nodes[node]["exit"] != node:
            continue
        value = room.nodes[node]["best"] + prospects(beam, room, room.nodes[node]["behind"])
        if value <= beam.floor[0]:
            continue
        entry = pool[count]
        copy_state(entry["state"], room.nodes[node]["state"])
        entry["value"] = value
        length = write_moves(room, node, entry["moves"])
        if length > MOST_MOVES:
            continue
        entry["parent"], entry["length"] = parent, length
        count += 1
        if count == pool.shape[0]:
            count = keep_best(pool, count, width)
            beam.floor[0] = lowest(pool, count)
    return count


@separate_kernel
def prospects(beam: Any, room: Any, node: int) -> float:
    """Return what it is worth that a position goes some way by itself."""
    state = room.playing[0]
    copy_state(state, room.nodes[node]["state"])
    cards = roll_out(state)
    empty = 0
    for c in range(state["heights"].shape[0]):
        empty += state["heights"][c] == 0
    weights = beam.weights
    return float(
        weights[MARKS] * cards
        + weights[MARKS + 1] * state["waste_count"]
        + weights[MARKS + 2] * empty
    )


@separate_kernel
def sample_exits(beam: Any, room: Any, stage: int) -> None:
    """Keep the best position behind some of the exits, each as likely as any other."""
    total = room.counters[COUNT]
    if total == 0:
        return
    other = np.int64(below(mix(np.uint64(stage), beam.counters[NODES]), total))
    for node in range(total):
        if room.nodes[node]["exit"] != node and node != other:
            continue
        beam.sizes[stage] += 1
        place = np.int64(beam.sizes[stage] - 1)
        if place >= SAMPLE:
            bits = mix(np.uint64(place), beam.counters[NODES])
            place = np.int64(below(bits, beam.sizes[stage]))
        if place < SAMPLE:
            source = node if node == other else room.nodes[node]["behind"]
            copy_state(beam.passed[stage, place], room.nodes[source]["state"])


@separate_kernel
def draw_all(beam: Any, stage: int, size: int) -> None:
    """Make the next frontier: draw from the first entries of the pool, and note their steps."""
    values = np.empty(size)
    for k in range(size):
        values[k] = -beam.pool[k]["value"]
    order = np.argsort(values)
    for k in range(size):
        entry, drawn, step = beam.pool[order[k]], beam.frontier[k], beam.steps[stage, k]
        copy_state(drawn, entry["state"])
        piles = drawn["tops"].shape[0]
        engine.move(drawn, piles, drawn["columns"].shape[0])
        step["parent"], step["length"] = entry["parent"], entry["length"]
        step["moves"][:] = entry["moves"]


@separate_kernel
def write_moves(room: Any, node: int, moves: Any) -> int:
    """Write the search moves that lead to a node, if there is room, and return their number."""
    length = 0
    at = node
    while at != ROOT:
        length += 1
        at = room.nodes[at]["parent"]
    if length > moves.shape[0]:
        return length
    at = node
    for k in range(length - 1, -1, -1):
        moves[k, 0], moves[k, 1] = room.nodes[at]["source"], room.nodes[at]["destination"]
        at = room.nodes[at]["parent"]
    return length


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
            pool[kept] = pool[k]
        kept += 1
    return kept


@separate_kernel
def write_line(
    beam: Any, stage: int, place: int, last: int, state: Any, scratch: Any, path: Any
) -> int:
    """Write the actions from the start to a position of the last frontier and on from there.

    Args:
        beam: The beam.
        stage: The last stage.
        place: The position's place in its frontier.
        last: How many of the last moves to make.
        state: The start.
        scratch: Room for a state.
        path: Where the actions are written.

    Returns:
        Number of actions.
    """
    places = np.zeros(stage + 1, np.int64)
    places[stage] = place
    for k in range(stage, 0, -1):
        places[k - 1] = beam.steps[k - 1, places[k]]["parent"]
    copy_state(scratch, state)
    count = 0
    for k in range(stage):
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
