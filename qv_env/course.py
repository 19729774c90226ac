"""A game in progress with what can be undone in it: what a person's game and a replay share."""

from __future__ import annotations

from typing import Any, Final, Self

import numpy as np

from qv_env import engine
from qv_env.actions import NUM_ACTIONS
from qv_env.history import LONGEST_HISTORY, UNDO, new_history, remember, undo_last
from qv_env.refusals import GAME_WON, NOT_AN_ACTION, NOTHING_TO_UNDO

MOST_MOVES: Final = int(np.iinfo(np.uint16).max)
"""Where the counter of moves stops: 65,535."""


class Course:
    """A state and its history, changed by *operations*: the 269 actions and `UNDO`.

    Attributes:
        state: The state record as it is now (`qv_env.engine`); the course's own.
        history: What can be undone, a record of type `qv_env.history.HISTORY`.
    """

    def __init__(self, start: Any) -> None:
        """Begin at a state record, of which a copy is taken, with nothing to undo."""
        self.state = start.copy()
        self.history = new_history()

    @property
    def undoable(self) -> int:
        """How many operations can be undone, at most 100."""
        return int(self.history["count"])

    def refusal(self, operation: int) -> int:
        """Return the code (see `qv_env.refusals`) of what forbids an operation, or `LEGAL`."""
        if operation == UNDO:
            return engine.LEGAL if self.undoable else NOTHING_TO_UNDO
        if not 0 <= operation < NUM_ACTIONS:
            return NOT_AN_ACTION
        if engine.is_won(self.state):
            return GAME_WON
        return int(engine.refusal(self.state, operation))

    def make(self, operation: int) -> int:
        """Make an operation that is not refused, and return the action made or undone."""
        if operation == UNDO:
            return int(undo_last(self.state, self.history))
        moves = int(self.state["moves"])
        remember(self.history, operation, engine.apply(self.state, operation))
        self.state["moves"] = min(moves + 1, MOST_MOVES)
        return operation

    def last_operations(self) -> list[int]:
        """Return the actions that can be undone, the oldest first."""
        places = np.arange(self.history["end"] - self.undoable, self.history["end"])
        return [int(action) for action in self.history["actions"][places % LONGEST_HISTORY]]

    def copy(self) -> Self:
        """Return a course that goes its own way from here, with the same history."""
        twin = type(self)(self.state)
        twin.history = self.history.copy()
        return twin
