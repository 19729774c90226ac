"""Which exit to draw from: the hand-tuned evaluation, corrected by a small network.

Positions of one decision are alike in most things, and what tells them apart decides games. So the
network has learned nothing but to rank the exits of one decision, from the results of playouts of
each on the same random stocks (`agents.search.teaching`), and it is told how each differs from the
others. It has two outputs: a *preference*, learned so that choosing the highest gives the best
results, and an *estimate* of how far the result is from the mean of the decision.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.closure import ARM_INPUTS, search
from agents.search.network import ask, net_dtype, write_public
from qv_env.jit import kernel, separate_kernel

INPUTS: Final = 2 * ARM_INPUTS  # of an exit, and how they differ from the mean of the decision
NET: Final = net_dtype(INPUTS)
RESULT_SCALE: Final = 20.0  # by which results are multiplied that the network learns
HAND_WORTH: Final = 0.1  # of the evaluation, beside the network's preference
# Estimates are right on the whole, ranks about the best: what is best by both is seldom wrong.
RANK_WORTH: Final = 0.003


@separate_kernel
def search_exit(room: Any, state: Any, player: Any, nodes: int) -> int:
    """Search from a position, in which all safe moves have been made, and choose an exit.

    Args:
        room: A `agents.search.closure.workspace` record; see `rank_exits` for what is written.
        state: Where the search begins.
        player: A record of type `agents.search.player.PLAYER`.
        nodes: Most positions to look at.

    Returns:
        The exit with the best rank; a won node where one was found; the exit with the best
        evaluation where the stock is empty.
    """
    best = search(room, state, player["weights"], nodes)
    room["arm_count"] = 0
    if room["won"] >= 0 or state["stock_count"] == 0:
        return int(best)
    rank_exits(room, player)
    top = 0
    for a in range(1, room["arm_count"]):
        if room["ranks"][a] > room["ranks"][top]:
            top = a
    return int(room["arms"][top])


@separate_kernel
def rank_exits(room: Any, player: Any) -> None:
    """Write the exits of a search that look best, and what is thought of them.

    The first ``room["arm_count"]`` numbers of ``room["arms"]`` are exits, the best evaluation
    first. Those of ``room["ranks"]`` say which to choose, and those of ``room["estimates"]`` how
    far the results of playouts will be above or below the mean; both compare within one search.
    """
    list_exits(room, player["choices"])
    for a in range(room["arm_count"]):
        room["ranks"][a] = room["best"][room["arms"][a]] * HAND_WORTH
        room["estimates"][a] = 0.0
    if player["is_learned"] and room["arm_count"] > 1:
        _ask_for_arms(room, player["ranking"])


@separate_kernel
def _ask_for_arms(room: Any, net: Any) -> None:
    count, rows = room["arm_count"], room["arm_inputs"]
    inputs, layers = room["layers"]["inputs"], room["layers"]
    for a in range(count):
        exit_node = room["arms"][a]
        behind = room["states"][room["behind"][exit_node]]
        write_arm_inputs(behind, room["best"][exit_node], layers["facts"], rows[a])
    for a in range(count):
        for k in range(ARM_INPUTS):
            mean = np.float32(0)
            for b in range(count):
                mean += rows[b, k]
            inputs[k] = rows[a, k]
            inputs[ARM_INPUTS + k] = rows[a, k] - mean / np.float32(count)
        preference, estimate = ask(net, layers)
        room["ranks"][a] += preference
        room["estimates"][a] = estimate / RESULT_SCALE + room["ranks"][a] * RANK_WORTH


@kernel
def write_arm_inputs(state: Any, value: float, facts: Any, inputs: Any) -> None:
    """Write what the network is told of an exit by itself.

    Args:
        state: The best position behind it.
        value: The evaluation of that position.
        facts: Room for the facts, float64 of shape ``(len(FACTS),)``.
        inputs: Written, float32 of shape ``(ARM_INPUTS,)``.
    """
    write_public(state, facts, inputs)
    inputs[ARM_INPUTS - 1] = value


@separate_kernel
def list_exits(room: Any, most: int) -> None:
    """Write the exits with the best evaluations to ``room["arms"]``, best first."""
    arms, best = room["arms"], room["best"]
    count = 0
    for node in range(room["count"]):
        if room["exits"][node] != node:
            continue
        value = best[node]
        at = count if count < most else count - 1
        if count == most and value <= best[arms[at]]:
            continue
        while at > 0 and best[arms[at - 1]] < value:
            arms[at] = arms[at - 1]
            at -= 1
        arms[at] = node
        count = min(count + 1, most)
    room["arm_count"] = count
