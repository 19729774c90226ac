"""Games that a learner and its teacher play together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import ActionMasks, Actions, Observations
from agents.imitation.teacher import NOTHING, Teacher
from agents.sb3_vec_env import spread_seeds
from qv_env import QuaranteVoleursVectorEnv
from qv_env.deals import split_numbers

# Figures of games that have ended, and where infos hold them.
FIGURES: Final = ("win_rate", "score", "foundation_cards", "plies")
_INFOS: Final = ("is_success", "score", "foundation_cards", "moves")

Choose: TypeAlias = Callable[[Observations, ActionMasks], Actions]


class Labelled(NamedTuple):
    """Positions of one step in which there was something to choose, with the teacher's choice.

    Attributes:
        observations: uint8 ``(n, 248)``.
        masks: int8 ``(n, 269)``.
        labels: int64 ``(n,)``.
        agreed: How often the learner chose as the teacher does.
    """

    observations: Observations
    masks: ActionMasks
    labels: Actions
    agreed: int


class Games:
    """Train deals that are played by a mixture of a learner and its teacher.

    A game ends early where the teacher has nothing left to say: the stock is used up, and nothing
    more can go to a foundation.

    Args:
        games: How many are played side by side.
        teacher: Labels the positions.
        env_kwargs: Keywords of the environment, but for ``split``.
        seed: Fixes the deals and all chance but the learner's.
    """

    def __init__(
        self, games: int, teacher: Teacher, env_kwargs: Mapping[str, Any], seed: int
    ) -> None:
        self.env = QuaranteVoleursVectorEnv(
            games, split="train", autoreset_mode=AutoresetMode.DISABLED, copy=False, **env_kwargs
        )
        self.teacher = teacher
        self.rng = np.random.default_rng(seed)
        seeds = spread_seeds(seed, games, split_numbers("train"))
        self._observations, infos = self.env.reset(seed=seeds)
        self._masks: ActionMasks = infos["action_mask"]
        self._ended: list[dict[str, float]] = []

    def take_ended(self) -> list[dict[str, float]]:
        """Return figures of the games that have ended since this was last asked."""
        ended, self._ended = self._ended, []
        return ended

    def state(self) -> dict[str, Any]:
        """Return all that decides how the games go on, for `restore`."""
        return {
            "games": self.env.get_state(),
            "plans": self.teacher.plans.copy(),
            "observations": self._observations.copy(),
            "masks": self._masks.copy(),
            "numpy": self.rng.bit_generator.state,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was called."""
        self.env.set_state(state["games"])
        self.teacher.plans[:] = state["plans"]
        self._observations, self._masks = state["observations"], state["masks"]
        self.rng.bit_generator.state = state["numpy"]

    def step(self, choose: Choose, teacher_share: float) -> Labelled:
        """Play one ply of every game.

        Args:
            choose: The learner.
            teacher_share: In this share of the games the teacher's choice is played.
        """
        observations, masks = self._observations.copy(), self._masks.copy()
        labels = self.teacher.label(observations, masks)
        chosen = choose(observations, masks)
        by_teacher = (self.rng.random(len(labels)) < teacher_share) & (labels != NOTHING)
        actions = np.where(by_teacher, labels, chosen)
        self.teacher.follow(labels, actions)
        self._play(actions, labels == NOTHING)
        open_rows = (labels != NOTHING) & (np.count_nonzero(masks, axis=1) > 1)
        return Labelled(
            observations[open_rows],
            masks[open_rows],
            labels[open_rows],
            int(np.count_nonzero((labels == chosen)[open_rows])),
        )

    def _play(self, actions: Actions, over: NDArray[np.bool_]) -> None:
        self._observations, _, terminated, truncated, infos = self.env.step(actions)
        self._masks = infos["action_mask"]
        done = terminated | truncated | over
        if done.any():
            rows = np.flatnonzero(done)
            columns = [infos[key][rows].tolist() for key in _INFOS]
            self._ended.extend(
                dict(zip(FIGURES, map(float, game), strict=True))
                for game in zip(*columns, strict=True)
            )
            self.teacher.forget(rows)
            self._observations, infos = self.env.reset(options={"reset_mask": done})
            # Infos of a reset tell of the games that have been reset alone.
            self._masks = np.where(done[:, None], infos["action_mask"], self._masks)
