"""What an environment shows of a position that was reached elsewhere, as in a person's game."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from qv_env.batch import Batch
from qv_env.settings import DEFAULT_MAX_EPISODE_STEPS, Settings

_ROW: Final = np.zeros(1, np.int64)


def observe(
    state: Any, *, plies_left: int = DEFAULT_MAX_EPISODE_STEPS, **keywords: Any
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
    """Return the observation and the action mask of a position in which a game goes on.

    Args:
        state: A state record of the full game (`qv_env.engine`); it is not changed.
        plies_left: What the observation says is left of the episode, in [1, 65535].
        **keywords: The environment's keywords, such as ``observation`` and ``mask``.

    Returns:
        Observation, uint8 of shape ``(length,)``, and mask, int8 of shape ``(269,)``.

    Raises:
        ValueError: A keyword has a wrong value.

    >>> from qv_env import Game
    >>> observation, mask = observe(Game(21).state)
    >>> observation.shape, np.flatnonzero(mask).tolist()
    ((248,), [0, 57])
    """
    batch = Batch(Settings(max_episode_steps=plies_left, **keywords), size=1)
    batch.begin_at(0, state)
    outputs = batch.new_outputs()
    batch.show(_ROW, outputs)
    return outputs.observations[0], outputs.masks[0]
