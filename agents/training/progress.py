"""The progress bar of a training run, or lines now and then where there is no terminal."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_LINES_WITHOUT_TERMINAL: Final = 10


class RunBar:
    """A bar of the plies done, with figures and the time left.

    Args:
        title: What is going on, in a word.
        total: Plies of the whole run.
        console: Where to draw.
    """

    def __init__(self, title: str, total: int, console: Console) -> None:
        self._total = total
        self._console = console
        self._progress = Progress(
            TextColumn(title),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: TaskID | None = None
        self._lines = 0

    def __enter__(self) -> RunBar:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def begin(self, step: int) -> None:
        """Begin at a ply."""
        self._lines = self._due(step)
        self._task = self._progress.add_task("", total=self._total, completed=step, figures="")

    def show(self, step: int, figures: str) -> None:
        """Show how far the run is."""
        step = min(step, self._total)
        if self._task is not None:
            self._progress.update(self._task, completed=step, figures=figures)
        if not self._console.is_terminal and self._due(step) > self._lines:
            self._lines = self._due(step)
            self._console.print(f"ply {step:,} of {self._total:,}: {figures}")

    def _due(self, step: int) -> int:
        return step * _LINES_WITHOUT_TERMINAL // self._total
