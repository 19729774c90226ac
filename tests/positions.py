"""Positions to look at: those of a game, and hand-made ones at the limits of the layout."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from qv_env import engine
from qv_env.actions import NUM_ACTIONS
from qv_env.cards import RANKS, card_code
from qv_env.deals import Deal
from qv_env.mask import write_mask

HEARTS, CLUBS = 1, 3


def fresh(number: int = 21) -> Any:
    """A deal before its first move."""
    state = engine.new_state()
    engine.deal(state, Deal.from_number(number).cards)
    return state


def random_actions(number: int, *, plies: int) -> list[int]:
    """The first legal actions of a random game of a deal."""
    state, rng = fresh(number), random.Random(number)
    actions: list[int] = []
    mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
    while len(actions) < plies:
        write_mask(state, mask)
        legal = np.flatnonzero(mask).tolist()
        if not legal:
            break
        actions.append(rng.choice(legal))
        engine.apply(state, actions[-1])
    return actions


def random_position(number: int, *, plies: int) -> Any:
    """The position that a random game of a deal reaches."""
    state = fresh(number)
    for action in random_actions(number, plies=plies):
        engine.apply(state, action)
    return state


def crowded() -> Any:
    """Columns of 16 cards at both ends of the table, empty ones between, and the waste full."""
    state = engine.new_state()
    for column, suit in ((0, HEARTS), (9, CLUBS)):
        run = [card_code(suit, rank) for rank in range(RANKS, 0, -1)]
        pile = [card_code(0, 5), card_code(2, 4), card_code(3, 6), *run]
        state["columns"][column] = pile
        state["heights"][column] = len(pile)
    state["waste"][:] = [k % 52 + 1 for k in range(64)]
    state["waste_count"] = 64
    state["foundations"][:] = [13, 12, 0, 1, 10, 0, 11, 13]
    state["score"], state["moves"] = 1185, 9999
    engine.refresh_all(state)
    return state


def won() -> Any:
    """The end of the published example: all cards up, 1185 points."""
    state = engine.new_state()
    state["foundations"][:] = RANKS
    state["score"], state["moves"] = 1185, 237
    engine.refresh_all(state)
    return state


def blocked() -> Any:
    """The stock is empty, and no top card can go anywhere."""
    state = engine.new_state()
    # Kings on every column: none goes on another, and the foundations want aces.
    for column in range(10):
        state["columns"][column, :2] = (card_code(0, 2), card_code(0, RANKS))
        state["heights"][column] = 2
    engine.refresh_all(state)
    return state


def all_kinds() -> dict[str, Any]:
    """Every kind of position by name."""
    return {
        "fresh": fresh(),
        "early": random_position(5, plies=30),
        "late": random_position(7, plies=150),
        "crowded": crowded(),
        "won": won(),
        "blocked": blocked(),
    }
