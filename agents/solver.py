"""The solver: finds wins of deals whose stock is known.

It runs staged beams (`agents.search.beam`) of growing width until one of them wins or the budget
is used up. Beams cut off what looks bad, which is a guess: a deal that is not solved may still be
winnable, and the verdict is then `UNKNOWN`.
"""

from __future__ import annotations

import time
from enum import StrEnum
from threading import Timer
from typing import Final, NamedTuple

import numpy as np

from agents.search import beam, closure
from agents.search.weights import load_weights
from qv_env import engine
from qv_env.deals import Deal

NODES: Final = 100  # positions looked at between two draws
FIRST_WIDTH: Final = 8
WIDTH_GROWTH: Final = 4
MOST_ACTIONS: Final = 10_000
_MIB: Final = 2**20


class Verdict(StrEnum):
    """What is known of a deal."""

    SOLVED = "SOLVED"
    UNKNOWN = "UNKNOWN"


class Solution(NamedTuple):
    """What the solver found out about a deal.

    Attributes:
        verdict: Whether a win was found.
        actions: The actions of the win; empty without one.
        stopped_by: What ended a search without a win: ``time`` or ``memory``.
        width: Width of the last beam.
        nodes: Positions looked at, over all beams.
        seconds: Processor time of this thread.
    """

    verdict: Verdict
    actions: tuple[int, ...]
    stopped_by: str | None
    width: int
    nodes: int
    seconds: float


class Solver:
    """Solves one deal after another within a budget for each.

    Args:
        seconds: Time for each deal.
        memory: Most memory for the beams, in MiB.

    Raises:
        ValueError: A limit is not positive, or the memory does not even hold the first beam.
    """

    def __init__(self, seconds: float = 2.0, memory: int = 512) -> None:
        if not seconds > 0:
            raise ValueError(f"the solver needs some time, more than 0 seconds; got {seconds}")
        self._seconds = seconds
        self._memory = memory * _MIB
        if beam.room_bytes(FIRST_WIDTH) > self._memory:
            least = -(-beam.room_bytes(FIRST_WIDTH) // _MIB)
            raise ValueError(f"the solver needs {least} MiB or more; got {memory}")
        self._weights = load_weights()
        self._room = closure.workspace(NODES)
        self._stages = beam.beam_room(FIRST_WIDTH)
        self._width = FIRST_WIDTH
        self._path = np.zeros(MOST_ACTIONS, np.int16)
        # Compiles, so that no deal is charged for it.
        self._beam(engine.new_state(), FIRST_WIDTH, np.ones(1, np.uint8))

    def solve(self, deal: Deal) -> Solution:
        """Search a deal for a win."""
        state = engine.new_state()
        engine.deal(state, deal.cards)
        stop = np.zeros(1, np.uint8)
        timer = Timer(self._seconds, stop.fill, (1,))
        timer.daemon = True
        start = time.thread_time()
        timer.start()
        width, nodes = FIRST_WIDTH, 0
        try:
            while True:
                length = self._beam(state, width, stop)
                nodes += int(self._stages[0]["nodes"])
                wider = width * WIDTH_GROWTH
                if length >= 0 or stop[0]:
                    stopped_by = None if length >= 0 else "time"
                    break
                if beam.room_bytes(wider) > self._memory:
                    stopped_by = "memory"
                    break
                width = wider
        finally:
            timer.cancel()
        actions = tuple(self._path[: max(length, 0)].tolist())
        verdict = Verdict.SOLVED if length >= 0 else Verdict.UNKNOWN
        seconds = time.thread_time() - start
        return Solution(verdict, actions, stopped_by, width, nodes, seconds)

    def _beam(self, state: np.void, width: int, stop: np.ndarray) -> int:
        if width > self._width:
            self._stages = beam.beam_room(width)
            self._width = width
        return beam.search_beam(
            self._stages[0],
            self._room[0],
            state,
            self._weights,
            width,
            NODES,
            stop,
            self._path,
        )
