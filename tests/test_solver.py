"""The solver: wins that replay, and clean stops at its limits."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from agents.search import portfolio
from agents.search.foresight_weights import load_foresight
from agents.solver import Solver, Verdict, deal_state
from qv_env.cli.group import qv
from qv_env.deals import Deal
from qv_env.episodes import read_episode, verify
from tests import reference


def test_wins_keep_to_the_rulebook() -> None:
    solver = Solver(seconds=60, beams=2)
    solved = 0
    for number in range(5):
        solution = solver.solve(deal_state(Deal.from_number(number)))
        if solution.verdict is Verdict.UNKNOWN:
            assert solution.stopped_by == "beams"
            continue
        solved += 1
        assert solution.stopped_by is None
        game = reference.Game(reference.shuffled(number))
        moves = reference.all_moves(reference.FULL)
        for action in solution.actions:
            assert reference.refusal(game, moves[action]) is None
            reference.apply(game, moves[action])
        assert reference.is_won(game)
    assert solved


def test_time_stops_a_search() -> None:
    hopeless = Deal.from_number(0)
    start = time.monotonic()
    solution = Solver(seconds=0.1, memory=4096).solve(deal_state(hopeless))
    assert (solution.verdict, solution.stopped_by) == (Verdict.UNKNOWN, "time")
    assert time.monotonic() - start < 60  # it would search for minutes


def test_memory_limits_how_wide_beams_get() -> None:
    solution = Solver(seconds=1000, memory=20, beams=16).solve(deal_state(Deal.from_number(0)))
    assert (solution.verdict, solution.stopped_by) == (Verdict.UNKNOWN, "beams")
    wide = Solver(seconds=1000, memory=40, beams=16).solve(deal_state(Deal.from_number(0)))
    assert portfolio.FIRST_WIDTH < solution.width < wide.width


def test_the_widest_beams_follow_ever_more_positions() -> None:
    learned = load_foresight()
    plans = [portfolio.plan(number, learned, widest=100) for number in range(8)]
    assert [plan.width for plan in plans] == [20, 20, 40, 40, 80, 80, 80, 80]
    assert [plan.followed for plan in plans] == 6 * [200] + 2 * [800]
    assert not np.array_equal(plans[-1].weights, plans[-2].weights)
    assert portfolio.plan(99, learned, widest=100).followed == portfolio.MOST_FOLLOWED


@pytest.mark.parametrize(("seconds", "memory"), [(0, 512), (-1, 512), (float("nan"), 512), (1, 0)])
def test_wrong_limits_are_refused(seconds: float, memory: int) -> None:
    with pytest.raises(ValueError, match="the solver needs"):
        Solver(seconds, memory)


def test_the_command_writes_wins_as_episodes(tmp_path: Path) -> None:
    easy = Deal.from_number(1)
    words = ["solve", easy.code, "--time", "60", "--moves", "--out", str(tmp_path / "wins")]
    result = CliRunner().invoke(qv, words)
    assert result.exit_code == 0, result.output
    assert f"{easy.code}: SOLVED in" in result.output
    episode = read_episode(tmp_path / "wins" / f"{easy.code}.json")
    assert verify(episode)
    assert episode.ending == "won"


def test_a_deal_that_is_not_solved_is_exit_code_1() -> None:
    result = CliRunner().invoke(qv, ["solve", "FT1-N-AAAAAAA", "--time", "0.2", "--memory", "16"])
    assert result.exit_code == 1
    assert "UNKNOWN, stopped by the limit of" in result.output
