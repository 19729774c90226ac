"""What a picture says about a state in words: how far it is, and whether it is over."""

from __future__ import annotations

from typing import Any, Final

from qv_env import engine
from qv_env.legal import can_move

WON: Final = "won"
BLOCKED: Final = "blocked"


def foundation_total(state: Any) -> int:
    """Return how many cards lie on the foundations."""
    return int(engine.foundation_cards(state))


def game_status(state: Any) -> str:
    """Return ``won``, ``blocked`` (no action is legal), or nothing while the game goes on."""
    if engine.is_won(state):
        return WON
    return "" if can_move(state) else BLOCKED
