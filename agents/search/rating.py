"""What the first actions of plans are worth, for people who ask what an agent thinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.chance import mix
from agents.search.closure import ROOT
from agents.search.knowledge import read_table
from agents.search.moves import make_safe_moves, make_search_move
from agents.search.planning import DRAW, MOST_ACTIONS, find_goal
from agents.search.sampling import playout_result
from qv_env.engine import foundation_cards
from qv_env.jit import separate_kernel
from qv_env.mask import canonical_key


@separate_kernel
def rate_actions(
    rooms: Any,
    state: Any,
    tables: Any,
    masks: Any,
    weights: Any,
    net: Any,
    settings: Any,
    means: Any,
    ratings: Any,
) -> None:
    """Rate the actions that plans from some positions may begin with.

    An action gets the best worth of all that the search finds behind it. While a safe move is to
    be made, it is the only one rated. Nothing is rated where no plan leads anywhere.

    Args:
        rooms: See `agents.search.planning.choose_actions`, and for all that is not here.
        state: See there.
        tables: Shape ``(n,)``.
        masks: Shape ``(n, 269)``.
        weights: See there.
        net: See there.
        settings: See there.
        means: See there.
        ratings: Written where an action is rated, and NaN before; float64 of shape ``(n, 269)``.
    """
    room = rooms[0]
    path = np.empty(MOST_ACTIONS, np.int16)
    for row in range(ratings.shape[0]):
        read_table(state, tables[row])
        safe = make_safe_moves(state, path, 0)
        # The worlds of playouts depend on the position alone, so that it is rated alike each time.
        seed = canonical_key(state)
        goal = find_goal(rooms, state, weights, net, settings, seed, means)
        if settings["worlds"] > 0 and room["won"] < 0 and state["stock_count"] > 0:
            _play_out_only_exit(rooms, goal, weights, net, settings, seed, means)
        for node in range(room["count"]):
            worth = _worth(room, node, goal, settings, means)
            if np.isnan(worth):
                continue
            action = path[0] if safe > 0 else _first_action(room, node)
            if masks[row, action] and not ratings[row, action] >= worth:
                ratings[row, action] = worth


@separate_kernel
def _play_out_only_exit(
    rooms: Any, goal: int, weights: Any, net: Any, settings: Any, seed: Any, means: Any
) -> None:
    """Play out an exit without rivals, which is chosen unseen but should have a number, too."""
    if means[goal] >= 0:
        return
    total = 0.0
    for world in range(settings["worlds"]):
        total += playout_result(rooms[0], rooms[1], goal, weights, net, settings, mix(seed, world))
    means[goal] = total / settings["worlds"]


@separate_kernel
def _worth(room: Any, node: int, goal: int, settings: Any, means: Any) -> float:
    """Return what a node of a search says for the way to it, or NaN if nothing."""
    root = room["states"][ROOT]
    won = room["won"] >= 0
    if won or root["stock_count"] == 0:
        cards = foundation_cards(room["states"][node])
        leads_nowhere = node != ROOT and cards <= foundation_cards(root)
        if leads_nowhere or (won and node != goal):
            return np.nan
        if settings["worlds"] == 0:
            return float(cards)
        every = root["foundations"].shape[0] * root["unseen"].shape[1]
        return float(won + settings["cards_worth"] * cards / every)
    if room["exits"][node] != node:
        return np.nan
    if settings["worlds"] == 0:
        return float(room["best"][node])
    return float(means[node]) if means[node] >= 0 else np.nan


@separate_kernel
def _first_action(room: Any, node: int) -> int:
    """Return the action that the way from the root of a search to a node begins with."""
    if node == ROOT:
        return DRAW
    while room["parents"][node] != ROOT:
        node = room["parents"][node]
    scratch = room["scratch"]
    scratch[0] = room["states"][ROOT]
    source, destination = int(room["moves"][node, 0]), int(room["moves"][node, 1])
    make_search_move(scratch[0], source, destination, room["actions"], 0)
    return int(room["actions"][0])
