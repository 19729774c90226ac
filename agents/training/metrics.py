"""Metrics of a run: one JSON object a line, kept whole through kills."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from agents.training.run_folder import RunFolder, write_text

STEP: Final = "step"
HOURS: Final = "time/hours"
_SECONDS_PER_HOUR: Final = 3600
_DECIMALS_OF_HOURS: Final = 7  # finer than a millisecond: rows of short runs differ


class MetricsWriter(KVWriter):
    """Appends a line to ``metrics.jsonl`` whenever the logger dumps.

    Each row holds the hours of training so far, those before a stop or in an earlier part of the
    run among them.

    Args:
        path: The file; lines that it holds already are kept.
        hours: Hours of training before.
    """

    def __init__(self, path: Path, hours: float = 0.0) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._hours = hours
        self._start = time.monotonic()

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Append one row; values that are not numbers are left out."""
        del key_excluded
        hours = self._hours + (time.monotonic() - self._start) / _SECONDS_PER_HOUR
        row: dict[str, float | None] = {STEP: step, HOURS: round(hours, _DECIMALS_OF_HOURS)}
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


def hours_of(path: Path) -> float:
    """Return the hours of training that the last row of a metrics file tells of, 0 without."""
    return max((float(row.get(HOURS) or 0.0) for row in read_metrics(path)), default=0.0)


def open_logger(run: RunFolder, step: int, hours: float = 0.0) -> Logger:
    """Return a logger that writes metrics and TensorBoard files of a run that stands at a step.

    Args:
        run: The run.
        step: Where it stands; rows beyond are removed.
        hours: Hours of training before the first row.
    """
    keep_until(run.metrics, step)
    hours = max(hours, hours_of(run.metrics))
    tensorboard = TensorBoardOutputFormat(str(run.tensorboard))
    if step > 0:
        # What was logged after the checkpoint and before the kill must not show.
        tensorboard.writer.close()
        tensorboard.writer = SummaryWriter(log_dir=str(run.tensorboard), purge_step=step + 1)
    return Logger(str(run.path), [MetricsWriter(run.metrics, hours), tensorboard])
