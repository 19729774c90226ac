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
from qv_env.jit import array_kernel, separate_kernel
from qv_env.mask import canonical_key


@array_kernel
def rate_actions(
    rooms: Any, state: Any, tables: Any, masks: Any, player: Any, ratings: Any
) -> None:
    """Rate the actions that plans from some positions may begin with.

    An action gets the best worth of all that the search finds behind it. While a safe move is to
    be made, it is the only one rated. Nothing is rated where no plan leads anywhere.

    Args:
        rooms: See `agents.search.planning.choose_actions`, and for all that is not here.
        state: See there.
        tables: Shape ``(n,)``.
        masks: Shape ``(n, 269)``.
        player: See there.
        ratings: Written where an action is rated, and NaN before; float64 of shape ``(n, 269)``.
    """
    room = rooms[0]
    path = np.empty(MOST_ACTIONS, np.int16)
    for row in range(ratings.shape[0]):
        read_table(state, tables[row])
        safe = make_safe_moves(state, path, 0)
        # The worlds of playouts depend on the position alone, so that it is rated alike each time.
        seed = canonical_key(state)
        goal = find_goal(rooms, state, player, seed)
        if player["worlds"] > 0 and room["arm_count"] == 1:
            _play_out_only_exit(rooms, player, seed)
        for a in range(room["arm_count"]):
            worth = room["worths"][a] if player["worlds"] > 0 else room["ranks"][a]
            action = path[0] if safe > 0 else _first_action(room, room["arms"][a])
            _rate(masks[row], ratings[row], action, worth)
        if room["arm_count"] == 0:
            for node in range(room["count"]):
                worth = _end_worth(room, node, goal, player)
                action = path[0] if safe > 0 else _first_action(room, node)
                _rate(masks[row], ratings[row], action, worth)


@separate_kernel
def _rate(mask: Any, ratings: Any, action: int, worth: float) -> None:
    if not np.isnan(worth) and mask[action] and not ratings[action] >= worth:
        ratings[action] = worth


@separate_kernel
def _play_out_only_exit(rooms: Any, player: Any, seed: Any) -> None:
    """Play out an exit without rivals, which is chosen unseen but should have a number, too."""
    total = 0.0
    for world in range(player["worlds"]):
        total += playout_result(rooms[0], rooms[1], rooms[0]["arms"][0], player, mix(seed, world))
    rooms[0]["worths"][0] = total / player["worlds"]


@separate_kernel
def _end_worth(room: Any, node: int, goal: int, player: Any) -> float:
    """Return what a node says for the way to it, where a win was found or the stock is empty."""
    cards, won = foundation_cards(room["states"][node]), room["won"] >= 0
    root = room["states"][ROOT]
    leads_nowhere = node != ROOT and cards <= foundation_cards(root)
    if leads_nowhere or (won and node != goal):
        return np.nan
    if player["worlds"] == 0:
        return float(cards)
    every = root["foundations"].shape[0] * root["unseen"].shape[1]
    return float(won + player["cards_worth"] * cards / every)


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
