"""Evaluations over processes: equal whatever their number, and honest about what goes wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.deal_lists import parse_deals
from agents.evaluate import AgentError, Game, play_deals
from agents.random_agent import RandomAgent
from agents.workers import TASK_SECONDS, Recipe, TaskSizes, WorkerError, play_over_processes

DEALS = parse_deals(["train:30"])

MODULE = """
import os
import numpy as np
from agents.random_agent import RandomAgent
class Threads(RandomAgent):
    name = "threads"
    def __init__(self):
        super().__init__()
        import numba
        self.counts = {}
    def act(self, observations, action_masks):
        import numba
        limits = [int(os.environ.get(n, 0)) for n in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")]
        n = len(action_masks)
        self.counts = {"numba": np.full(n, numba.get_num_threads()), "omp": np.full(n, limits[0]),
                       "blas": np.full(n, limits[1]), "process": np.full(n, os.getpid())}
        return super().act(observations, action_masks)
class Illegal(RandomAgent):
    name = "illegal"
    def act(self, observations, action_masks):
        return np.full(len(action_masks), 268)
class Broken(RandomAgent):
    name = "broken"
    def act(self, observations, action_masks):
        if observations[0, 4] < 60:  # the stock, which the warm-up has not seen
            raise KeyError("lost")
        return super().act(observations, action_masks)
class Mortal(Broken):
    def act(self, observations, action_masks):
        if observations[0, 4] < 60:
            os._exit(7)
        return RandomAgent.act(self, observations, action_masks)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "agents_for_workers.py").write_text(MODULE)
    return "agents_for_workers"


def played(spec: str, processes: int, batch: int = 256) -> list[Game]:
    games: dict[str, Game] = {}
    for ended in play_over_processes(Recipe(spec), DEALS, processes=processes, batch=batch):
        games |= {game.deal: game for game in ended}
    return [games[deal.code] for deal in DEALS]


def test_games_do_not_depend_on_the_number_of_processes() -> None:
    expected = [game.untimed() for game in play_deals(RandomAgent(), DEALS)]
    assert [game.untimed() for game in played("random", 1)] == expected
    assert [game.untimed() for game in played("random", 3, batch=4)] == expected


def test_processes_compute_on_one_thread_each(module: str) -> None:
    before = dict(os.environ)
    games = played(f"{module}:Threads", 2)
    assert {game.counts["numba"] for game in games} == {1}
    assert {game.counts["omp"] for game in games} == {1}
    assert {game.counts["blas"] for game in games} == {1}
    assert os.getpid() not in {game.counts["process"] for game in games}
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("name", "kind", "why"),
    [
        ("Illegal", AgentError, r"agent illegal chose f8>t10 \(deal FT1-N-\w+, ply 1\)"),
        ("Broken", WorkerError, r"Broken: KeyError: 'lost' \(agents_for_workers.py, line 26\)"),
        ("Mortal", WorkerError, "a process of the evaluation ended with exit code 7"),
    ],
)
def test_what_goes_wrong_in_a_process_is_told(
    module: str, name: str, kind: type[Exception], why: str
) -> None:
    with pytest.raises(kind, match=why):
        played(f"{module}:{name}", 2)


def test_tasks_grow_while_games_are_quick() -> None:
    sizes = TaskSizes(batch=100, processes=2)
    assert sizes.next(1000) == 1
    sizes.learn(1, TASK_SECONDS / 1000)
    assert sizes.next(1000) == 4
    sizes.learn(4, TASK_SECONDS / 1000)
    assert sizes.next(1000) == 16
    sizes.learn(64, TASK_SECONDS / 1000)
    assert sizes.next(1000) == 100  # the most
    assert sizes.next(7) == 4  # a fair share of the rest


def test_slow_games_are_tasks_of_their_own() -> None:
    sizes = TaskSizes(batch=100, processes=1)
    sizes.learn(1, 5 * TASK_SECONDS)
    assert sizes.next(1000) == 1
    sizes.learn(1, TASK_SECONDS / 2)
    assert sizes.next(1000) == 2


def test_agents_that_work_on_many_games_at_once_get_them() -> None:
    sizes = TaskSizes(batch=100, processes=1, least=64)
    assert sizes.next(1000) == 64
    sizes.learn(64, 5 * TASK_SECONDS)
    assert sizes.next(1000) == 64
    assert TaskSizes(batch=16, processes=1, least=64).next(1000) == 16
