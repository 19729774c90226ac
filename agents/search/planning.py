"""Plans for batches of games: the actions from here to the next draw, that draw included."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.chance import mix
from agents.search.closure import write_path
from agents.search.knowledge import read_table
from agents.search.moves import make_safe_moves
from agents.search.ranking import search_exit
from agents.search.sampling import choose_exit
from qv_env.engine import foundation_cards
from qv_env.jit import separate_kernel

DRAW: Final = 0
MOST_ACTIONS: Final = 256

PLAN: Final = np.dtype(
    [
        ("seed", np.uint64),
        ("nodes", np.int64),  # looked at for this game so far
        ("playouts", np.int64),
        ("decisions", np.int64),
        ("length", np.int64),
        ("next", np.int64),
        ("given_up", np.bool_),  # nothing is left to draw and nothing to win
        ("actions", np.int16, (MOST_ACTIONS,)),
    ]
)


@separate_kernel
def choose_actions(
    rooms: Any, state: Any, tables: Any, masks: Any, plans: Any, player: Any, actions: Any
) -> None:
    """Write the next action of every row's plan, after planning where a plan has ended.

    Args:
        rooms: Two `closure.workspace` records: for the search and for playouts.
        state: A state record to work on.
        tables: Records of type `qv_env.CARDS_DTYPE`, shape ``(n,)``.
        masks: Action masks, int8 of shape ``(n, 269)``.
        plans: Records of type `PLAN`, shape ``(n,)``.
        player: A record of type `agents.search.player.PLAYER`.
        actions: Written, int64 of shape ``(n,)``.
    """
    for row in range(actions.shape[0]):
        plan = plans[row]
        if plan["next"] == plan["length"] and not plan["given_up"]:
            read_table(state, tables[row])
            _plan(rooms, state, plan, player)
        actions[row] = _allowed(masks[row], plan)


@separate_kernel
def _plan(rooms: Any, state: Any, plan: Any, player: Any) -> None:
    path = plan["actions"]
    for room in rooms:
        room["looked_at"], room["playouts"] = 0, 0
    count = make_safe_moves(state, path, 0)
    goal = find_goal(rooms, state, player, mix(plan["seed"], plan["decisions"]))
    count = write_path(rooms[0], goal, path, count)
    if state["stock_count"] > 0 and rooms[0]["won"] < 0:
        path[count] = DRAW
        count += 1
    plan["length"], plan["next"] = count, 0
    plan["given_up"] = state["stock_count"] == 0
    plan["decisions"] += 1
    for room in rooms:
        plan["nodes"] += room["looked_at"]
        plan["playouts"] += room["playouts"]


@separate_kernel
def find_goal(rooms: Any, state: Any, player: Any, seed: Any) -> int:
    """Search from a position, in which all safe moves have been made, for where to go.

    Args:
        rooms: See `choose_actions`; the first holds the search.
        state: Where the search begins.
        player: See `choose_actions`.
        seed: Decides the orders of the unseen cards in playouts; uint64.

    Returns:
        A won node; failing that, the exit to draw from; without a stock, the first of the nodes
        with most cards on the foundations.
    """
    if player["worlds"] > 0:
        goal = choose_exit(rooms[0], rooms[1], state, player, seed)
    else:
        goal = search_exit(rooms[0], state, player, player["nodes"])
    if state["stock_count"] == 0 and rooms[0]["won"] < 0:
        goal = _fullest(rooms[0])
    return int(goal)


@separate_kernel
def _fullest(room: Any) -> int:
    """Return the node with most cards on the foundations, the first of several."""
    best, most = 0, -1
    for node in range(room["count"]):
        cards = foundation_cards(room["states"][node])
        if cards > most:
            best, most = node, cards
    return best


@separate_kernel
def _allowed(mask: Any, plan: Any) -> int:
    """Return the plan's next action, or the first that the mask allows where nothing is left."""
    if plan["next"] < plan["length"]:
        action = int(plan["actions"][plan["next"]])
        plan["next"] += 1
        if mask[action]:
            return action
        plan["length"] = plan["next"]
    for action in range(mask.shape[0]):
        if mask[action]:
            return action
    return DRAW
