"""What an agent thinks of its choices, where it can say so."""

from __future__ import annotations

from typing import Final, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agents.agent import ActionMasks, Agent, Observations

MOST_FAVOURED: Final = 5
_DECIMALS: Final = 4

Favoured = tuple[tuple[int, float], ...]


@runtime_checkable
class RatingAgent(Agent, Protocol):
    """An agent that can rate actions."""

    @property
    def measure(self) -> Literal["probability", "value"]:
        """What the ratings are: probabilities in [0, 1], or values in a unit of the agent's own."""
        ...

    def rate(self, observations: Observations, action_masks: ActionMasks) -> NDArray[np.float64]:
        """Rate the actions of any number of positions, without counting as a choice.

        Args:
            observations: Shape ``(n, length)``, as in `agents.agent.Agent.act`.
            action_masks: Shape ``(n, 269)``.

        Returns:
            Shape ``(n, 269)``; the higher the better, NaN for what is not allowed or not rated.
        """
        ...


def favoured_actions(
    agent: RatingAgent, observations: Observations, action_masks: ActionMasks
) -> list[Favoured]:
    """Return the best-rated actions of each position, best first, with their rounded ratings.

    Args:
        agent: Who is asked.
        observations: Shape ``(n, length)``.
        action_masks: Shape ``(n, 269)``.

    Returns:
        For each position at most `MOST_FAVOURED` pairs of action and rating; of equal ratings the
        action of the lower number comes first.
    """
    ratings = agent.rate(observations, action_masks)
    best = np.argsort(-ratings, axis=1, kind="stable")[:, :MOST_FAVOURED]  # NaN comes last
    return [
        tuple(
            (int(action), round(float(row[action]), _DECIMALS))
            for action in actions
            if np.isfinite(row[action])
        )
        for row, actions in zip(ratings, best, strict=True)
    ]
