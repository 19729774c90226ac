"""Playing deals over processes, each of which computes on one thread.

A task is some deals that a process plays side by side. Tasks begin with a single game and grow
while games are quick, so that games of seconds are handed out one by one and games of milliseconds
by the hundred. How deals are shared out changes nothing but the time it takes: a game depends on
the agent, the deal and the seed alone.

Processes are spawned, so that nothing depends on what the parent has done before. They end with
it: when it is killed, each ends with its task.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.agent import Agent
from agents.evaluate import DEFAULT_BATCH, AgentError, Game, play_deals, warm_up
from agents.loading import load_agent
from qv_env.deals import Deal, parse_deal

TASK_SECONDS: Final = 2.0
"""How long a task shall take, as far as that can be known beforehand."""

_GROWTH: Final = 4  # a task has at most so many times the games of the one before
_PATIENCE_SECONDS: Final = 5.0
_THREAD_VARIABLES: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerError(Exception):
    """A process ended before its work was done; the message is one line."""


class Recipe(NamedTuple):
    """What a process needs to make the agent.

    Attributes:
        spec: What names it; see `agents.loading.load`.
        deterministic: See `agents.loading.load`.
    """

    spec: str
    deterministic: bool | None = None

    def make(self) -> Agent:
        """Return the agent."""
        return load_agent(self.spec, deterministic=self.deterministic)


def sample_words(deterministic: bool | None) -> list[str]:  # noqa: FBT001  # as in `Recipe`
    """Return the option of ``qv evaluate`` that makes trained models play like this, if any.

    >>> sample_words(False), sample_words(True), sample_words(None)
    (['--sample'], ['--best'], [])
    """
    return [] if deterministic is None else ["--best" if deterministic else "--sample"]


def play_over_processes(
    recipe: Recipe,
    deals: Sequence[Deal],
    *,
    seed: int = 0,
    batch: int = DEFAULT_BATCH,
    processes: int = 1,
    least: int = 1,
) -> Iterator[list[Game]]:
    """Play each deal once, and yield games as they end, in no particular order.

    Args:
        recipe: Who plays.
        deals: What to play.
        seed: Fixes all chance in the agent's choices, together with each deal.
        batch: Most games that a process plays side by side.
        processes: How many to play in; with one, this process does it.
        least: Games that cost the agent no more than one does; see `agents.agent.Agent`.

    Raises:
        AgentError: The agent chose an illegal action.
        WorkerError: A process was killed, or the agent failed in it.
    """
    sizes = TaskSizes(batch, processes, least)
    if processes == 1:
        yield from _play_here(recipe.make(), list(deals), seed, sizes)
    elif deals:
        yield from _play_elsewhere(recipe, list(deals), seed, sizes)


class TaskSizes:
    """How many games the next task has.

    Args:
        batch: The most games of a task.
        processes: Among how many processes the deals are shared.
        least: The least, as far as batch and deals allow.
    """

    def __init__(self, batch: int, processes: int, least: int = 1) -> None:
        self._batch, self.processes = batch, processes
        self._size = self._least = min(least, batch)

    def next(self, left: int) -> int:
        """Return the size of a task when some deals are left."""
        share = -(-left // self.processes)
        return max(1, min(self._size, share))

    def learn(self, games: int, seconds: float) -> None:
        """Take into account how long a task took."""
        fitting = int(TASK_SECONDS * games / max(seconds, 1e-9))
        self._size = max(self._least, min(fitting, _GROWTH * games, self._batch))


def _play_here(
    agent: Agent, deals: list[Deal], seed: int, sizes: TaskSizes
) -> Iterator[list[Game]]:
    with _one_thread():
        warm_up(agent)
    while deals:
        size = sizes.next(len(deals))
        task, deals = deals[:size], deals[size:]
        start = time.perf_counter()
        with _one_thread():
            games = play_deals(agent, task, seed=seed, batch=len(task), warm=True)
        sizes.learn(len(task), time.perf_counter() - start)
        yield games


def _play_elsewhere(
    recipe: Recipe, deals: list[Deal], seed: int, sizes: TaskSizes
) -> Iterator[list[Game]]:
    count = min(sizes.processes, len(deals))
    workers: list[_Worker] = []
    try:
        with _spawning():
            workers.extend(_Worker(recipe, seed) for _ in range(count))  # stopped if one fails
        busy: dict[Any, _Worker] = {}
        for worker in workers:
            busy[worker.connection] = worker
            deals = worker.hand_out(deals, sizes)
        while busy:
            for connection in wait(list(busy)):
                worker = busy[connection]
                games, seconds = worker.answer()
                sizes.learn(len(games), seconds)
                if deals:
                    deals = worker.hand_out(deals, sizes)
                else:
                    del busy[connection]
                yield games
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process that plays what it is handed.

    Attributes:
        connection: Becomes readable when the process has an answer, or has ended.
    """

    def __init__(self, recipe: Recipe, seed: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, recipe, seed), daemon=True)
        self._process.start()
        theirs.close()  # so that the end of the process is the end of the connection

    def hand_out(self, deals: list[Deal], sizes: TaskSizes) -> list[Deal]:
        """Send the next task and return the deals that are left."""
        size = sizes.next(len(deals))
        try:
            self.connection.send([deal.code for deal in deals[:size]])
        except OSError:
            raise self._ended() from None
        return deals[size:]

    def answer(self) -> tuple[list[Game], float]:
        """Return the games of the last task and the seconds that they took."""
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        if isinstance(answer, Exception):
            raise answer
        games, seconds = answer
        return games, seconds

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.connection.close()
        self._process.terminate()
        self._process.join(_PATIENCE_SECONDS)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()

    def _ended(self) -> WorkerError:
        self._process.join(_PATIENCE_SECONDS)
        return WorkerError(
            f"a process of the evaluation ended with exit code {self._process.exitcode}"
        )


def _work(connection: Connection[Any, Any], recipe: Recipe, seed: int) -> None:
    """Play what comes until the parent has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and says stop
    try:
        agent = recipe.make()
        with _one_thread():
            warm_up(agent)
            while True:
                deals = [parse_deal(code) for code in connection.recv()]
                start = time.perf_counter()
                games = play_deals(agent, deals, seed=seed, batch=len(deals), warm=True)
                connection.send((games, time.perf_counter() - start))
    except (EOFError, OSError):
        return
    except AgentError as error:
        connection.send(error)
    except Exception as error:  # noqa: BLE001  # told in the parent, as it would be there
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        connection.send(
            WorkerError(f"agent {recipe.spec}: {type(error).__name__}: {error} ({place})")
        )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute on one thread in the libraries that an agent may have loaded."""
    import numba

    torch: Any = sys.modules.get("torch")
    before = numba.get_num_threads(), torch and torch.get_num_threads()
    numba.set_num_threads(1)
    if torch:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before[0])
        if torch:
            torch.set_num_threads(before[1])


@contextmanager
def _spawning() -> Iterator[None]:
    """Have processes that start meanwhile compute on one thread and leave Ctrl-C to the parent."""
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    # A process inherits what is ignored; until it could say so itself, Ctrl-C would make it
    # complain. Other threads than the main one may not touch signals.
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
    try:
        yield
    finally:
        if in_main:
            signal.signal(signal.SIGINT, handler)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
