"""A batch of games that are stepped together: what the single and the vector env share."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from qv_env import stepping, task, undo
from qv_env.deals import DEALS, Deal, deal_code
from qv_env.features import FEATURE_COUNT, TABLES, set_up_tables
from qv_env.history import HISTORY, UNDO, operation_text
from qv_env.jit import use_threads
from qv_env.public import reshuffle_stock
from qv_env.refusals import refusal_text
from qv_env.settings import Settings

UNKNOWN_DEAL: Final = "unknown"
_SEED_BITS: Final = 64


class Outputs(NamedTuple):
    """What a step or a reset writes, one row or column a game.

    Attributes:
        observations: uint8 of shape ``(n, width)``.
        masks: int8 of shape ``(n, 269)``, or ``(n, 270)`` with undo.
        rewards: float64 of shape ``(n,)``.
        numbers: int64 of shape ``(4, n)``: score, moves, foundation cards, deal number.
        flags: bool of shape ``(4, n)``: terminated, truncated, won, begun by this step.
        refused: uint8 of shape ``(n,)``: refusal codes, 0 where the action was made.
    """

    observations: npt.NDArray[np.uint8]
    masks: npt.NDArray[np.int8]
    rewards: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.int64]
    flags: npt.NDArray[np.bool_]
    refused: npt.NDArray[np.uint8]


def observation_width(settings: Settings) -> int:
    """Return the length of an observation with these settings."""
    if settings.observation == "features":
        return FEATURE_COUNT
    return task.OPEN_CARDS_BYTES if settings.stock == "open" else task.CARDS_BYTES


class Batch:
    """Games, their settings and their streams of deals.

    Attributes:
        tasks: Record array of type `qv_env.task.TASK`, shape ``(n,)``.
        codes: The code of each game's deal, object array of str. It is handed out as it is, so it
            cannot be written to; games that are dealt anew get a new array.
    """

    def __init__(self, settings: Settings, size: int, threads: int = 1) -> None:
        self.settings = settings
        self.tasks = np.zeros(size, task.TASK)
        self.codes = _read_only(np.full(size, UNKNOWN_DEAL, dtype=object))
        self._tables = np.zeros(size, TABLES) if settings.observation == "features" else None
        self._threads = threads
        self._width = observation_width(settings)
        self._rules = settings.record()
        self._totals = np.zeros(threads, task.TOTALS)
        self._streams_set = np.zeros(size, np.bool_)
        self._histories = np.zeros(size, HISTORY) if settings.undo else None

    @property
    def size(self) -> int:
        """Number of games."""
        return len(self.tasks)

    @property
    def max_episode_steps(self) -> int:
        """Plies after which episodes that start from now on are truncated."""
        return int(self._rules["max_episode_steps"][0])

    @max_episode_steps.setter
    def max_episode_steps(self, plies: int) -> None:
        self._rules["max_episode_steps"] = plies

    def new_outputs(self) -> Outputs:
        """Return fresh buffers for a step."""
        size = self.size
        return Outputs(
            np.empty((size, self._width), np.uint8),
            np.empty((size, self.settings.action_count), np.int8),
            np.empty(size, np.float64),
            np.empty((task.NUMBERS, size), np.int64),
            np.empty((task.FLAGS, size), np.bool_),
            np.empty(size, np.uint8),
        )

    def start(
        self,
        rows: npt.NDArray[np.int64],
        seeds: Sequence[int | None],
        deals: Sequence[Deal | None],
        entropy: np.random.Generator,
    ) -> None:
        """Start an episode in some games.

        Args:
            rows: Which games, int64 of shape ``(k,)``.
            seeds: For each of them the seed of its stream from now on, or None to go on.
            deals: For each the deal to play, or None to take the stream's.
            entropy: Where a game gets its stream that was never given a seed.
        """
        for row, seed in zip(rows, seeds, strict=True):
            if seed is not None:
                self._set_stream(row, seed)
            elif not self._streams_set[row]:
                self._set_stream(row, int(entropy.integers(1 << 63)))
        numbers = (task.STREAM_DEAL if seed is None else seed % DEALS for seed in seeds)
        self._start(rows, np.fromiter(numbers, np.int64, len(rows)))
        given = [(row, deal) for row, deal in zip(rows, deals, strict=True) if deal is not None]
        for row, deal in given:
            number = task.EXPLICIT_DEAL if deal.number is None else deal.number
            task.lay_out(self.tasks, self._tables, self._rules, row, deal.cards, number)
        self._restate_codes(rows, dict(given))

    def begin_at(self, row: int, state: Any) -> None:
        """Start an episode at a position; the game's deal is not known then."""
        self.tasks["game"][row] = state
        self.tasks["deal_number"][row] = task.EXPLICIT_DEAL
        task.begin_episode(self.tasks, self._tables, self._rules[0], row)

    def restart(self, rows: npt.NDArray[np.int64], outputs: Outputs) -> None:
        """Start the next episode of some games and show them, leaving rewards and endings."""
        self._start(rows, np.full(len(rows), task.STREAM_DEAL, np.int64))
        self._restate_codes(rows)
        self.show(rows, outputs)

    def show(self, rows: npt.NDArray[np.int64], outputs: Outputs) -> None:
        """Write observations, masks and reports of some games."""
        task.show_tasks(self.tasks, self._tables, self._rules, rows, tuple(outputs))
        if self._histories is not None:
            outputs.masks[rows, UNDO] = self._histories["count"][rows] > 0

    def step(self, actions: npt.NDArray[np.int64], outputs: Outputs) -> int:
        """Step every game; one whose episode has ended starts its next episode instead.

        Returns:
            How many games refused their action or began an episode.
        """
        events = self.advance(actions, outputs)
        if events:
            begun = outputs.flags[task.BEGUN].nonzero()[0]
            if len(begun):
                self._restate_codes(begun)
        return events

    def advance(self, actions: npt.NDArray[np.int64], outputs: Outputs) -> int:
        """Like `step`, for games none of whose episodes has ended."""
        arguments = (
            self.tasks, self._tables, self._rules, actions, tuple(outputs), self._totals
        )  # fmt: skip
        if self._histories is not None:
            return undo.step_tasks(*arguments, self._histories)
        if self._threads == 1:
            return stepping.step_tasks(*arguments)
        use_threads(self._threads)
        return stepping.step_tasks_parallel(*arguments)

    def raise_refused(self, actions: npt.NDArray[np.int64]) -> None:
        """Raise a ValueError if any action is refused; nothing is stepped then."""
        row = self._first_refused(actions)
        if row < 0:
            return
        action = int(actions[row])
        if self._histories is None:
            code = task.refusal(self.tasks[row], self._rules[0], action)
        else:
            code = undo.refusal(self.tasks[row], self._histories[row], self._rules[0], action)
        is_action = 0 <= action < self.settings.action_count
        name = operation_text(action) if is_action else "no action"
        where = f" in game {row}" if self.size > 1 else ""
        raise ValueError(
            f"illegal action {action} ({name}){where}: {refusal_text(code)} "
            "Choose an action whose entry in the action mask is 1."
        )

    def totals(self) -> dict[str, float]:
        """Return the sums over all episodes that have ended, by name."""
        return {name: self._totals[name].sum().item() for name in task.TOTALS.names or ()}

    def clear_totals(self) -> None:
        """Set the sums to zero."""
        self._totals[:] = 0

    def resample(self, rng: np.random.Generator) -> None:
        """Put the unseen cards of every game into a random order and forget its deal and stream."""
        for row in range(self.size):
            reshuffle_stock(self.tasks["game"][row], rng)
            self._set_stream(row, int(rng.integers(1 << 63)))
        self.tasks["deal_number"] = task.EXPLICIT_DEAL
        self.codes = _read_only(np.full(self.size, UNKNOWN_DEAL, dtype=object))

    def snapshot(self) -> dict[str, Any]:
        """Return copies of all that changes, for `restore`."""
        return {name: copy.copy(getattr(self, name)) for name in self._CHANGING}

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from a snapshot of a batch of the same size and settings.

        Raises:
            ValueError: The snapshot comes from a batch of another size.
        """
        size = len(snapshot["tasks"])
        if size != self.size:
            raise ValueError(f"this state holds {size} games, the environment {self.size}")
        for name in self._CHANGING:
            setattr(self, name, copy.copy(snapshot[name]))
        self.codes.flags.writeable = False
        if self._tables is not None:
            for game, tables in zip(self.tasks["game"], self._tables, strict=True):
                set_up_tables(game, tables)

    def clone(self) -> Self:
        """Return an independent batch that continues identically."""
        return copy.deepcopy(self)

    _CHANGING: Final = ("tasks", "codes", "_streams_set", "_totals", "_rules", "_histories")

    def _start(self, rows: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> None:
        task.start_tasks(self.tasks, self._tables, self._rules, rows, numbers)
        if self._histories is not None:
            self._histories["count"][rows] = 0

    def _restate_codes(
        self, rows: Iterable[int], given: Mapping[int, Deal] = MappingProxyType({})
    ) -> None:
        """Look up the codes of games that have been dealt anew, by number or as ``given``."""
        numbers = self.tasks["deal_number"]
        codes = self.codes.copy()
        for row in rows:
            codes[row] = given[row].code if row in given else deal_code(numbers[row])
        self.codes = _read_only(codes)

    def _first_refused(self, actions: npt.NDArray[np.int64]) -> int:
        if self._histories is None:
            return int(task.first_refused(self.tasks, self._rules, actions))
        return int(undo.first_refused(self.tasks, self._histories, self._rules, actions))

    def _set_stream(self, row: int, seed: int) -> None:
        self.tasks["seed"][row] = seed % (1 << _SEED_BITS)
        self.tasks["episode"][row] = 0
        self._streams_set[row] = True


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
