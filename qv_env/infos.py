"""The infos of a vector environment, built as Gymnasium's own vector environments build them.

Each entry is an array with one row a game, beside a bool array under the same name with an
underscore in front that says which rows are filled in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from qv_env import task
from qv_env.batch import Outputs
from qv_env.refusals import refusal_text


def of_all(outputs: Outputs, codes: npt.NDArray[Any]) -> dict[str, Any]:
    """Return the infos of all games after a step or a reset."""
    infos: dict[str, Any] = _columns(outputs, codes)
    size = len(codes)
    infos.update({f"_{name}": np.ones(size, np.bool_) for name in tuple(infos)})
    _add_refusals(infos, outputs.refused)
    return infos


def of_ended(
    outputs: Outputs, codes: npt.NDArray[Any], done: npt.NDArray[np.bool_]
) -> dict[str, Any]:
    """Return ``final_obs`` and ``final_info`` of the games that have just ended, as copies."""
    final_obs = np.full(len(done), None, dtype=object)
    for row in np.flatnonzero(done):
        final_obs[row] = outputs.observations[row].copy()
    final_info = {}
    for name, column in _columns(outputs, codes).items():
        kept = np.full_like(column, None) if column.dtype == object else np.zeros_like(column)
        kept[done] = column[done]
        final_info[name], final_info[f"_{name}"] = kept, done.copy()
    _add_refusals(final_info, np.where(done, outputs.refused, 0))
    return {
        "final_obs": final_obs,
        "_final_obs": done.copy(),
        "final_info": final_info,
        "_final_info": done.copy(),
    }


def keep_rows(infos: dict[str, Any], chosen: npt.NDArray[np.bool_]) -> None:
    """Blank the rows of games that were not reset, in place."""
    for name, column in infos.items():
        if name.startswith("_"):
            infos[name] = column & chosen
        else:
            infos[name] = column.copy()
            infos[name][~chosen] = None if column.dtype == object else 0


def _columns(outputs: Outputs, codes: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
    return {
        "action_mask": outputs.masks,
        "deal": codes.copy(),
        "score": outputs.numbers[task.SCORE],
        "moves": outputs.numbers[task.MOVES],
        "foundation_cards": outputs.numbers[task.FOUNDATION_CARDS],
        "is_success": outputs.flags[task.IS_SUCCESS],
    }


def _add_refusals(infos: dict[str, Any], refused: npt.NDArray[np.uint8]) -> None:
    rows = np.flatnonzero(refused)
    if not len(rows):
        return
    texts = np.full(len(refused), None, dtype=object)
    for row in rows:
        texts[row] = refusal_text(int(refused[row]))
    infos["refused"], infos["_refused"] = texts, refused != 0
