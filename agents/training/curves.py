"""The learning curve of a run, as a picture and as a table."""

from __future__ import annotations

import csv
import io
from typing import Any, Final, NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.training.metrics import HOURS, STEP, read_metrics
from agents.training.run_folder import RunFolder, moved_into_place, write_text

_INCHES: Final = (11.0, 7.0)
_DPI: Final = 110
_PERCENT: Final = 100


class Measure(NamedTuple):
    """What is drawn against plies and hours.

    Attributes:
        name: What axes call it.
        train: Its keys in metrics of training, the first that a row has.
        evaluated: Its key in metrics of evaluations.
        scale: What values are multiplied with.
    """

    name: str
    train: tuple[str, ...]
    evaluated: str
    scale: float


MEASURES: Final = (
    Measure("mean score", ("rollout/score", "rollout/ep_rew_mean"), "eval/score", 1.0),
    Measure("games won (%)", ("rollout/win_rate",), "eval/win_rate", _PERCENT),
)
COLUMNS: Final = (
    "part",
    "plies",
    "hours",
    "training_score",
    "training_win_rate",
    "evaluation_score",
    "evaluation_win_rate",
)


def curve_rows(run: RunFolder) -> list[dict[str, Any]]:
    """Return the rows of a run's curve, with keys `COLUMNS`; what a row does not tell is None.

    Plies count on from the part that learns from the planner to that of the algorithm.
    """
    rows = []
    before = 0
    for part, folder in (("imitation", run.imitation), ("algorithm", run)):
        metrics = read_metrics(folder.metrics)
        for row in metrics:
            cells = [part, before + row[STEP], row.get(HOURS)]
            cells += [_first(row, measure.train) for measure in MEASURES]
            cells += [row.get(measure.evaluated) for measure in MEASURES]
            if any(cell is not None for cell in cells[3:]):
                rows.append(dict(zip(COLUMNS, cells, strict=True)))
        before += max((row[STEP] for row in metrics), default=0)
    return rows


def write_learning_curve(
    run: RunFolder, score: float, win_rate: float, baselines: dict[str, float]
) -> None:
    """Draw a run's score and share of games won against plies and hours, and write the table.

    Args:
        run: The run; its metrics are read, and its curve is written.
        score: Mean score of the trained agent in the evaluation at the end.
        win_rate: Its share of games won, from 0 to 1.
        baselines: Mean scores of other agents on the same deals, by name; drawn as lines.
    """
    rows = curve_rows(run)
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(run.curve_table, text.getvalue())
    figure = Figure(figsize=_INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(2, 2, sharex="col", sharey="row")
    for measure, axes_of_row, end in zip(MEASURES, grid, (score, win_rate), strict=True):
        for axis, axes in zip(("plies", "hours"), axes_of_row, strict=True):
            _draw(axes, rows, axis, measure, end * measure.scale)
    for axes in grid[0]:
        for number, (name, value) in enumerate(baselines.items()):
            style = ("--", ":")[number % 2]
            axes.axhline(value, color="0.4", linestyle=style, label=f"{name} agent")
    grid[0][0].legend(loc="lower right")
    figure.suptitle(run.path.resolve().name)
    with moved_into_place(run.curve) as path:
        figure.savefig(path, dpi=_DPI)


def _draw(axes: Axes, rows: list[dict[str, Any]], axis: str, measure: Measure, end: float) -> None:
    index = MEASURES.index(measure)
    kinds = (
        (COLUMNS[3 + index], "training games that ended last", {"linewidth": 1.0}),
        (COLUMNS[5 + index], "evaluations", {"marker": "o", "linewidth": 1.5}),
    )
    for column, label, style in kinds:
        points = [
            (row[axis], row[column] * measure.scale)
            for row in rows
            if row[axis] is not None and row[column] is not None
        ]
        if points:
            axes.plot(*zip(*points, strict=True), label=label, **style)
    last = max((row[axis] or 0 for row in rows), default=0)
    axes.plot([last], [end], "*", color="C3", markersize=14, label="evaluation at the end")
    changes = [row[axis] for row in rows if row["part"] == "algorithm"]
    if changes and rows[0]["part"] == "imitation" and changes[0] is not None:
        axes.axvline(changes[0], color="0.7", linewidth=1.0, label="end of imitation")
    axes.set_xlabel({"plies": "plies played in training", "hours": "hours of training"}[axis])
    axes.set_ylabel(measure.name)
    axes.grid(alpha=0.3)
    axes.set_ylim(bottom=0)


def _first(row: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    return next((row[key] for key in keys if row.get(key) is not None), None)
