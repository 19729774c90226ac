"""A thread for what takes long, which does not keep the process from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class EndedError(RuntimeError):
    """The server ends, and does not wait for an answer."""


class Background:
    """Runs functions one after another on a thread of its own.

    Those of `concurrent.futures` are waited for when the process ends, and nobody can say how long
    an agent thinks. All is asked of it from one thread.
    """

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._waiting: set[asyncio.Future[Any]] = set()
        # Each is counted by one thread alone, so that they need no lock.
        self._begun = 0
        self._done = 0
        threading.Thread(target=self._work, name="agent", daemon=True).start()

    async def run(self, function: Callable[[], Result]) -> Result:
        """Return what a function returns, or raise what it raises.

        Raises:
            EndedError: `end` was called meanwhile.
        """
        waiting = asyncio.wrap_future(self.begin(function))
        self._waiting.add(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            raise EndedError from None
        finally:
            self._waiting.discard(waiting)

    def begin(self, function: Callable[[], Result]) -> Future[Result]:
        """Have a function run, and return where what it returns or raises will be found."""
        answer: Future[Result] = Future()
        self._begun += 1
        self._tasks.put(partial(_answer, answer, function))
        return answer

    @property
    def is_at_work(self) -> bool:
        """Whether a function is running or waits to be run."""
        return self._done < self._begun

    def end(self) -> None:
        """Let nobody wait any longer; to be called on the event loop."""
        for waiting in self._waiting:
            waiting.cancel()

    def _work(self) -> None:
        while True:
            self._tasks.get()()
            self._done += 1


def _answer(answer: Future[Result], function: Callable[[], Result]) -> None:
    if not answer.set_running_or_notify_cancel():
        return
    try:
        answer.set_result(function())
    except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
        answer.set_exception(error)
