"""Quarante Voleurs (Forty Thieves, strict form) as a Gymnasium environment.

Importing the package registers ``QuaranteVoleurs-v0``. Its names are loaded when they are first
used, so that registering costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from qv_env.registration import ENV_ID, register_envs

if TYPE_CHECKING:
    from qv_env.actions import ACTIONS, NUM_ACTIONS, action_text, parse_action
    from qv_env.deals import Deal, deal_code, deal_number, parse_deal, split_numbers
    from qv_env.env import QuaranteVoleursEnv
    from qv_env.features import FEATURES
    from qv_env.game import Game, RefusedError
    from qv_env.public import CARDS_DTYPE, OPEN_CARDS_DTYPE, read_observation, rebuild_state
    from qv_env.vector_env import QuaranteVoleursVectorEnv

__version__: Final = "0.1.0"

__all__ = [
    "ACTIONS",
    "CARDS_DTYPE",
    "ENV_ID",
    "FEATURES",
    "NUM_ACTIONS",
    "OPEN_CARDS_DTYPE",
    "Deal",
    "Game",
    "QuaranteVoleursEnv",
    "QuaranteVoleursVectorEnv",
    "RefusedError",
    "action_text",
    "deal_code",
    "deal_number",
    "parse_action",
    "parse_deal",
    "read_observation",
    "rebuild_state",
    "register_envs",
    "split_numbers",
]

_HOMES: Final = {
    "actions": ("ACTIONS", "NUM_ACTIONS", "action_text", "parse_action"),
    "deals": ("Deal", "deal_code", "deal_number", "parse_deal", "split_numbers"),
    "env": ("QuaranteVoleursEnv",),
    "features": ("FEATURES",),
    "game": ("Game", "RefusedError"),
    "public": ("CARDS_DTYPE", "OPEN_CARDS_DTYPE", "read_observation", "rebuild_state"),
    "vector_env": ("QuaranteVoleursVectorEnv",),
}
_MODULE_OF: Final = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register_envs()
