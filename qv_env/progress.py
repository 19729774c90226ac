"""A bar on stderr that says how many games have been played and how long the rest will take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextmanager
def game_progress(games: int) -> Iterator[Callable[[str, int], None]]:
    """Show a bar while the block runs; where stderr is no terminal, show nothing.

    Args:
        games: Number of games to play, over all agents.

    Yields:
        A function to call with an agent's name and the number of its games that have just ended.
    """
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games,"),
        TimeElapsedColumn(),
        TextColumn("so far, about"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=games)
    with bar:
        yield lambda name, ended: bar.update(task, description=name, advance=ended)
