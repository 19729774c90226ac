"""Boards as plots: win rates, distributions of scores, strength against time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agents.boards.collection import Board, Entry, Ranking
from agents.figures import values
from qv_env.files import moved_into_place

_WIDTH_INCHES: Final = 7.5
_ROW_INCHES: Final = 0.35
_PANEL_INCHES: Final = 3.2
_FRAME_INCHES: Final = 1.1
_PERCENT: Final = 100
_COLOURS: Final = (*mpl.color_sequences["tab10"], *mpl.color_sequences["Dark2"])
_FONT_POINTS: Final = 9.0


def draw_board(board: Board, folder: Path) -> list[Path]:
    """Draw the plots of a board, one panel for each list of deals, and return their files.

    Args:
        board: What to draw.
        folder: Where to; it exists. The files carry the board's digest.
    """
    kinds: dict[str, tuple[Callable[[Axes, Ranking], None], Callable[[Ranking], float]]] = {
        "wins": (_draw_wins, lambda ranking: _FRAME_INCHES + _ROW_INCHES * len(ranking.entries)),
        "scores": (_draw_scores, lambda _: _PANEL_INCHES),
        "time": (_draw_time, lambda _: _PANEL_INCHES),
    }
    paths = []
    for kind, (draw, height) in kinds.items():
        heights = [height(ranking) for ranking in board.rankings]
        # Equal data give equal files: ids that do not change, and no date.
        with mpl.rc_context({"svg.hashsalt": "qv-env", "font.size": _FONT_POINTS}):
            figure = Figure(figsize=(_WIDTH_INCHES, sum(heights)), layout="constrained")
            panels = figure.subplots(
                len(heights), squeeze=False, gridspec_kw={"height_ratios": heights}
            )
            for axes, ranking in zip(panels[:, 0], board.rankings, strict=True):
                axes.set_prop_cycle(color=_COLOURS)
                draw(axes, ranking)
                axes.set_title(f"{board.name} board, {ranking.deals}", loc="left")
                axes.grid(alpha=0.3)
            path = folder / f"{board.name}-{kind}.svg"
            with moved_into_place(path) as draft:
                figure.savefig(draft, metadata={"Date": None, "Description": board.digest})
        paths.append(path)
    return paths


def _draw_wins(axes: Axes, ranking: Ranking) -> None:
    for place, entry in enumerate(reversed(ranking.entries)):
        value, below, above = _win_rate(entry)
        axes.errorbar(value, place, xerr=[[below], [above]], fmt="o", capsize=3, color="C0")
    axes.set_yticks(
        range(len(ranking.entries)), [entry.label for entry in reversed(ranking.entries)]
    )
    axes.margins(y=0.5 / len(ranking.entries))
    axes.set_xlim(left=0)
    axes.set_xlabel("deals won (%), 95 % intervals")


def _draw_scores(axes: Axes, ranking: Ranking) -> None:
    for entry in ranking.entries:
        scores = np.sort(values(entry.result.rows, "score"))
        reached = _PERCENT * (1 - np.arange(len(scores)) / len(scores))
        axes.step(scores, reached, where="pre", label=entry.label)
    axes.set_xlim(left=0)
    axes.set_ylim(0, _PERCENT)
    axes.set_xlabel("score")
    axes.set_ylabel("deals with at least\nthat score (%)")
    axes.legend()


def _draw_time(axes: Axes, ranking: Ranking) -> None:
    """Draw win rates against times; a line joins the results of one agent's several budgets."""
    kinds: dict[str, list[Entry]] = {}
    for entry in ranking.entries:
        kinds.setdefault(entry.result.name, []).append(entry)
    for name, entries in kinds.items():
        entries.sort(key=lambda entry: entry.result.cpu_seconds.value)
        times = [entry.result.cpu_seconds.value for entry in entries]
        rates, below, above = np.transpose([_win_rate(entry) for entry in entries])
        axes.errorbar(times, rates, yerr=[below, above], fmt="o-", capsize=3, label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds a game on one core")
    axes.set_ylabel("deals won (%)")
    axes.legend()


def _win_rate(entry: Entry) -> tuple[float, float, float]:
    """Return a win rate in percent, and how far its interval goes below and above it."""
    rate = entry.result.win_rate
    low = rate.value if rate.low is None else rate.low
    high = rate.value if rate.high is None else rate.high
    spans = max(rate.value - low, 0.0), max(high - rate.value, 0.0)
    return _PERCENT * rate.value, _PERCENT * spans[0], _PERCENT * spans[1]
