"""The infos of a vector environment, built as Gymnasium's own vector environments build them.

Each entry is an array with one row a game, beside a bool array under the same name with an
underscore in front that says which rows are filled in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from qv_env import task
from qv_env.batch import Outputs
from qv_env.refusals import refusal_text

_NAMES: Final = tuple(
    (name, f"_{name}")
    for name in ("action_mask", "deal", "score", "moves", "foundation_cards", "is_success")
)


class Ended(NamedTuple):
    """A game whose episode has just ended and whose next one has begun in the same step.

    Attributes:
        row: Which game.
        observation: Its last observation, a copy.
        info: Its last info, as that of a single environment.
    """

    row: int
    observation: npt.NDArray[np.uint8]
    info: dict[str, Any]


def of_game(outputs: Outputs, row: int, deal: str) -> dict[str, Any]:
    """Return the info of one game after a step or a reset, its mask a copy."""
    score, moves, foundation_cards, _ = outputs.numbers[:, row].tolist()
    info = {
        "action_mask": outputs.masks[row].copy(),
        "deal": deal,
        "score": score,
        "moves": moves,
        "foundation_cards": foundation_cards,
        "is_success": outputs.flags.item(task.IS_SUCCESS, row),
    }
    if code := outputs.refused.item(row):
        info["refused"] = refusal_text(code)
    return info


def of_all(
    outputs: Outputs, codes: npt.NDArray[Any], everyone: npt.NDArray[np.bool_], *, refusals: bool
) -> dict[str, Any]:
    """Return the infos of all games after a step or a reset.

    Args:
        outputs: What the games wrote.
        codes: The codes of their deals.
        everyone: Bool array full of True, which is handed out as it is.
        refusals: Whether to look for refused actions; False where there are none.
    """
    infos: dict[str, Any] = {}
    for (name, filled), column in zip(_NAMES, _columns(outputs, codes), strict=True):
        infos[name], infos[filled] = column, everyone
    if refusals:
        rows = outputs.refused.nonzero()[0].tolist()
        texts = {row: refusal_text(outputs.refused.item(row)) for row in rows}
        _add_refusals(infos, texts, len(codes))
    return infos


def of_ended(ended: Sequence[Ended], outputs: Outputs, codes: npt.NDArray[Any]) -> dict[str, Any]:
    """Return ``final_obs`` and ``final_info`` of the games that have just ended."""
    rows = [game.row for game in ended]
    done = np.zeros(len(codes), np.bool_)
    done[rows] = True
    final_obs = np.full(len(codes), None, dtype=object)
    for game in ended:
        final_obs[game.row] = game.observation
    final_info = {}
    for (name, filled), column in zip(_NAMES, _columns(outputs, codes), strict=True):
        kept = np.full_like(column, None) if column.dtype == object else np.zeros_like(column)
        for game in ended:
            kept[game.row] = game.info[name]
        final_info[name], final_info[filled] = kept, done.copy()
    _add_refusals(
        final_info,
        {game.row: game.info["refused"] for game in ended if "refused" in game.info},
        len(codes),
    )
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


def _columns(outputs: Outputs, codes: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """Return what stands under each of `_NAMES`."""
    scores, moves, foundation_cards, _ = outputs.numbers
    return outputs.masks, codes, scores, moves, foundation_cards, outputs.flags[task.IS_SUCCESS]


def _add_refusals(infos: dict[str, Any], texts: dict[int, str], games: int) -> None:
    """Add what each game of some, by row, refused; nothing where there are none."""
    if not texts:
        return
    column, filled = np.full(games, None, dtype=object), np.zeros(games, np.bool_)
    for row, text in texts.items():
        column[row], filled[row] = text, True
    infos["refused"], infos["_refused"] = column, filled
