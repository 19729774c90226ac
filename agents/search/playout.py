"""Playing whole games by search: at each draw, from the exit that looks best."""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from agents.search.closure import ROOT
from agents.search.moves import make_safe_moves
from agents.search.ranking import search_exit
from qv_env import engine
from qv_env.cards import DECK_SIZE
from qv_env.jit import array_kernel, parallel_kernel, separate_kernel
from qv_env.shuffle import fill_deck, shuffle

TO_THE_END: Final = DECK_SIZE  # more draws than any game has

RESULT: Final = np.dtype(
    [("won", np.bool_), ("foundation_cards", np.uint8), ("score", np.uint16), ("nodes", np.int64)]
)


@separate_kernel
def advance(room: Any, state: Any, player: Any, nodes: int) -> bool:
    """Play until the next draw and make it; return whether there was a card to draw."""
    actions = room["actions"]
    make_safe_moves(state, actions, 0)
    exit_node = search_exit(room, state, player, nodes)
    if exit_node != ROOT:
        state_at = room["states"][exit_node]
        copy_state(state, state_at)
    if state["stock_count"] == 0:
        return False
    engine.move(state, state["tops"].shape[0], state["columns"].shape[0])
    return True


@array_kernel
def copy_state(state: Any, source: Any) -> None:
    """Overwrite a state with another one, field by field."""
    state["score"] = source["score"]
    state["stock_count"] = source["stock_count"]
    state["waste_count"] = source["waste_count"]
    state["moves"] = source["moves"]
    state["heights"][:] = source["heights"]
    state["foundations"][:] = source["foundations"]
    state["columns"][:] = source["columns"]
    state["waste"][:] = source["waste"]
    state["stock"][:] = source["stock"]
    state["unseen"][:] = source["unseen"]
    state["tops"][:] = source["tops"]
    state["wants"][:] = source["wants"]


@separate_kernel
def play_on(room: Any, state: Any, player: Any, nodes: int, draws: int) -> None:
    """Play on for so many draws or to the end, if that comes first."""
    for _ in range(draws):
        if engine.is_won(state) or not advance(room, state, player, nodes):
            break


@parallel_kernel
def play_deals(rooms: Any, states: Any, numbers: Any, players: Any, results: Any) -> None:
    """Play numbered deals, spread over threads.

    Args:
        rooms: `closure.workspace` records, one a thread.
        states: State records, one a thread.
        numbers: Deal numbers, int64 of shape ``(n,)``.
        players: Records of type `agents.search.player.PLAYER`, shape ``(p,)``; deal ``i`` is
            played by player ``i % p``.
        results: Record array of type `RESULT`, shape ``(n,)``; written.
    """
    workers = rooms.shape[0]
    for worker in numba.prange(workers):
        cards = np.empty(DECK_SIZE, np.uint8)
        state, room = states[worker], rooms[worker]
        for i in range(worker, numbers.shape[0], workers):
            fill_deck(cards)
            shuffle(np.uint64(numbers[i]), cards, 0)
            engine.deal(state, cards)
            player = players[i % players.shape[0]]
            room["looked_at"] = 0
            play_on(room, state, player, player["nodes"], TO_THE_END)
            results[i]["won"] = engine.is_won(state)
            results[i]["foundation_cards"] = engine.foundation_cards(state)
            results[i]["score"] = state["score"]
            results[i]["nodes"] = room["looked_at"]
