"""Choosing an exit by playing it out on random orders of the unseen cards.

The candidates share their *worlds*: world number k has the same order of the unseen cards for each
of them. After every round of worlds the worse half of the candidates is dropped (sequential
halving: Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.chance import mix
from agents.search.closure import search
from agents.search.knowledge import shuffle_stock
from agents.search.moves import make_safe_moves
from agents.search.playout import copy_state, play_on
from agents.search.value import foresee
from qv_env import engine
from qv_env.jit import separate_kernel


@separate_kernel
def choose_exit(
    room: Any,
    playout_room: Any,
    state: Any,
    weights: Any,
    net: Any,
    settings: Any,
    seed: Any,
    means: Any,
) -> int:
    """Search from a state and return the exit that does best on random stocks.

    Args:
        room: Workspace of the search.
        playout_room: Workspace of the playouts.
        state: Where the search begins; all safe moves have been made.
        weights: See `agents.search.evaluation.evaluate`.
        net: See `agents.search.value.foresee`.
        settings: A record of type `agents.search.planning.SETTINGS`.
        seed: Decides the worlds; uint64.
        means: Where each node's mean result is written, float64, one for each node; -1 for nodes
            that were not played out.
    """
    best = search(room, state, weights, settings["nodes"])
    means[:] = -1.0
    if room["won"] >= 0 or state["stock_count"] == 0:
        return best
    arms = np.empty(settings["candidates"], np.int64)
    count = best_exits(room, arms)
    totals = np.zeros(count)
    played = 0
    alive = count
    while alive > 1:
        for _ in range(settings["worlds"]):
            world = mix(seed, played)
            for a in range(alive):
                totals[a] += playout_result(
                    room, playout_room, arms[a], weights, net, settings, world
                )
            played += 1
        for a in range(alive):
            means[arms[a]] = totals[a] / played
        _sort_down(arms, totals, alive)
        alive = (alive + 1) // 2
    return int(arms[0])


@separate_kernel
def best_exits(room: Any, arms: Any) -> int:
    """Write the exits with the best values, best first, and return how many there are."""
    count = 0
    for node in range(room["count"]):
        if room["exits"][node] != node:
            continue
        value = room["best"][node]
        at = count if count < arms.shape[0] else count - 1
        if count == arms.shape[0] and value <= room["best"][arms[at]]:
            continue
        while at > 0 and room["best"][arms[at - 1]] < value:
            arms[at] = arms[at - 1]
            at -= 1
        arms[at] = node
        count = min(count + 1, arms.shape[0])
    return count


@separate_kernel
def playout_result(
    room: Any, playout_room: Any, node: int, weights: Any, net: Any, settings: Any, world: Any
) -> float:
    """Play an exit on in one world, and return about 1 for a win and a little for cards.

    After ``settings["horizon"]`` draws the network says how the game will probably end. That makes
    playouts cheaper and, since chance has less of a part in it, each of them worth more.
    """
    state = playout_room["playing"][0]
    copy_state(state, room["states"][node])
    shuffle_stock(state, world)
    engine.move(state, state["tops"].shape[0], state["columns"].shape[0])
    playout_room["playouts"] += 1
    play_on(playout_room, state, weights, settings["playout_nodes"], settings["horizon"])
    if engine.is_won(state):
        return float(1.0 + settings["cards_worth"])
    if state["stock_count"] == 0:
        every = state["foundations"].shape[0] * state["unseen"].shape[1]
        return float(settings["cards_worth"] * engine.foundation_cards(state) / every)
    make_safe_moves(state, playout_room["actions"], 0)
    best = search(playout_room, state, weights, settings["playout_nodes"])
    if playout_room["won"] >= 0:
        return float(1.0 + settings["cards_worth"])
    behind = playout_room["states"][playout_room["behind"][best]]
    win, cards = foresee(behind, net, playout_room["facts"], playout_room["layers"])
    return float(win + settings["cards_worth"] * cards)


@separate_kernel
def _sort_down(arms: Any, totals: Any, count: int) -> None:
    """Sort candidates by their totals, largest first; equal ones keep their order."""
    for i in range(1, count):
        arm, total = arms[i], totals[i]
        at = i
        while at > 0 and totals[at - 1] < total:
            arms[at], totals[at] = arms[at - 1], totals[at - 1]
            at -= 1
        arms[at], totals[at] = arm, total
