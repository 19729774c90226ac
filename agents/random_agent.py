"""The random agent: every allowed action is equally likely."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from agents.chance import below, mix
from qv_env.jit import kernel


class RandomAgent:
    """Chooses uniformly among the actions that the mask allows.

    Args:
        mask: Which mask of the environment that is. The canonical one has each move once, of those
            that lead to like positions.
    """

    name: Final = "random"
    env_kwargs: Mapping[str, Any] = {}
    measure: Final = "probability"

    def __init__(self, mask: Literal["legal", "canonical"] = "legal") -> None:
        if mask != "legal":
            self.env_kwargs = {"mask": mask}
        self._seeds = np.zeros(0, np.uint64)
        self._plies = np.zeros(0, np.int64)

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        """Begin new games; see `agents.agent.Agent.reset`."""
        if rows is None:
            self._seeds = np.array(seeds, np.uint64)
            self._plies = np.zeros(len(seeds), np.int64)
        else:
            self._seeds[rows] = seeds
            self._plies[rows] = 0

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Choose an action for every row; see `agents.agent.Agent.act`."""
        del observations
        actions = np.empty(len(action_masks), np.int64)
        _choose(self._seeds, self._plies, action_masks, actions)
        self._plies += 1
        return actions

    def rate(self, observations: Observations, action_masks: ActionMasks) -> NDArray[np.float64]:
        """Return equal probabilities; see `agents.rating.RatingAgent.rate`."""
        del observations
        allowed = action_masks != 0
        share: NDArray[np.float64] = 1 / np.maximum(allowed.sum(axis=1, keepdims=True), 1)
        return np.where(allowed, share, np.nan)


@kernel
def _choose(seeds: Any, plies: Any, action_masks: Any, actions: Any) -> None:
    """Write one allowed action for each row; a row that allows nothing gets action 0."""
    for row in range(actions.shape[0]):
        allowed = 0
        for action in range(action_masks.shape[1]):
            allowed += action_masks[row, action] != 0
        skip = below(mix(seeds[row], plies[row]), allowed)
        actions[row] = 0
        for action in range(action_masks.shape[1]):
            if action_masks[row, action] != 0:
                if skip == 0:
                    actions[row] = action
                    break
                skip -= 1
