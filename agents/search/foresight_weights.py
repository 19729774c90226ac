"""The solver's learned weights: one file that ships with the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.search.foresight import TABLES

FILE: Final = Path(__file__).with_name("foresight.json")
_SIZES: Final = {name: rows * columns for name, (rows, columns) in TABLES.items()}
_DIGITS: Final = 4


def load_foresight(path: Path = FILE) -> NDArray[np.float32]:
    """Return sets of weights, shape ``(sets, knots, MARKS)``.

    Raises:
        ValueError: The file does not hold the numbers of every table, for each set and knot.
    """
    sets = json.loads(path.read_text(encoding="utf-8"))
    try:
        weights = np.array([_joined(tables) for tables in sets], np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} does not hold the numbers of {', '.join(_SIZES)}") from error
    return weights


def _joined(tables: Any) -> NDArray[np.float32]:
    parts = [np.atleast_2d(np.array(tables[name], np.float32)) for name in _SIZES]
    for part, size in zip(parts, _SIZES.values(), strict=True):
        if part.shape[1] != size:
            raise ValueError(f"expected {size} numbers a knot")
    return np.concatenate(parts, axis=1)


def foresight_text(sets: NDArray[np.float32]) -> str:
    """Return sets of weights as the text of such a file."""
    ends = np.cumsum(list(_SIZES.values()))[:-1]
    written = []
    for weights in sets:
        parts = zip(_SIZES, np.split(weights, ends, axis=1), strict=True)
        rows = {name: [[_short(x) for x in row] for row in part] for name, part in parts}
        lines = (f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in rows.items())
        written.append("{\n" + ",\n".join(lines) + "\n}")
    return "[" + ",\n".join(written) + "]\n"


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
