"""What can be undone: the last 100 operations of a game, moves and draws alike.

An undo restores the cards and the score exactly. The counter of moves stays where it is, as in the
app; so a game's ``moves`` says how much was done, not how long the way to the position is.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env import engine
from qv_env.actions import NUM_ACTIONS, action_text, parse_action
from qv_env.jit import kernel

UNDO: Final = NUM_ACTIONS
"""The number of the undo where actions and undos stand in one list: 269."""

UNDO_TEXT: Final = "undo"
LONGEST_HISTORY: Final = 100

HISTORY: Final = np.dtype(
    [
        ("count", np.int64),  # operations that can be undone
        ("end", np.int64),  # where the next one is written; the arrays are used in a circle
        ("actions", np.int16, (LONGEST_HISTORY,)),
        ("changes", np.int8, (LONGEST_HISTORY,)),
    ]
)


def new_history() -> Any:
    """Return an empty record of type `HISTORY`, shape ``()``."""
    return np.zeros(1, HISTORY)[0]


@kernel
def remember(history: Any, action: int, change: Any) -> None:
    """Write down an operation and the score's change, in the place of the oldest if need be."""
    end = history["end"]
    history["actions"][end] = action
    history["changes"][end] = change
    history["end"] = (end + 1) % LONGEST_HISTORY
    history["count"] = min(history["count"] + 1, LONGEST_HISTORY)


@kernel
def undo_last(state: Any, history: Any) -> int:
    """Undo the last operation of a history that is not empty, in place.

    Args:
        state: The state record after that operation; its counter of moves stays.
        history: The record that the operation is taken off.

    Returns:
        The action that was undone.
    """
    last = (history["end"] - 1) % LONGEST_HISTORY
    history["end"] = last
    history["count"] -= 1
    moves = state["moves"]
    action = int(history["actions"][last])
    engine.undo(state, action, int(history["changes"][last]))
    state["moves"] = moves
    return action


def operation_number(text: str) -> int:
    """Return the number of an action or an undo by its text.

    >>> operation_number("draw"), operation_number("undo")
    (0, 269)

    Raises:
        ValueError: It is neither.
    """
    return UNDO if text == UNDO_TEXT else parse_action(text)


def operation_text(operation: int) -> str:
    """Return an action in [0, 268] or `UNDO` as text.

    >>> operation_text(0), operation_text(UNDO)
    ('draw', 'undo')

    Raises:
        ValueError: The number is neither.
    """
    return UNDO_TEXT if operation == UNDO else action_text(operation)
