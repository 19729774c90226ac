"""Registration with Gymnasium, on import of the package.

``gymnasium.make("qv_env:QuaranteVoleurs-v0")`` imports the package by itself, also in worker
processes. The package's ``gymnasium.envs`` entry point names `register_envs` too, for tools that
load that group; Gymnasium itself has not read it since version 1.0.
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
