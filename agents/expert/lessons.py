"""The two kinds of records that are learned from, and how they are played."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from agents.search import closure
from agents.search.outcomes import OUTCOME, POSITIONS, play_outcomes
from agents.search.teaching import MOST_SIBLINGS, SIBLING, play_lessons
from qv_env import engine


def lessons(deals: Any, player: Any) -> Any:
    """Return records of type `SIBLING` of games by a teacher."""
    siblings = np.zeros((len(deals), MOST_SIBLINGS), SIBLING)
    counts = np.zeros(len(deals), np.int64)
    rooms = _rooms(int(max(player["nodes"], player["playout_nodes"])))
    state = np.zeros(1, engine.STATE)[0]
    players = np.array([player])
    play_lessons(rooms[0], rooms[1], state, deals, players, siblings, counts)
    return siblings[np.arange(MOST_SIBLINGS) < counts[:, None]]


def outcomes(deals: Any, player: Any) -> Any:
    """Return records of type `OUTCOME` of games by a planner."""
    noted = np.zeros((len(deals), POSITIONS), OUTCOME)
    counts = np.zeros(len(deals), np.int64)
    rooms = _rooms(int(player["nodes"]))
    play_outcomes(rooms[:1], np.zeros(1, engine.STATE), deals, np.array([player]), noted, counts)
    return noted[np.arange(POSITIONS) < counts[:, None]]


@cache
def _rooms(nodes: int) -> Any:
    return np.concatenate([closure.workspace(nodes) for _ in range(2)])
