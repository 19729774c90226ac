"""Shorter wins and wins worth more points are wins."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from agents.search.shortcuts import points, shortened, worth_more
from agents.solver import Goal, Solver, Verdict, deal_state
from qv_env import engine
from qv_env.actions import parse_action
from qv_env.deals import Deal

EASY = 1
GO = np.zeros(1, np.uint8)


@lru_cache
def win() -> tuple[int, ...]:
    return Solver(seconds=60).solve(deal_state(Deal.from_number(EASY))).actions


def check_win(actions: tuple[int, ...]) -> None:
    state = deal_state(Deal.from_number(EASY))
    for action in actions:
        assert engine.is_legal(state, action)
        engine.apply(state, action)
    assert engine.is_won(state)


def detoured() -> tuple[int, ...]:
    """Return the win with a card carried to and fro as soon as a column is empty."""
    state = deal_state(Deal.from_number(EASY))
    for ply, action in enumerate(win()):
        empty = np.flatnonzero(state["heights"] == 0)
        full = np.flatnonzero(state["heights"] > 1)
        if len(empty):
            there = parse_action(f"t{full[0] + 1}>t{empty[0] + 1}")
            engine.apply(state, there)
            back = parse_action(f"t{empty[0] + 1}>t{full[0] + 1}")
            if engine.is_legal(state, back):
                return (*win()[:ply], there, back, *win()[ply:])
            engine.undo(state, there, 0)
        engine.apply(state, action)
    raise AssertionError("no column ever comes free")


def test_a_detour_is_cut_out() -> None:
    state = deal_state(Deal.from_number(EASY))
    before = state.tobytes()
    check_win(detoured())
    short = shortened(state, detoured(), GO, 200)
    assert state.tobytes() == before
    assert len(short) <= len(win())
    check_win(short)


def test_a_win_by_way_of_columns_is_worth_more() -> None:
    state = deal_state(Deal.from_number(EASY))
    rich = worth_more(state, win())
    check_win(rich)
    gained = points(state, rich) - points(state, win())
    assert gained == 5 * (len(rich) - len(win())) > 0


def test_the_solver_uses_its_budget_for_better_wins() -> None:
    state = deal_state(Deal.from_number(EASY))
    solver = Solver(seconds=60, beams=3)
    for goal in (Goal.SHORT, Goal.SCORE):
        solution = solver.solve(state, goal)
        assert (solution.verdict, solution.beams) == (Verdict.SOLVED, 3)
        check_win(solution.actions)
        if goal is Goal.SHORT:
            assert len(solution.actions) < len(win())
        else:
            assert points(state, solution.actions) > points(state, win())
