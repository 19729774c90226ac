"""Learning curves of published runs, drawn from the tables that the runs have left.

The tables, ``learning_curve.csv`` of run folders, lie in ``results/curves`` under the names of
their runs, as in ``ppo-0.csv``; runs that differ by the seed alone share a picture.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.boards.seeds import run_name
from qv_env.files import moved_into_place

CURVES: Final = "curves"
PREFIX: Final = "curve-"
# Columns of the tables, what axes call them, and what they are multiplied with.
_MEASURES: Final = (
    ("training_score", "score", 1.0),
    ("training_win_rate", "games won (%)", 100.0),
)
_AXES: Final = (("plies", "plies of training"), ("hours", "hours of training"))
_INCHES: Final = (9.0, 5.5)
_DPI: Final = 100
_DIGEST_BYTES: Final = 8

Rows = list[dict[str, str]]


def read_curves(results: Path) -> dict[str, dict[int, Path]]:
    """Return the tables of the folder of results, by recipe and seed.

    Raises:
        ValueError: A file is not called by a recipe and a seed; one line.
    """
    found: dict[str, dict[int, Path]] = {}
    for file in sorted((results / CURVES).glob("*.csv")):
        name = run_name(file.stem)
        if name is None:
            raise ValueError(f"{file.name}: expected a name such as ppo-0.csv, with the seed")
        found.setdefault(name[0], {})[name[1]] = file
    return found


def digest_of(tables: Mapping[int, Path]) -> str:
    """Return a digest of tables, so that a picture can say what it was drawn from."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for seed, file in sorted(tables.items()):
        digest.update(f"{seed}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def draw_curves(results: Path, folder: Path) -> Iterator[Path]:
    """Draw a picture for each recipe, and yield their files, PNG.

    Args:
        results: The folder of results.
        folder: Where to; it exists. The files carry digests of their tables.
    """
    for recipe, tables in read_curves(results).items():
        figure = Figure(figsize=_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(2, 2, sharex="col", sharey="row")
        for seed, file in sorted(tables.items()):
            with file.open(encoding="utf-8", newline="") as lines:
                rows = list(csv.DictReader(lines))
            for (column, name, scale), axes_of_row in zip(_MEASURES, grid, strict=True):
                for (axis, title), axes in zip(_AXES, axes_of_row, strict=True):
                    _draw(axes, rows, axis, column, scale, f"seed {seed}")
                    axes.set_ylabel(name)
                    axes.set_xlabel(title)
        grid[0][0].legend()
        figure.suptitle(f"{recipe}: games that ended last in training; o: PPO begins")
        path = folder / f"{PREFIX}{recipe}.png"
        with moved_into_place(path) as draft:
            metadata = {"Software": None, "Description": digest_of(tables)}
            figure.savefig(draft, dpi=_DPI, metadata=metadata)
        yield path


def _draw(axes: Axes, rows: Rows, axis: str, column: str, scale: float, label: str) -> None:
    points = [
        (float(row[axis]), scale * float(row[column]), row["part"])
        for row in rows
        if row[axis] and row[column]
    ]
    x, y = [point[0] for point in points], [point[1] for point in points]
    (line,) = axes.plot(x, y, linewidth=1.0, label=label)
    parts = [point[2] for point in points]
    if "imitation" in parts and "algorithm" in parts:
        begin = parts.index("algorithm")
        axes.plot(x[begin], y[begin], "o", color=line.get_color())
    axes.grid(alpha=0.3)
    axes.set_ylim(bottom=0)
