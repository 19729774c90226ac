"""Playing on without thinking, to see how far a position goes by itself when the stock is known."""

from __future__ import annotations

from typing import Any

from agents.search.moves import NO_PILE, foundation_for
from qv_env import engine
from qv_env.cards import NO_CARD
from qv_env.jit import kernel, separate_kernel


@separate_kernel
def roll_out(state: Any) -> int:
    """Play a game to its end by fixed rules, and return the cards on the foundations.

    Every card goes up that can; a card that does not lie on the one it continues goes to a column
    where it does; the waste is played to columns; then a card is drawn.
    """
    columns = state["columns"].shape[0]
    while True:
        while _step(state, columns):
            pass
        if state["stock_count"] == 0:
            break
        engine.move(state, state["tops"].shape[0], columns)
    return int(engine.foundation_cards(state))


@kernel
def _step(state: Any, columns: int) -> bool:
    tops, heights = state["tops"], state["heights"]
    for pile in range(columns, -1, -1):
        card = tops[pile]
        if card == NO_CARD:
            continue
        foundation = foundation_for(state, card)
        if foundation != NO_PILE:
            engine.move(state, pile, foundation)
            return True
    for pile in range(columns + 1):
        card = tops[pile]
        if card == NO_CARD:
            continue
        if pile < columns and heights[pile] > 1:
            below = state["columns"][pile, heights[pile] - 2]
            if below == card + 1 and card % 13 != 0:
                continue
        for other in range(columns):
            if other != pile and state["wants"][other] == card:
                engine.move(state, pile, other)
                return True
    return False
