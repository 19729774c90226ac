"""A game from its first position to its last, as the engine plays it again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from qv_env import engine
from qv_env.course import Course
from qv_env.history import operation_text
from qv_env.refusals import refusal_text


class ReplayError(ValueError):
    """An operation cannot be made where it stands; the message is one line.

    Attributes:
        ply: Which operation, counted from 1.
    """

    def __init__(self, ply: int, operation: int, reason: str) -> None:
        """Say which operation (any whole number) at which ply is refused, and why."""
        self.ply = ply
        super().__init__(f"ply {ply}, {_named(operation)}: {reason}")


class Replay(NamedTuple):
    """Positions and the moves between them; what is shown as text, pictures or film.

    Attributes:
        states: Positions in order, a record array of `qv_env.engine.STATE`, one longer than
            `actions`.
        actions: ``actions[k]``, an action or `qv_env.history.UNDO`, leads from ``states[k]`` to
            ``states[k + 1]``.
        deal: The deal's code, or nothing.
    """

    states: NDArray[np.void]
    actions: tuple[int, ...]
    deal: str = ""

    @classmethod
    def play(cls, start: Any, actions: Iterable[int], *, deal: str = "") -> Self:
        """Return the replay that starts from a state, which stays as it is, and makes the moves.

        Args:
            start: A state record.
            actions: Actions in [0, 268] or `qv_env.history.UNDO`, in the order of play.
            deal: The deal's code.

        Raises:
            ReplayError: An operation is none, or is refused where it is to be made; the message
                says which one and why.
        """
        moves = tuple(int(action) for action in actions)
        states = np.zeros(len(moves) + 1, dtype=start.dtype)
        states[0] = start
        course = Course(start)
        for ply, operation in enumerate(moves, start=1):
            refusal = course.refusal(operation)
            if refusal != engine.LEGAL:
                raise ReplayError(ply, operation, refusal_text(refusal))
            course.make(operation)
            states[ply] = course.state
        return cls(states, moves, deal)

    def first(self, plies: int | None) -> Self:
        """Return the beginning of the replay, at most some plies long; all of it for None."""
        if plies is None:
            return self
        return self._replace(states=self.states[: plies + 1], actions=self.actions[:plies])


def _named(operation: int) -> str:
    try:
        return operation_text(operation)
    except ValueError:
        return f"action {operation}"
