"""The parts of the solver's beams: the marks of positions, and the search between two draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.search import beam, foresight, pile_values, portfolio, stage
from agents.search.foresight_weights import load_foresight
from agents.search.moves import (
    list_search_moves,
    make_safe_moves,
    make_search_move,
    new_move_list,
)
from agents.solver import deal_state
from qv_env import engine
from qv_env.deals import Deal
from qv_env.mask import canonical_key

NEVER = np.zeros(1, np.uint8)
MANY = 1000


def positions(number: int, most: int) -> list[Any]:
    """Return positions of a deal, one before each draw, of which a random game plays some on."""
    rng = np.random.default_rng(number)
    state, moves, actions = (
        deal_state(Deal.from_number(number)),
        new_move_list(10),
        np.zeros(256, np.int16),
    )
    found: list[Any] = []
    while state["stock_count"] > 0 and len(found) < most:
        make_safe_moves(state, actions, 0)
        found.append(state.copy())
        for _ in range(2):
            total = list_search_moves(state, moves)
            if total > 0:
                source, destination = moves[rng.integers(total)].tolist()
                make_search_move(state, source, destination, actions, 0)
        engine.apply(state, 0)
    return found


def reached_plainly(state: Any) -> set[int]:
    """Return the keys of all positions that search moves lead to, up to `MANY`."""
    moves, actions = new_move_list(10), np.zeros(256, np.int16)
    keys, waiting = {int(canonical_key(state))}, [state]
    while waiting and len(keys) < MANY:
        at = waiting.pop()
        for source, destination in moves[: list_search_moves(at, moves)].tolist():
            after = at.copy()
            make_search_move(after, source, destination, actions, 0)
            if int(canonical_key(after)) not in keys:
                keys.add(int(canonical_key(after)))
                waiting.append(after)
    return keys


def searched(state: Any, nodes: int, drawing: int = stage.FROM_BEST) -> stage.StageRoom:
    room, frontier = stage.stage_room(1, nodes), np.array([state])
    context, weights = np.zeros(1, foresight.CONTEXT), np.zeros(foresight.MARKS, np.float32)
    foresight.look_ahead(state, context[0])
    beam.mix_weights(state, load_foresight()[0], weights)
    stage.search_stage(room, frontier, 1, context[0], weights, nodes, nodes, 400, drawing, NEVER)
    return room


def test_a_value_is_the_sum_of_the_weights_of_the_marks() -> None:
    weights = np.random.default_rng(1).normal(size=foresight.MARKS).astype(np.float32)
    context, scratch = np.zeros(1, foresight.CONTEXT)[0], np.zeros(1, foresight.SCRATCH)[0]
    memory = np.zeros(1, pile_values.MEMORY)[0]
    for state in positions(1, 64):
        foresight.look_ahead(state, context)
        count = foresight.list_marks(state, context, scratch)
        marks = scratch["marks"][:count]
        pile_values.forget(memory)
        value = pile_values.value_of(state, context, weights, memory)
        assert value == pytest.approx(float(weights[marks].sum()), abs=1e-3)
        names = list(foresight.TABLES)
        tables = np.searchsorted(list(foresight.FIRST.values()), marks, side="right") - 1
        borne = {names[t]: int((tables == t).sum()) for t in range(len(names))}
        cards = int(state["heights"].sum())
        assert borne["column_card"] == borne["column_cover"] == borne["column_joint"] == cards
        assert borne["waste_card"] == borne["waste_cover"] == state["waste_count"]
        assert borne["height"] == borne["end"] == np.count_nonzero(state["heights"])
        assert (borne["pair"], borne["waste"], borne["least_suit"]) == (4, 1, 1)


def test_remembered_piles_change_no_value() -> None:
    """Each position of a stage is worth what it is worth by itself."""
    context, scratch = np.zeros(1, foresight.CONTEXT)[0], np.zeros(1, foresight.SCRATCH)[0]
    weights = np.zeros(foresight.MARKS, np.float32)
    compared = 0
    for state in (state for number in range(60) for state in positions(number, 24)[::3]):
        foresight.look_ahead(state, context)
        beam.mix_weights(state, load_foresight()[0], weights)
        room = searched(state, 500, stage.FROM_ALL)
        for node in range(int(room.counters[stage.COUNT])):
            count = foresight.list_marks(room.nodes["state"][node], context, scratch)
            alone = float(weights[scratch["marks"][:count]].sum())
            assert room.values[node] == pytest.approx(alone, abs=1e-3)
            compared += 1
    assert compared > 2_000


def test_places_are_those_of_the_nearest_copies() -> None:
    context, scratch = np.zeros(1, foresight.CONTEXT)[0], np.zeros(1, foresight.SCRATCH)[0]
    state = deal_state(Deal.from_number(3))
    foresight.look_ahead(state, context)
    foresight.list_marks(state, context, scratch)
    for card in range(1, 53):
        near, far = scratch["nearest"][:, card].tolist()
        assert near <= far
        draws = (1 + np.flatnonzero(state["stock"] == card)).tolist()
        if card in state["tops"][:10]:
            assert near >> 5 == 0  # no effort
        if len(draws) == 2:
            assert [near >> 5, far >> 5] == [2 * draws[0], 2 * draws[1]]


def test_a_stage_reaches_all_that_moves_reach() -> None:
    """Leaving out late waste plays loses no position."""
    compared = 0
    for number in range(30):
        for state in positions(number, 24)[::3]:
            plainly = reached_plainly(state)
            if len(plainly) >= MANY:
                continue
            for drawing in (stage.FROM_BEST, stage.FROM_ALL):
                room = searched(state, MANY, drawing)
                count = int(room.counters[stage.COUNT])
                found = {int(canonical_key(one)) for one in room.nodes["state"][:count]}
                assert found == plainly
            compared += len(plainly)
    assert compared > 500


def test_every_position_of_a_stage_lies_behind_an_exit() -> None:
    for state in positions(2, 40)[::8]:
        room = searched(state, 500)
        nodes = room.nodes[: int(room.counters[stage.COUNT])]
        for place, node in enumerate(nodes):
            at = place
            while nodes[at]["exit"] != at:
                at = int(nodes[at]["exit"])
            assert node["state"]["waste_count"] <= nodes[at]["state"]["waste_count"]
            assert nodes[at]["best"] >= room.values[place] or node["exit"] != at
            assert room.values[int(nodes[at]["behind"])] == nodes[at]["best"]


def test_factors_are_one_for_each_table() -> None:
    factors = portfolio.random_factors(np.random.default_rng(0), 2)
    assert factors.shape == (2, foresight.MARKS)
    assert len(np.unique(factors)) == 2 * len(foresight.TABLES)
