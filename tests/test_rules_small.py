"""Shrunken games searched to the end: every position the rules can reach, none left out."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest

from qv_env import engine, mask
from qv_env.sizes import Sizes
from tests import play, reference
from tests.play import Table
from tests.reference import Form, Game, Rules
from tests.test_rules import compare, compare_refusals

ONE_SUIT = Rules(suits=1, ranks=5, columns=2, column_cards=2)
TWO_SUITS = Rules(suits=2, ranks=3, columns=2, column_cards=2)
THREE_COLUMNS = Rules(suits=2, ranks=3, columns=3, column_cards=2)
GAMES = [
    *((ONE_SUIT, number) for number in range(8)),
    *((TWO_SUITS, number) for number in range(4)),
    *((THREE_COLUMNS, number) for number in (0, 3)),
]


@lru_cache
def oracle_reach(rules: Rules, number: int) -> dict[Form, Game]:
    """Return every position of a deal that can be reached, up to symmetry, by the oracle alone."""
    start = Game(reference.shuffled(number, rules), rules)
    reached = {reference.canonical_form(start): start}
    frontier = [start]
    while frontier:
        game = frontier.pop()
        for move in reference.legal_moves(game):
            child = game.copy()
            reference.apply(child, move)
            form = reference.canonical_form(child)
            if form not in reached:
                reached[form] = child
                frontier.append(child)
    return reached


def engine_reach(table: Table, write: Callable[[object, object], None]) -> dict[bytes, object]:
    """Return a state for every canonical form that the engine reaches by the moves of a mask."""
    rules = table.game.rules
    sizes = Sizes(*rules)
    row = np.zeros(sizes.actions, np.int8)
    cells = np.zeros(
        sizes.columns * sizes.column_limit + sizes.stock + sizes.foundations + 1, np.uint8
    )

    def form(state: object) -> bytes:
        mask.canonical_form(state, cells)
        return cells.tobytes()

    state = table.state
    reached = {form(state): state.copy()}
    frontier = [state.copy()]
    while frontier:
        state = frontier.pop()
        before = state.tobytes()
        write(state, row)
        for action in np.flatnonzero(row).tolist():
            change = engine.apply(state, action)
            key = form(state)
            if key not in reached:
                reached[key] = state.copy()
                frontier.append(state.copy())
            engine.undo(state, action, change)
            assert state.tobytes() == before
    return reached


@pytest.mark.parametrize(("rules", "number"), GAMES)
def test_engine_and_oracle_reach_the_same_positions(rules: Rules, number: int) -> None:
    cards = reference.shuffled(number, rules)
    reached = engine_reach(Table(cards, rules), mask.write_mask)
    forms = [reference.canonical_form(play.game_of(state, rules)) for state in reached.values()]
    assert len(set(forms)) == len(reached)
    assert set(forms) == set(oracle_reach(rules, number))
    keys = {int(mask.canonical_key(state)) for state in reached.values()}
    assert len(keys) == len(reached)
    for state in reached.values():
        table = Table(cards, rules)
        table.state, table.game = state, play.game_of(state, rules)
        compare(table, reference.legal_moves(table.game))
        compare_refusals(table)


@pytest.mark.parametrize(("rules", "number"), GAMES)
def test_canonical_moves_reach_the_same_positions(rules: Rules, number: int) -> None:
    """What the canonical mask leaves out leads nowhere that another move does not lead."""
    table = Table(reference.shuffled(number, rules), rules)
    legal = engine_reach(table, mask.write_mask)
    assert set(engine_reach(table, mask.write_canonical_mask)) == set(legal)


@pytest.mark.parametrize(("rules", "number"), GAMES)
def test_the_canonical_mask_is_empty_only_where_the_legal_mask_is(
    rules: Rules, number: int
) -> None:
    """Also where take-backs are switched off."""
    for game in oracle_reach(rules, number).values():
        legal, canonical = reference.legal_moves(game), reference.canonical_moves(game)
        assert bool(canonical) == bool(legal)
        if not reference.is_won(game):
            assert any(m.source[0] != "f" for m in canonical) == any(
                m.source[0] != "f" for m in legal
            )


def test_the_games_searched_hold_wins_and_stuck_positions() -> None:
    met = {"won": 0, "stuck": 0}
    for rules, number in GAMES:
        reached = oracle_reach(rules, number).values()
        met["won"] += sum(map(reference.is_won, reached))
        met["stuck"] += sum(map(reference.is_stuck, reached))
    assert met["won"] >= len(GAMES) // 2
    assert met["stuck"] >= 5
