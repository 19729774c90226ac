"""What a picture says about a state in words: how far it is, and whether it is over."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env import engine
from qv_env.mask import any_set, write_mask

WON: Final = "won"
BLOCKED: Final = "blocked"


def foundation_total(state: Any) -> int:
    """Return how many cards lie on the foundations."""
    return int(engine.foundation_cards(state))


def game_status(state: Any) -> str:
    """Return ``won``, ``blocked`` (no action is legal), or nothing while the game goes on."""
    if engine.is_won(state):
        return WON
    if state["stock_count"]:
        return ""
    mask = np.zeros(_action_count(state), dtype=np.int8)
    write_mask(state, mask)
    return "" if any_set(mask) else BLOCKED


def _action_count(state: Any) -> int:
    """Return how many actions a game of this state's sizes has."""
    last_foundation, last_column = len(state["tops"]) - 1, len(state["heights"]) - 1
    return int(engine.action_of(state, last_foundation, last_column)) + 1
