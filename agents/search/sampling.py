"""Choosing an exit by playing it out on random orders of the unseen cards.

The candidates share their *worlds*: world number k has the same order of the unseen cards for each
of them. After every round of worlds the worse half of the candidates is dropped (sequential
halving: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013).
The estimate that a candidate begins with counts as the mean of some playouts made before.
"""

from __future__ import annotations

from typing import Any

from agents.chance import mix
from agents.search.knowledge import shuffle_stock
from agents.search.moves import make_safe_moves
from agents.search.playout import copy_state, play_on
from agents.search.ranking import search_exit
from agents.search.value import foresee
from qv_env import engine
from qv_env.jit import separate_kernel


@separate_kernel
def choose_exit(room: Any, playout_room: Any, state: Any, player: Any, seed: Any) -> int:
    """Search from a state and return the exit that does best on random stocks.

    Args:
        room: Workspace of the search. Its arms are the candidates that were played out, and
            ``room["worths"]`` their mean results.
        playout_room: Workspace of the playouts.
        state: Where the search begins; all safe moves have been made.
        player: A record of type `agents.search.player.PLAYER`.
        seed: Decides the worlds; uint64.
    """
    chosen = search_exit(room, state, player, player["nodes"])
    if room["arm_count"] == 0:
        return int(chosen)
    prior = player["prior_worlds"]
    for a in range(room["arm_count"]):
        room["totals"][a] = room["ranks"][a]
    _sort_down(room, room["arm_count"])
    room["arm_count"] = min(room["arm_count"], player["candidates"])
    for a in range(room["arm_count"]):
        room["totals"][a] = room["estimates"][a] * prior
    played = 0
    alive = room["arm_count"]
    while alive > 1:
        for _ in range(player["worlds"]):
            world = mix(seed, played)
            for a in range(alive):
                room["totals"][a] += playout_result(
                    room, playout_room, room["arms"][a], player, world
                )
            played += 1
        for a in range(alive):
            room["worths"][a] = (room["totals"][a] - room["estimates"][a] * prior) / played
        _sort_down(room, alive)
        alive = (alive + 1) // 2
    return int(room["arms"][0])


@separate_kernel
def playout_result(room: Any, playout_room: Any, node: int, player: Any, world: Any) -> float:
    """Play an exit on in one world, and return about 1 for a win and a little for cards.

    After ``player["horizon"]`` draws the network says how the game will probably end. That makes
    playouts cheaper and, since chance has less of a part in it, each of them worth more.
    """
    state = playout_room["playing"][0]
    copy_state(state, room["states"][node])
    shuffle_stock(state, world)
    engine.move(state, state["tops"].shape[0], state["columns"].shape[0])
    playout_room["playouts"] += 1
    play_on(playout_room, state, player, player["playout_nodes"], player["horizon"])
    if engine.is_won(state):
        return float(1.0 + player["cards_worth"])
    if state["stock_count"] == 0:
        every = state["foundations"].shape[0] * state["unseen"].shape[1]
        return float(player["cards_worth"] * engine.foundation_cards(state) / every)
    make_safe_moves(state, playout_room["actions"], 0)
    best = search_exit(playout_room, state, player, player["playout_nodes"])
    if playout_room["won"] >= 0:
        return float(1.0 + player["cards_worth"])
    behind = playout_room["states"][playout_room["behind"][best]]
    win, cards = foresee(behind, player["value"], playout_room["layers"])
    return float(win + player["cards_worth"] * cards)


@separate_kernel
def _sort_down(room: Any, count: int) -> None:
    """Sort the first arms by their totals, largest first; equal ones keep their order."""
    totals = room["totals"]
    for i in range(1, count):
        at = i
        while at > 0 and totals[at - 1] < totals[at]:
            for column in (room["ranks"], room["estimates"], totals, room["worths"]):
                column[at - 1], column[at] = column[at], column[at - 1]
            arms = room["arms"]
            arms[at - 1], arms[at] = arms[at], arms[at - 1]
            at -= 1
