"""How games end that the planner plays: what the network of `agents.search.value` learns from.

Up to a random draw the planner now and then draws from another exit than its best, so that the
positions are of more kinds than its own play leads to. From there on it plays as it does, and the
end belongs to it alone.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from agents.chance import below, mix
from agents.search.closure import ROOT
from agents.search.moves import make_safe_moves
from agents.search.network import write_public
from agents.search.playout import copy_state
from agents.search.ranking import search_exit
from agents.search.value import INPUTS
from qv_env import engine
from qv_env.cards import DECK_SIZE
from qv_env.jit import parallel_kernel, separate_kernel
from qv_env.shuffle import fill_deck, shuffle

POSITIONS: Final = 8  # noted in a game, at most
STRAY_PERCENT: Final = 15  # of the first draws are not made from the best exit
STRAY_EXITS: Final = 4

OUTCOME: Final = np.dtype(
    [
        ("deal", np.int64),
        ("inputs", np.float32, (INPUTS,)),
        ("won", np.bool_),
        ("foundation_cards", np.uint8),
    ]
)


@parallel_kernel
def play_outcomes(
    rooms: Any, states: Any, deals: Any, players: Any, outcomes: Any, counts: Any
) -> None:
    """Play numbered deals, spread over threads, and note positions with the game's end.

    Args:
        rooms: `closure.workspace` records, one a thread.
        states: State records, one a thread.
        deals: Deal numbers, int64 of shape ``(n,)``; they decide the random choices as well.
        players: A record of type `agents.search.player.PLAYER`, shape ``(1,)``.
        outcomes: Written, records of type `OUTCOME`, shape ``(n, POSITIONS)``.
        counts: Written, how many positions each game has noted, int64 of shape ``(n,)``.
    """
    workers = rooms.shape[0]
    for worker in numba.prange(workers):
        cards = np.empty(DECK_SIZE, np.uint8)
        for i in range(worker, deals.shape[0], workers):
            fill_deck(cards)
            shuffle(np.uint64(deals[i]), cards, 0)
            engine.deal(states[worker], cards)
            counts[i] = _play(rooms[worker], states[worker], deals[i], players[0], outcomes[i])


@separate_kernel
def _play(room: Any, state: Any, deal: int, player: Any, outcomes: Any) -> int:
    draws = int(state["stock_count"])
    straying = below(mix(deal, 0), draws)
    period = max(1, (draws - straying) // outcomes.shape[0])
    drawn, noted = 0, 0
    while True:
        make_safe_moves(state, room["actions"], 0)
        chosen = search_exit(room, state, player, player["nodes"])
        if room["won"] < 0 and state["stock_count"] > 0:
            if drawn < straying:
                chance = mix(deal, drawn + 1)
                if chance % np.uint64(100) < np.uint64(STRAY_PERCENT):
                    several = min(room["arm_count"], STRAY_EXITS)
                    chosen = room["arms"][below(chance, several)]
            elif (drawn - straying) % period == 0 and noted < outcomes.shape[0]:
                behind = room["states"][room["behind"][chosen]]
                write_public(behind, room["facts"], outcomes[noted]["inputs"])
                noted += 1
        if chosen != ROOT:
            copy_state(state, room["states"][chosen])
        if engine.is_won(state) or state["stock_count"] == 0:
            break
        engine.move(state, state["tops"].shape[0], state["columns"].shape[0])
        drawn += 1
    for k in range(noted):
        outcomes[k]["deal"] = deal
        outcomes[k]["won"] = engine.is_won(state)
        outcomes[k]["foundation_cards"] = engine.foundation_cards(state)
    return noted
