"""Agents that search what can be seen: the planner, and the sampler that stands on it.

Between two draws the game is deterministic and fully visible. The *planner* searches that part,
judges each position it could draw from by a tuned evaluation of public facts, and draws from the
best. The *sampler* plays the best of those positions out on random orders of the unseen cards,
with the planner as the player, and draws from the one that does best.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from agents.search import closure, planning, rating
from agents.search.player import LEARNED_FILE, new_player
from qv_env import engine, read_observation

LEARNED: Final = "learned"
HAND_TUNED: Final = "none"


class PlannerAgent:
    """Draws from the position that its learned ranking likes best.

    It rates actions (`agents.rating.RatingAgent`) by what it chooses by: the rank of the best
    position to draw from that it finds behind the action. Where it sees a win or the stock is
    empty, the rating is the number of cards on the foundations that the action leads to.

    Args:
        nodes: Most positions looked at between two draws.
        weights: ``learned`` for the networks of the package, ``none`` for the hand-tuned
            evaluation alone, or the path of a file with networks of your own.
    """

    name: str = "planner"
    env_kwargs: ClassVar[Mapping[str, Any]] = {"observation": "cards"}

    def __init__(self, nodes: int = 4000, weights: str = LEARNED) -> None:
        self._start(new_player(learned=_file(weights), nodes=nodes))

    def _start(self, player: Any) -> None:
        self._player = player
        nodes = max(player["nodes"], player["playout_nodes"])
        self._rooms = np.concatenate([closure.workspace(nodes) for _ in range(2)])
        self._state = engine.new_state()
        self._plans = np.zeros(0, planning.PLAN)

    @property
    def counts(self) -> Mapping[str, NDArray[np.int64]]:
        """Positions looked at and playouts made for the game of each row."""
        return {name: self._plans[name] for name in ("nodes", "playouts")}

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        """Begin new games; see `agents.agent.Agent.reset`."""
        fresh = np.zeros(len(seeds), planning.PLAN)
        fresh["seed"] = seeds
        if rows is None:
            self._plans = fresh
        else:
            self._plans[rows] = fresh

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Choose an action for every row; see `agents.agent.Agent.act`."""
        actions = np.empty(len(action_masks), np.int64)
        planning.choose_actions(
            self._rooms,
            self._state,
            read_observation(observations),
            action_masks,
            self._plans,
            self._player,
            actions,
        )
        return actions

    @property
    def measure(self) -> Literal["value"]:
        """What `rate` gives: values."""
        return "value"

    def rate(self, observations: Observations, action_masks: ActionMasks) -> NDArray[np.float64]:
        """Rate the actions of positions; see `agents.rating.RatingAgent.rate`."""
        ratings = np.full(action_masks.shape, np.nan)
        rating.rate_actions(
            self._rooms,
            self._state,
            read_observation(observations),
            action_masks,
            self._player,
            ratings,
        )
        return ratings


class SamplerAgent(PlannerAgent):
    """Draws from the position that does best in playouts.

    It rates actions by playouts of their own: about the share of games won, and a little for cards
    on the foundations.

    Args:
        worlds: Random orders of the unseen cards in each round; after a round the worse half of
            the candidates is dropped.
        candidates: Positions to begin with.
        nodes: Most positions looked at between two draws.
        playout_nodes: The same in playouts.
        horizon: Draws after which a playout is judged by a network instead of played on.
        prior_worlds: Playouts that the learned rank of a position counts for.
        weights: As of the planner; the network that judges playouts has a part in any case.
    """

    name: str = "sampler"

    def __init__(
        self,
        worlds: int = 6,
        candidates: int = 6,
        nodes: int = 1000,
        playout_nodes: int = 300,
        horizon: int = 16,
        prior_worlds: float = 12,
        weights: str = LEARNED,
    ) -> None:
        if worlds < 1:
            raise ValueError(f"the sampler needs one world or more; got {worlds}")
        player = new_player(
            learned=_file(weights),
            worlds=worlds,
            candidates=candidates,
            nodes=nodes,
            playout_nodes=playout_nodes,
            horizon=horizon,
            prior_worlds=prior_worlds,
        )
        self._start(player)


def _file(weights: str) -> Path | None:
    """Return the file with the networks that an option names, or None."""
    if weights == HAND_TUNED:
        return None
    return LEARNED_FILE if weights == LEARNED else Path(weights)


NAMES: Final = {"planner": PlannerAgent, "sampler": SamplerAgent}
