"""The planner's weights: one small file that ships with the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.search.evaluation import FACTS

FILE: Final = Path(__file__).with_name("weights.json")
STAGES: Final = ("empty_stock", "full_stock")


def load_weights(path: Path = FILE) -> NDArray[np.float64]:
    """Return weights of shape ``(2, len(FACTS))``, for an empty and for a full stock.

    Raises:
        ValueError: The file does not hold one number for each stage and fact.
    """
    table = json.loads(path.read_text(encoding="utf-8"))
    try:
        return np.array([[float(table[stage][fact]) for fact in FACTS] for stage in STAGES])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path} does not hold a number for each of {STAGES} and {FACTS}"
        ) from error


def weights_text(weights: NDArray[np.float64]) -> str:
    """Return weights as the text of such a file."""
    rows = (dict(zip(FACTS, map(_short, row), strict=True)) for row in weights)
    return json.dumps(dict(zip(STAGES, rows, strict=True)), indent=2) + "\n"


def _short(value: float) -> float:
    return float(f"{value:.4g}")
