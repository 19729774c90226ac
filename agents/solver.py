"""The solver: finds wins of deals whose stock is known.

It runs a portfolio of staged beams (`agents.search.portfolio`) until one of them wins or the
budget is used up. Beams cut off what looks bad, which is a guess: a deal that is not solved may
still be winnable, and the verdict is then `UNKNOWN`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np
from pydantic import Field

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from agents.search import beam, exhaustive, portfolio, stage
from agents.search.cpu_limit import cpu_limit
from agents.search.foresight_weights import load_foresight
from agents.search.shortcuts import points, shortened, worth_more
from qv_env import engine, rebuild_state
from qv_env.cards import DECK_SIZE
from qv_env.deals import Deal

MOST_ACTIONS: Final = 10_000
EXHAUSTIVE_AFTER: Final = 2  # beams that are tried before
EXHAUSTIVE_LIMIT: Final = 20_000  # positions; few deals have as few
_MIB: Final = 2**20


class Verdict(StrEnum):
    """What is known of a deal."""

    SOLVED = "SOLVED"
    UNSOLVABLE = "UNSOLVABLE"
    UNKNOWN = "UNKNOWN"


class Goal(StrEnum):
    """Which win is wanted."""

    ANY = "any"
    SHORT = "short"
    SCORE = "score"


class Solution(NamedTuple):
    """What the solver found out about a deal.

    Attributes:
        verdict: Whether a win was found.
        actions: The actions of the win; without one, of the line that brought most cards up.
        stopped_by: What ended a search that does not know, or that looked for better wins:
            ``time`` or ``beams``.
        beams: Beams run; the last of them won, if any did.
        width: Width of the last beam.
        nodes: Positions looked at, over all beams.
        seconds: Processor time of this thread.
    """

    verdict: Verdict
    actions: tuple[int, ...]
    stopped_by: str | None
    beams: int
    width: int
    nodes: int
    seconds: float


class Solver:
    """Solves one deal after another within a budget for each.

    Args:
        seconds: Processor time for each deal.
        memory: Most memory for the search, in MiB, which limits how wide beams get.
        threads: Beams that run side by side.
        beams: Most beams for each deal. With a limit of beams and time enough, what is found
            does not depend on the machine.

    Raises:
        ValueError: A limit is not positive, or the memory does not even hold the first beam.
    """

    def __init__(
        self,
        seconds: float = 2.0,
        memory: int = 512,
        *,
        threads: int = 1,
        beams: int | None = None,
    ) -> None:
        if not seconds > 0:
            raise ValueError(f"the solver needs some time, more than 0 seconds; got {seconds}")
        self._seconds = seconds
        self._beams = beams
        self._threads = threads
        self._learned = load_foresight()
        free = memory * _MIB - exhaustive.exhaustive_bytes(EXHAUSTIVE_LIMIT)
        needed = threads * beam.room_bytes(portfolio.FIRST_WIDTH, portfolio.NODES)
        if needed > free:
            least = 1 + (memory * _MIB - free + needed) // _MIB
            raise ValueError(f"the solver needs {least} MiB or more; got {memory}")
        self._widest = _widest_beam(free // threads)
        self._searchers = [_Searcher() for _ in range(threads)]
        self._exhaustive = exhaustive.exhaustive_room(EXHAUSTIVE_LIMIT)
        # Compiles, so that no deal is charged for it.
        dealt, stop = deal_state(Deal.from_number(0)), np.ones(1, np.uint8)
        self._searchers[0].search(dealt, portfolio.plan(0, self._learned), stop)
        exhaustive.search_all(self._exhaustive, dealt, EXHAUSTIVE_LIMIT, stop)

    def solve(self, state: np.void, goal: Goal = Goal.ANY) -> Solution:
        """Search a position for a win.

        Args:
            state: The position, such as a fresh deal; see `deal_state`.
            goal: Whether the first win will do, or the whole budget is used for better ones.
        """
        start = time.process_time()
        done: list[_Line] = []
        best = _Line((), 0, 0, 0)
        stopped_by, verdict, looked = None, Verdict.UNKNOWN, False
        with (
            cpu_limit(self._seconds, self._threads) as stop,
            ThreadPoolExecutor(self._threads) as pool,
        ):
            while best.cards < DECK_SIZE or goal is not Goal.ANY:
                if not looked and len(done) >= EXHAUSTIVE_AFTER:
                    looked = True
                    if self._is_unsolvable(state, stop):
                        verdict = Verdict.UNSOLVABLE
                        break
                plans = self._plans(len(done))
                stopped_by = self._limit(len(done), stop)
                if stopped_by is not None:
                    break
                lines = self._lines(pool, state, plans, stop)
                done += lines
                for line in lines:
                    best = _better(state, best, line, goal, stop)
        if best.cards == DECK_SIZE:
            verdict = Verdict.SOLVED
        return Solution(
            verdict,
            best.actions,
            stopped_by,
            len(done),
            done[-1].width if done else 0,
            sum(line.nodes for line in done),
            (time.process_time() - start) / self._threads,
        )

    def _plans(self, number: int) -> list[portfolio.Plan]:
        """Return the next beams, one a thread, or fewer where the last one is among them."""
        last = number + self._threads
        if self._beams is not None:
            last = min(last, self._beams)
        return [portfolio.plan(k, self._learned, self._widest) for k in range(number, last)]

    def _limit(self, number: int, stop: Any) -> str | None:
        """Return which limit forbids the next beams, or None."""
        if stop[0]:
            return "time"
        return "beams" if number == self._beams else None

    def _lines(
        self, pool: Executor, state: np.void, plans: list[portfolio.Plan], stop: Any
    ) -> list[_Line]:
        """Run beams side by side; on one thread, in this one, whose time is measured."""
        if self._threads == 1:
            return [self._searchers[0].search(state, plan, stop) for plan in plans]
        jobs = zip(self._searchers, plans, strict=False)
        waiting = [pool.submit(who.search, state, plan, stop) for who, plan in jobs]
        return [job.result() for job in waiting]

    def _is_unsolvable(self, state: np.void, stop: Any) -> bool:
        """Return whether a look at every position is quick, and finds no win."""
        found = exhaustive.search_all(self._exhaustive, state.copy(), EXHAUSTIVE_LIMIT, stop)
        return found == exhaustive.EXHAUSTED


class _Line(NamedTuple):
    """What one beam found: the line that brings most cards up."""

    actions: tuple[int, ...]
    cards: int
    width: int
    nodes: int


class _Searcher:
    """Runs beams, one at a time."""

    def __init__(self) -> None:
        self._make_room(portfolio.FIRST_WIDTH)
        self._path = np.zeros(MOST_ACTIONS, np.int16)

    def _make_room(self, width: int) -> None:
        self._width = width
        self._beam = beam.beam_room(width, portfolio.NODES)
        self._room = stage.stage_room(width, beam.most_nodes(width, portfolio.NODES))

    def search(self, state: np.void, plan: portfolio.Plan, stop: Any) -> _Line:
        """Run one beam of the portfolio."""
        if plan.width > self._width:
            self._make_room(plan.width)
        length = beam.search_beam(
            self._beam,
            stage.part_of(self._room, plan.width * portfolio.NODES),
            stage.part_of(self._room, beam.most_nodes(plan.width, portfolio.NODES)),
            state,
            plan.weights,
            beam.Limits(plan.width, portfolio.NODES, plan.followed, plan.drawing),
            stop,
            self._path,
        )
        cards, nodes = int(self._beam.counters[beam.CARDS]), int(self._beam.counters[beam.NODES])
        return _Line(tuple(self._path[:length].tolist()), cards, plan.width, nodes)


def _widest_beam(memory: int) -> int:
    """Return the width of the widest beam whose room takes no more bytes."""
    width = portfolio.FIRST_WIDTH
    while beam.room_bytes(width * portfolio.GROWTH, portfolio.NODES) <= memory:
        width *= portfolio.GROWTH
    return width


def deal_state(deal: Deal) -> Any:
    """Return the position that a deal begins with."""
    state = engine.new_state()
    engine.deal(state, deal.cards)
    return state


def _better(state: np.void, best: _Line, line: _Line, goal: Goal, stop: Any) -> _Line:
    """Return the better of two lines; a win that is new is improved first."""
    if line.cards < DECK_SIZE:
        return max(best, line, key=lambda one: one.cards)
    if goal is Goal.SHORT:
        line = line._replace(actions=shortened(state, line.actions, stop))
    elif goal is Goal.SCORE:
        line = line._replace(actions=worth_more(state, line.actions))
    if best.cards < DECK_SIZE:
        return line
    if goal is Goal.SHORT:
        return min(best, line, key=lambda one: len(one.actions))
    return max(best, line, key=lambda one: points(state, one.actions))


class SolverAgent:
    """Plays the wins that the solver finds, the order of the stock being known to it.

    Where it finds none it plays the line that brings most cards to the foundations.

    Args:
        time: Seconds of processor time for each deal.
        memory: Most memory for the search, in MiB.
    """

    name = "solver"
    env_kwargs: ClassVar[Mapping[str, Any]] = {
        "observation": "cards",
        "mask": "legal",
        "stock": "open",
    }

    def __init__(
        self,
        time: Annotated[float, Field(gt=0)] = 2.0,
        memory: Annotated[int, Field(ge=1)] = 512,
    ) -> None:
        self._solver = Solver(time, memory)
        self._lines: list[list[int] | None] = []
        self.counts = {"nodes": np.zeros(0, np.int64)}

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        """Begin new games; see `agents.agent.Agent.reset`."""
        if rows is None:
            self._lines = [None] * len(seeds)
            self.counts = {"nodes": np.zeros(len(seeds), np.int64)}
            return
        for row in rows.tolist():
            self._lines[row] = None
        self.counts["nodes"][rows] = 0

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Choose an action for every row; see `agents.agent.Agent.act`."""
        actions: Actions = np.argmax(action_masks, axis=1).astype(np.int64)
        for row in range(len(actions)):
            line = self._lines[row]
            if line is None:
                line = self._lines[row] = self._line(row, observations[row])
            if line:
                actions[row] = line.pop()
        return actions

    def _line(self, row: int, observation: Observations) -> list[int]:
        """Return the actions to play, the last one first."""
        state = rebuild_state(observation, np.random.default_rng(0))  # whose stock is in order
        solution = self._solver.solve(state)
        self.counts["nodes"][row] += solution.nodes
        return list(reversed(solution.actions))
