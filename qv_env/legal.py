"""Which actions are legal in a state, for callers in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qv_env import engine
from qv_env.mask import any_set, drop_take_backs, write_mask


def legal_mask(state: Any, *, takebacks: bool = True) -> NDArray[np.int8]:
    """Return a fresh legal mask of a state of any sizes, 1 for each legal action.

    Args:
        state: A state record; it is read, never changed.
        takebacks: Whether cards may leave the foundations.

    Returns:
        int8 of shape ``(269,)`` in the full game.
    """
    mask = np.zeros(_action_count(state), np.int8)
    write_mask(state, mask)
    if not takebacks:
        drop_take_backs(state, mask)
    return mask


def can_move(state: Any, *, takebacks: bool = True) -> bool:
    """Return whether any action is legal in a state; see `legal_mask`."""
    return bool(state["stock_count"]) or bool(any_set(legal_mask(state, takebacks=takebacks)))


def _action_count(state: Any) -> int:
    """Return how many actions a game of this state's sizes has."""
    last_foundation, last_column = len(state["tops"]) - 1, len(state["heights"]) - 1
    return int(engine.action_of(state, last_foundation, last_column)) + 1
