"""Decisions with what each choice is really worth, for the ranking of exits to learn from.

The teacher is the sampler. It plays every candidate of a decision out on the same random orders of
the unseen cards; siblings differ by little, so their means compare within one decision and never
across games. No mean depends on the true stock.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.chance import mix
from agents.search.knowledge import complete
from agents.search.moves import make_safe_moves
from agents.search.player import CHOICES
from agents.search.playout import copy_state
from agents.search.ranking import search_exit, write_arm_inputs
from agents.search.sampling import playout_result
from qv_env import engine
from qv_env.cards import DECK_SIZE
from qv_env.jit import array_kernel, separate_kernel
from qv_env.shuffle import fill_deck, shuffle
from qv_env.sizes import FULL

POSITION: Final = np.dtype(
    [(name, engine.STATE[name]) for name in ("heights", "foundations", "columns", "waste")]
)
"""The public part of a state from which all else can be worked out."""

SIBLING: Final = np.dtype(
    [
        ("deal", np.int64),
        ("decision", np.uint8),  # of the game
        ("stock_count", np.uint8),
        ("waste_count", np.uint8),
        ("chosen", np.bool_),  # the game went on from here
        ("value", np.float32),  # what the evaluation says
        ("result", np.float32),  # mean of the playouts, in the units of `sampling`
        ("position", POSITION),  # the best position behind the exit, which the value is of
    ]
)


MOST_SIBLINGS: Final = FULL.stock * CHOICES
"""Most that a game has."""


@array_kernel
def play_lessons(
    room: Any,
    playout_room: Any,
    state: Any,
    deals: Any,
    players: Any,
    siblings: Any,
    counts: Any,
) -> None:
    """Play numbered deals and note the candidates of every decision.

    Deals with even numbers are played as the teacher plays, the others as the planner does: both
    kinds of positions are of use.

    Args:
        room: A `closure.workspace` record.
        playout_room: The same, for playouts.
        state: A state record.
        deals: Deal numbers, int64 of shape ``(n,)``; they decide the worlds as well.
        players: A record of type `agents.search.player.PLAYER`, shape ``(1,)``.
        siblings: Written, records of type `SIBLING`, shape ``(n, MOST_SIBLINGS)``, decision after
            decision.
        counts: Written, how many siblings each game has noted, int64 of shape ``(n,)``.
    """
    cards = np.empty(DECK_SIZE, np.uint8)
    for i in range(deals.shape[0]):
        fill_deck(cards)
        shuffle(np.uint64(deals[i]), cards, 0)
        engine.deal(state, cards)
        counts[i] = _play(room, playout_room, state, deals[i], players[0], siblings[i])


@separate_kernel
def _play(room: Any, playout_room: Any, state: Any, deal: int, player: Any, siblings: Any) -> int:
    worlds = player["worlds"]
    noted, decision = 0, 0
    while True:
        make_safe_moves(state, room["actions"], 0)
        chosen = search_exit(room, state, player, player["nodes"])
        if room["won"] >= 0 or state["stock_count"] == 0:
            return noted
        count = room["arm_count"]
        if count > 1:
            group = siblings[noted : noted + count]
            best = 0
            for a in range(count):
                total = 0.0
                for world in range(worlds):
                    seed = mix(deal, decision * worlds + world)
                    total += playout_result(room, playout_room, room["arms"][a], player, seed)
                _note(group[a], room, room["arms"][a], deal, decision, total / worlds)
                if group[a]["result"] > group[best]["result"]:
                    best = a
            if deal % 2 == 1:
                best = 0
                while room["arms"][best] != chosen:
                    best += 1
            group[best]["chosen"] = True
            chosen = room["arms"][best]
            noted += count
        copy_state(state, room["states"][chosen])
        engine.move(state, state["tops"].shape[0], state["columns"].shape[0])
        decision += 1


@array_kernel
def _note(sibling: Any, room: Any, arm: int, deal: int, decision: int, result: float) -> None:
    sibling["deal"], sibling["decision"], sibling["chosen"] = deal, decision, False
    sibling["value"], sibling["result"] = room["best"][arm], result
    state = room["states"][room["behind"][arm]]
    sibling["stock_count"], sibling["waste_count"] = state["stock_count"], state["waste_count"]
    position = sibling["position"]
    position["heights"][:] = state["heights"]
    position["foundations"][:] = state["foundations"]
    position["columns"][:] = state["columns"]
    position["waste"][:] = state["waste"]


@array_kernel
def write_sibling_inputs(siblings: Any, state: Any, facts: Any, inputs: Any) -> None:
    """Write what the ranking network is told of siblings, each by itself.

    Args:
        siblings: Records of type `SIBLING`, shape ``(n,)``.
        state: A state record to work on.
        facts: Room for the facts, float64 of shape ``(len(FACTS),)``.
        inputs: Written, float32 of shape ``(n, ARM_INPUTS)``.
    """
    for i in range(siblings.shape[0]):
        position = siblings[i]["position"]
        state["stock_count"] = siblings[i]["stock_count"]
        state["waste_count"] = siblings[i]["waste_count"]
        state["heights"][:] = position["heights"]
        state["foundations"][:] = position["foundations"]
        state["columns"][:] = position["columns"]
        state["waste"][:] = position["waste"]
        complete(state)
        write_arm_inputs(state, siblings[i]["value"], facts, inputs[i])
