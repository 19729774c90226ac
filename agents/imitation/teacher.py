"""The planner as a teacher: what it would do in positions that somebody else has reached.

The label of a position is the first action of the plan that `agents.search` makes from that
position alone, whatever led to it, by its tuned evaluation (`planner:weights=none`). Two things
differ from how the planner plays:

- Take-backs are left out. The planner's plans take cards back from foundations to which it moves
  them at once whenever it is free to, so that a player who remembers no plan would move them to and
  fro for ever. Without take-backs as many games are won.
- A plan that wins is kept for as long as the player follows it. All ways to a win look alike to
  the search, and it may find another one after every move.

Playing by itself the teacher wins 20 % of train deals with 1,000 positions a search.
"""

from __future__ import annotations

import numpy as np

from agents.agent import ActionMasks, Actions, Observations, Rows
from agents.search import closure
from agents.search.labels import NOTHING, PLAN, label_positions
from agents.search.weights import load_weights
from qv_env import engine, read_observation

__all__ = ["NOTHING", "Teacher"]


class Teacher:
    """Says what the planner would do in each of many games.

    Args:
        games: Number of games, each with a row of its own.
        nodes: Most positions that are looked at for a label.
    """

    def __init__(self, games: int, nodes: int) -> None:
        self._room = closure.workspace(nodes)
        self._plain = np.zeros(nodes, np.bool_)
        self._nodes = nodes
        self._state = engine.new_state()
        self._weights = load_weights()
        self.plans = np.zeros(games, PLAN)

    def label(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Return the planner's action in each game, or `NOTHING`; int64 ``(n,)``.

        Args:
            observations: `cards` observations, uint8 ``(n, 248)``.
            action_masks: Shape ``(n, 269)``; a label never lies outside them.
        """
        labels = np.empty(len(observations), np.int64)
        label_positions(
            self._room[0],
            self._plain,
            self._state,
            read_observation(observations),
            action_masks,
            self.plans,
            self._weights,
            self._nodes,
            labels,
        )
        return labels

    def follow(self, labels: Actions, actions: Actions) -> None:
        """Learn what was played where `label` said something; plans not followed are forgotten."""
        self.forget(np.flatnonzero(labels != actions))

    def forget(self, rows: Rows) -> None:
        """Forget the plans of some games, because others begin there."""
        self.plans["length"][rows] = 0
