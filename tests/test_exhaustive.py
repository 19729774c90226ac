"""The search that proves: it agrees with a plain look at all positions of small games."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search import exhaustive
from agents.solver import Solver, Verdict
from qv_env import engine
from qv_env.sizes import Sizes
from tests import reference
from tests.reference import Rules
from tests.test_search import SMALL, dealt, winnable_positions

SUITS = "SHDC"
# Some of these can be won, and some cannot.
MORE = [
    *((Rules(suits=1, ranks=5, columns=2, column_cards=2), number) for number in range(8, 16)),
    *((Rules(suits=1, ranks=6, columns=1, column_cards=4), number) for number in range(24)),
]


def search(state: np.void, sizes: Sizes) -> int:
    room = exhaustive.exhaustive_room(200_000, sizes)
    before = state.tobytes()
    found = exhaustive.search_all(room, state, 200_000, np.zeros(1, np.uint8))
    if found >= 0:
        assert engine.is_won(state)
        return found
    assert state.tobytes() == before
    return found


@pytest.mark.parametrize(("rules", "number"), [*SMALL, *MORE])
def test_its_verdict_is_that_of_a_look_at_all_positions(rules: Rules, number: int) -> None:
    """So R1, R5 and R6, which it relies on, never lose a win in these games."""
    states, winnable = winnable_positions(rules, number)
    for key in list(states)[:: max(1, len(states) // 10)]:
        found = search(states[key].copy(), Sizes(*rules))
        assert found == exhaustive.EXHAUSTED if key not in winnable else found >= 0


def test_some_of_these_games_cannot_be_won() -> None:
    lost = sum(
        next(iter(states)) not in winnable
        for states, winnable in (winnable_positions(*game) for game in MORE)
    )
    assert 3 <= lost <= len(MORE) - 3


def test_a_win_is_a_line_of_legal_moves() -> None:
    rules, number = SMALL[0]
    state = dealt(reference.shuffled(number, rules), Sizes(*rules))
    room = exhaustive.exhaustive_room(200_000, Sizes(*rules))
    length = exhaustive.search_all(room, state.copy(), 200_000, np.zeros(1, np.uint8))
    assert length > 0
    for action in room.actions[:length].tolist():
        assert engine.is_legal(state, action)
        engine.apply(state, action)
    assert engine.is_won(state)


def test_limits_are_kept() -> None:
    state = dealt(reference.shuffled(0))
    room = exhaustive.exhaustive_room(5000)
    go, stop = np.zeros(1, np.uint8), np.ones(1, np.uint8)
    assert exhaustive.search_all(room, state.copy(), 5000, go) == exhaustive.LIMITED
    assert room.found[0] == 5000
    assert exhaustive.search_all(room, state.copy(), 5000, stop) == exhaustive.STOPPED


def locked() -> list[str]:
    """Return a deal in which no card of the table can ever move, whatever the stock holds.

    Every ace lies under a three and a two of its suit, so that no foundation starts; every three
    lies under a two, so that no two can leave; two fours keep the other columns from emptying.
    """
    columns = [["A" + s, other + s, "3" + s, "2" + s] for other in "67" for s in SUITS]
    columns += [["8S", "8H", "8D", "4S"], ["8S", "8H", "8D", "4H"]]
    table = [card for column in columns for card in column]
    rest = Rules().deck
    for card in table:
        rest.remove(card)
    return table + rest


def test_a_locked_deal_is_unsolvable() -> None:
    solution = Solver(seconds=60, memory=64).solve(dealt(locked()))
    assert solution.verdict is Verdict.UNSOLVABLE
    assert solution.stopped_by is None
