"""Saving, restoring and copying an environment, single or vector."""

from __future__ import annotations

import copy
from typing import Any, Final, Self

import numpy as np

from qv_env.batch import Batch, Outputs
from qv_env.settings import check_choice

HIDDEN_CHOICES: Final = ("keep", "resample")
_NO_SEED: Final = -1


class Snapshots:
    """`get_state`, `set_state` and `clone` for an environment that stands on a `Batch`."""

    _batch: Batch
    _outputs: Outputs | None
    _np_random: np.random.Generator | None
    _np_random_seed: int | None

    def get_state(self) -> dict[str, Any]:
        """Return all that decides how this and later episodes go on, for `set_state`."""
        return {
            "batch": self._batch.snapshot(),
            "outputs": copy.deepcopy(self._outputs),
            "np_random": copy.deepcopy(self._np_random),
            "np_random_seed": self._np_random_seed,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` returned, here or in an environment made alike.

        Raises:
            ValueError: The state comes from an environment with another number of games.
        """
        self._batch.restore(state["batch"])
        self._outputs = copy.deepcopy(state["outputs"])
        self._np_random = copy.deepcopy(state["np_random"])
        self._np_random_seed = state["np_random_seed"]

    def clone(self, hidden: str = "keep", seed: int | None = None) -> Self:
        """Return an independent copy of the environment.

        Args:
            hidden: ``keep`` for an exact copy; ``resample`` to put the unseen cards into a random
                order, so that the copy says nothing of the real stock, deal or later deals.
            seed: Decides that order; None takes fresh entropy. The environment's own random
                generator is not touched.

        Raises:
            ValueError: ``hidden`` is neither of the two.
        """
        check_choice("hidden", hidden, HIDDEN_CHOICES)
        twin = copy.deepcopy(self)
        if hidden == "resample":
            twin.resample_hidden(seed)
        return twin

    def resample_hidden(self, seed: int | None = None) -> None:
        """Put the unseen cards into a random order, in place; see `clone`."""
        rng = np.random.default_rng(seed)
        self._batch.resample(rng)
        # The old generator's seed names the deal of a game that was reset with it.
        self._np_random, self._np_random_seed = rng, _NO_SEED
        if self._outputs is not None:
            self._batch.show(np.arange(self._batch.size), self._outputs)
