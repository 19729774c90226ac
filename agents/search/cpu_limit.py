"""A limit of processor time for kernels that look at a flag."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

_SHORTEST_WAIT: Final = 0.001


@contextmanager
def cpu_limit(seconds: float, threads: int = 1) -> Iterator[Any]:
    """Give a flag that is set once this thread has used some processor time.

    Time that other programs take does not count, so that a verdict hardly depends on them. Where
    the system has no clock for threads, the time by the wall counts.

    Args:
        seconds: The limit.
        threads: How many threads compute. For more than one the time of the whole process counts,
            divided by their number.

    Yields:
        uint8 of shape ``(1,)``; 1 once the time is used up.
    """
    flag = np.zeros(1, np.uint8)
    used = _clock_of_this_thread() if threads == 1 else _clock_of_all(threads)
    over = threading.Event()

    def watch() -> None:
        left = seconds - used()
        while left > 0 and not over.wait(max(left, _SHORTEST_WAIT)):
            left = seconds - used()
        flag[0] = 1

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield flag
    finally:
        over.set()
        watcher.join()


def _clock_of_this_thread() -> Callable[[], float]:
    """Return a function that tells, in any thread, how long this one has computed since now."""
    if not hasattr(time, "pthread_getcpuclockid"):
        start = time.monotonic()
        return lambda: time.monotonic() - start
    clock = time.pthread_getcpuclockid(threading.get_ident())
    first = time.clock_gettime(clock)
    return lambda: time.clock_gettime(clock) - first


def _clock_of_all(threads: int) -> Callable[[], float]:
    first = time.process_time()
    return lambda: (time.process_time() - first) / threads
