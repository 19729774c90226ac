"""Which exit to draw from: the hand-tuned evaluation, corrected by a small network.

Positions of one decision are alike in most things, and what tells them apart decides games. So the
network has learned nothing but to rank the exits of one decision, from the results of playouts of
each on the same random stocks (`agents.search.teaching`). The evaluation keeps a say: it has seen
more.
"""

from __future__ import annotations

from typing import Any, Final

from agents.search.closure import search
from agents.search.network import ask
from qv_env.jit import separate_kernel

OUTPUT_SCALE: Final = 20.0  # the network's output, in units of a result


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
    """Write the exits of a search that look best, and their ranks.

    The first ``room["arm_count"]`` numbers of ``room["arms"]`` are exits, the best evaluation
    first, and those of ``room["ranks"]`` their ranks, which compare within one search only.
    """
    list_exits(room, player["choices"])
    for a in range(room["arm_count"]):
        exit_node = room["arms"][a]
        rank = room["best"][exit_node] * player["hand_worth"]
        if player["is_learned"] and room["arm_count"] > 1:
            behind = room["states"][room["behind"][exit_node]]
            rank += ask(behind, player["ranking"], room["layers"])[0] / OUTPUT_SCALE
        room["ranks"][a] = rank


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
