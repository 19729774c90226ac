"""Labels for positions: the first action of the plan that is made from a position alone.

Plans are those of `agents.search.planning` without take-backs; `agents.imitation.teacher` says why.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.closure import ROOT, search, write_path
from agents.search.knowledge import read_table
from agents.search.moves import make_safe_moves
from agents.search.planning import DRAW, MOST_ACTIONS
from qv_env import engine
from qv_env.cards import NO_CARD
from qv_env.jit import separate_kernel

NOTHING: Final = -1  # the label of positions in which there is nothing left to do

PLAN: Final = np.dtype(
    [
        ("length", np.int64),  # 0 where there is no plan to keep
        ("next", np.int64),
        ("actions", np.int16, (MOST_ACTIONS,)),
    ]
)


@separate_kernel
def label_positions(
    room: Any,
    plain: Any,
    state: Any,
    tables: Any,
    masks: Any,
    plans: Any,
    weights: Any,
    nodes: int,
    labels: Any,
) -> None:
    """Write a label for each position; see `agents.imitation.teacher.Teacher`.

    Args:
        room: A `closure.workspace` record.
        plain: Room for a bool for each node.
        state: A state record to work on.
        tables: Records of type `qv_env.CARDS_DTYPE`, shape ``(n,)``.
        masks: Action masks, int8 of shape ``(n, 269)``.
        plans: Plans to keep, shape ``(n,)``.
        weights: See `agents.search.evaluation.evaluate`.
        nodes: Most positions to look at.
        labels: Written, int64 of shape ``(n,)``.
    """
    for row in range(labels.shape[0]):
        plan = plans[row]
        if plan["next"] >= plan["length"]:
            read_table(state, tables[row])
            plan["next"] = 0
            plan["length"] = _make_plan(room, plain, state, weights, nodes, plan["actions"])
        labels[row] = NOTHING
        if plan["length"] > 0:
            action = int(plan["actions"][plan["next"]])
            plan["next"] += 1
            if masks[row, action]:
                labels[row] = action
            if room["won"] < 0 and plan["next"] == 1:
                plan["length"] = 0


@separate_kernel
def _make_plan(room: Any, plain: Any, state: Any, weights: Any, nodes: int, actions: Any) -> int:
    """Write the actions from here to a win or to the next draw, and return how many."""
    count = make_safe_moves(state, actions, 0)
    search(room, state, weights, nodes)
    goal = _plain_goal(room, plain, state)
    count = write_path(room, goal, actions, count)
    if room["won"] < 0 and state["stock_count"] > 0:
        actions[count] = DRAW
        count += 1
    return int(count)


@separate_kernel
def _plain_goal(room: Any, plain: Any, state: Any) -> int:
    """Return where to go, as the planner would choose of what is reached without take-backs.

    Where the win that the search has found is not, it counts as not found.
    """
    values, exits, best = room["values"], room["exits"], room["best"]
    for node in range(room["count"]):
        plain[node] = node == ROOT or (plain[room["parents"][node]] and _is_plain(room, node))
        if plain[node]:
            exit_node = exits[node]
            if exit_node == node or values[node] > best[exit_node]:
                best[exit_node] = values[node]
    won = room["won"]
    if won >= 0 and plain[won]:
        return int(won)
    room["won"] = -1
    goal = ROOT
    for node in range(room["count"]):
        if not plain[node]:
            continue
        if state["stock_count"] == 0:
            up = engine.foundation_cards(room["states"][node])
            if up > engine.foundation_cards(room["states"][goal]):
                goal = node
        elif exits[node] == node and best[node] > best[goal]:
            goal = node
    return goal


@separate_kernel
def _is_plain(room: Any, node: int) -> bool:
    """Return whether the move that led to a node took no card back from a foundation."""
    before = room["states"][room["parents"][node]]
    card, top = before["tops"][room["moves"][node, 0]], before["tops"][room["moves"][node, 1]]
    goes_up = room["moves"][node, 1] >= before["heights"].shape[0]
    return bool(goes_up or top == NO_CARD or top == card + 1)
