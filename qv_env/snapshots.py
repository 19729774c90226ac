"""Saving, restoring and copying an environment, single or vector."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Final, Self

import numpy as np

from qv_env.batch import Batch, Outputs
from qv_env.options import checked_seed
from qv_env.settings import Settings, check_choice

HIDDEN_CHOICES: Final = ("keep", "resample")
_NO_SEED: Final = -1
_PARTS: Final = ("settings", "batch", "outputs", "np_random", "np_random_seed")


class Snapshots:
    """`get_state`, `set_state` and `clone` for an environment that stands on a `Batch`."""

    _batch: Batch
    _outputs: Outputs | None
    _np_random: np.random.Generator | None
    _np_random_seed: int | None

    def get_state(self) -> dict[str, Any]:
        """Return all that decides how this and later episodes go on, for `set_state`."""
        return {
            "settings": self._batch.settings,
            "batch": self._batch.snapshot(),
            "outputs": copy.deepcopy(self._outputs),
            "np_random": copy.deepcopy(self._np_random),
            "np_random_seed": self._np_random_seed,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` returned, here or in an environment made alike.

        Raises:
            ValueError: It is no such state, or comes from an environment with other keywords or
                another number of games; nothing has changed then.
        """
        _check_state(state, self._batch.settings)
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
            ValueError: ``hidden`` is neither of the two, or the seed is negative.
            TypeError: The seed is not a whole number.
        """
        seed = checked_seed(seed)
        check_choice("hidden", hidden, HIDDEN_CHOICES)
        twin = copy.deepcopy(self)
        if hidden == "resample":
            twin.resample_hidden(seed)
        return twin

    def resample_hidden(self, seed: int | None = None) -> None:
        """Put the unseen cards into a random order, in place; see `clone`."""
        rng = np.random.default_rng(checked_seed(seed))
        self._batch.resample(rng)
        # The old generator's seed names the deal of a game that was reset with it.
        self._np_random, self._np_random_seed = rng, _NO_SEED
        if self._outputs is not None:
            self._batch.show(np.arange(self._batch.size), self._outputs)


def _check_state(state: Any, settings: Settings) -> None:
    """See that a state was made by `Snapshots.get_state` of an environment with these settings."""
    if not isinstance(state, dict):
        raise ValueError(f"expected a state from get_state(), got {state!r}")
    missing = [part for part in _PARTS if part not in state]
    if missing:
        raise ValueError(f"expected a state from get_state(), got one without {missing[0]!r}")
    theirs, ours = dataclasses.asdict(state["settings"]), dataclasses.asdict(settings)
    other = [name for name in ours if theirs[name] != ours[name]]
    if other:
        was, now = (
            ", ".join(f"{name}={values[name]!r}" for name in other) for values in (theirs, ours)
        )
        raise ValueError(f"this state is of an environment with {was}; this one has {now}")
