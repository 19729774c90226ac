"""Agents that search what can be seen: the planner, and the sampler that stands on it.

Between two draws the game is deterministic and fully visible. The *planner* searches that part,
judges each position it could draw from by a tuned evaluation of public facts, and draws from the
best. The *sampler* plays the best of those positions out on random orders of the unseen cards,
with the planner as the player, and draws from the one that does best.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from agents.search import closure, planning, rating
from agents.search.value import load_net
from agents.search.weights import load_weights
from qv_env import engine, read_observation

_LEAST: Final = {"nodes": 2, "playout_nodes": 2, "candidates": 1, "worlds": 0, "horizon": 1}


class PlannerAgent:
    """Draws from the position that its evaluation likes best.

    It rates actions (`agents.rating.RatingAgent`) by what it chooses by: the evaluation of the best
    position to draw from that it finds behind the action. Where it sees a win or the stock is
    empty, the rating is the number of cards on the foundations that the action leads to.

    Args:
        nodes: Most positions looked at between two draws.
    """

    name: str = "planner"
    env_kwargs: ClassVar[Mapping[str, Any]] = {"observation": "cards"}

    def __init__(self, nodes: int = 4000) -> None:
        self._start(nodes=nodes, playout_nodes=2, candidates=1, worlds=0, horizon=1)

    def _start(self, **settings: int) -> None:
        self._settings = np.zeros(1, planning.SETTINGS)
        self._settings["cards_worth"] = planning.CARDS_WORTH
        for name, value in settings.items():
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
            if value < _LEAST[name]:
                raise ValueError(f"{name} must be {_LEAST[name]} or more; got {value}")
            self._settings[name] = value
        nodes = max(settings["nodes"], settings["playout_nodes"])
        self._rooms = np.concatenate([closure.workspace(nodes) for _ in range(2)])
        self._state = engine.new_state()
        self._means = np.zeros(nodes)
        self._weights = load_weights()
        self._net = load_net()
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
            self._weights,
            self._net,
            self._settings[0],
            self._means,
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
            self._weights,
            self._net,
            self._settings[0],
            self._means,
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
    """

    name: str = "sampler"

    def __init__(
        self,
        worlds: int = 8,
        candidates: int = 6,
        nodes: int = 1000,
        playout_nodes: int = 300,
        horizon: int = 16,
    ) -> None:
        if worlds < 1:
            raise ValueError(f"the sampler needs one world or more; got {worlds}")
        self._start(
            nodes=nodes,
            playout_nodes=playout_nodes,
            candidates=candidates,
            worlds=worlds,
            horizon=horizon,
        )


NAMES: Final = {"planner": PlannerAgent, "sampler": SamplerAgent}
