"""Registration with Gymnasium, on import of the package and through its entry point.

Gymnasium loads the entry point while it is being imported itself, so this module stays light.
"""

from __future__ import annotations

from typing import Final

from gymnasium.envs.registration import register, registry

ENV_ID: Final = "QuaranteVoleurs-v0"


def register_envs() -> None:
    """Register the environment; doing it again changes nothing."""
    if ENV_ID in registry:
        return
    # No max_episode_steps here: the class has its own default and observes the plies left, and
    # Gymnasium's wrapper would call a win on the last ply truncated as well.
    register(
        id=ENV_ID,
        entry_point="qv_env.env:QuaranteVoleursEnv",
        vector_entry_point="qv_env.vector_env:QuaranteVoleursVectorEnv",
    )
