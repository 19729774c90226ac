"""The observation spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from qv_env.cards import CARD_TYPES
from qv_env.features import FEATURES
from qv_env.public import CARDS_DTYPE, OPEN_CARDS_DTYPE
from qv_env.settings import Settings
from qv_env.sizes import FULL

_BYTE: int = 255

_HIGHEST = {
    "plies_left": _BYTE,  # two bytes of a 16-bit number
    "score": _BYTE,
    "stock_count": FULL.stock,
    "waste_count": FULL.stock,
    "heights": FULL.column_limit,
    "foundations": FULL.ranks,
    "columns": CARD_TYPES,
    "waste": CARD_TYPES,
    "stock": CARD_TYPES,
}


def observation_space(settings: Settings) -> spaces.Box:
    """Return the space of one game's observation: uint8, with the highest value of each entry."""
    if settings.observation == "features":
        high = np.concatenate([np.full(f.size, f.high, np.uint8) for f in FEATURES])
    else:
        high = _cards_high(OPEN_CARDS_DTYPE if settings.stock == "open" else CARDS_DTYPE)
    return spaces.Box(np.zeros_like(high), high, dtype=np.uint8)


def _cards_high(dtype: np.dtype[np.void]) -> Any:
    high = np.zeros(dtype.itemsize, np.uint8)
    fields: Any = dtype.fields
    for name in fields:
        field, start = fields[name]
        high[start : start + field.itemsize] = _HIGHEST[name]
    return high
