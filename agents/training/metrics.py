"""Metrics of a run: one JSON object a line, kept whole through kills, and drawn as a curve."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from agents.training.run_folder import RunFolder, moved_into_place, write_text

STEP: Final = "step"
TRAIN_SCORE: Final = "rollout/ep_rew_mean"
EVAL_SCORE: Final = "eval/score"
_INCHES: Final = (8.0, 4.5)
_DPI: Final = 120


class MetricsWriter(KVWriter):
    """Appends a line to ``metrics.jsonl`` whenever the logger dumps.

    Args:
        path: The file; lines that it holds already are kept.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Append one row; values that are not numbers are left out."""
        del key_excluded
        row: dict[str, float | None] = {STEP: step}
        for key, value in sorted(key_values.items()):
            if isinstance(value, int | float | np.number | np.ndarray) and np.size(value) == 1:
                number = np.asarray(value).item()
                row[key] = number if math.isfinite(number) else None
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a metrics file.

    Lines that are no rows are left out: a last one that a kill cut short, or damaged ones.
    """
    if not path.exists():
        return []
    rows = []
    for line in path.read_bytes().split(b"\n"):
        try:
            row = json.loads(line.decode("utf-8"))
        except ValueError:  # no JSON, or no UTF-8
            continue
        if isinstance(row, dict) and isinstance(row.get(STEP), int):
            rows.append(row)
    return rows


def keep_until(path: Path, step: int) -> None:
    """Remove the rows after a step, which a resumed run will write anew."""
    rows = [row for row in read_metrics(path) if row[STEP] <= step]
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))


def open_logger(run: RunFolder, step: int) -> Logger:
    """Return a logger that writes metrics and TensorBoard files of a run that stands at a step."""
    keep_until(run.metrics, step)
    tensorboard = TensorBoardOutputFormat(str(run.tensorboard))
    if step > 0:
        # What was logged after the checkpoint and before the kill must not show.
        tensorboard.writer.close()
        tensorboard.writer = SummaryWriter(log_dir=str(run.tensorboard), purge_step=step + 1)
    return Logger(str(run.path), [MetricsWriter(run.metrics), tensorboard])


def draw_learning_curve(run: RunFolder, final_score: float, baselines: dict[str, float]) -> None:
    """Draw the scores of a run against its plies.

    Args:
        run: The run; its metrics are read, and its curve is written.
        final_score: Mean score of the trained agent in the evaluation at the end.
        baselines: Mean scores of other agents on the same deals, by name; drawn as lines.
    """
    rows = read_metrics(run.metrics)
    figure = Figure(figsize=_INCHES, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for key, label, style in (
        (TRAIN_SCORE, "training games that ended last", {"linewidth": 1.0}),
        (EVAL_SCORE, "evaluations", {"marker": "o", "linewidth": 1.5}),
    ):
        points = [(row[STEP], row[key]) for row in rows if row.get(key) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), label=label, **style)
    last = max((row[STEP] for row in rows), default=0)
    axes.plot([last], [final_score], "*", color="C3", markersize=14, label="evaluation at the end")
    for number, (name, score) in enumerate(baselines.items()):
        axes.axhline(score, color="0.4", linestyle=("--", ":")[number % 2], label=f"{name} agent")
    axes.set_xlabel("plies played in training")
    axes.set_ylabel("mean score")
    axes.set_title(run.path.name)
    axes.grid(alpha=0.3)
    axes.set_ylim(bottom=0)
    axes.legend()
    with moved_into_place(run.curve) as path:
        figure.savefig(path, dpi=_DPI)
