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
    an agent thinks.
    """

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._waiting: set[asyncio.Future[Any]] = set()
        threading.Thread(target=self._work, name="agent", daemon=True).start()

    async def run(self, function: Callable[[], Result]) -> Result:
        """Return what a function returns, or raise what it raises.

        Raises:
            EndedError: `end` was called meanwhile.
        """
        answer: Future[Result] = Future()
        self._tasks.put(partial(_answer, answer, function))
        waiting = asyncio.wrap_future(answer)
        self._waiting.add(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            raise EndedError from None
        finally:
            self._waiting.discard(waiting)

    def begin(self, function: Callable[[], object]) -> None:
        """Have a function run for which nobody waits; what it raises is passed over."""
        self._tasks.put(partial(_answer, Future[object](), function))

    def end(self) -> None:
        """Let nobody wait any longer; to be called on the event loop."""
        for waiting in self._waiting:
            waiting.cancel()

    def _work(self) -> None:
        while True:
            self._tasks.get()()


def _answer(answer: Future[Result], function: Callable[[], Result]) -> None:
    if not answer.set_running_or_notify_cancel():
        return
    try:
        answer.set_result(function())
    except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
        answer.set_exception(error)
