"""How far an evaluation has come and how long the rest will take, told on stderr.

On a terminal there is a bar; elsewhere, such as in a log, a line a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Report = Callable[[str, int, int], None]

_SECONDS_BETWEEN_LINES: Final = 60.0
# Games may take minutes each; the estimate rests on those of the last hour.
_ESTIMATE_SECONDS: Final = 3600.0
# Drawing the bar takes processor time that a game in the same process is charged for.
_REFRESHES_A_SECOND: Final = 2
_MINUTE: Final = 60
_HOUR: Final = 60


@contextmanager
def game_progress(games: int) -> Iterator[Report]:
    """Tell how an evaluation goes on while the block runs.

    Args:
        games: Number of games to play, over all agents.

    Yields:
        A function to call with an agent's name, the number of its games that have just ended, and
        how many of these were won. Games that were played before this run are told first and in
        one call, which no estimate rests on.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(games, console)
        return
    bar = Progress(
        TextColumn("{task.description}, {task.fields[won]} won"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games,"),
        TimeElapsedColumn(),
        TextColumn("so far, about"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        transient=True,
        speed_estimate_period=_ESTIMATE_SECONDS,
        refresh_per_second=_REFRESHES_A_SECOND,
    )
    wins: dict[str, int] = {}
    with bar:
        task = bar.add_task("", total=games, won=0)

        def report(name: str, ended: int, won: int) -> None:
            wins[name] = wins.get(name, 0) + won
            bar.update(task, description=name, advance=ended, won=wins[name])

        yield report


class _Lines:
    """Writes a line now and then."""

    def __init__(self, games: int, console: Console) -> None:
        self._games, self._console = games, console
        self._done = self._before = 0
        self._wins: dict[str, int] = {}
        self._start = self._told = 0.0

    def __call__(self, name: str, ended: int, won: int) -> None:
        now = time.monotonic()
        if not self._done:
            # Before the first games end, agents are made and kernels compiled; time starts here.
            self._before, self._start, self._told = ended, now, now
        self._done += ended
        self._wins[name] = self._wins.get(name, 0) + won
        if now - self._told < _SECONDS_BETWEEN_LINES:
            return
        self._told = now
        played = max(self._done - self._before, 1)
        left = (now - self._start) / played * (self._games - self._done)
        self._console.print(
            f"{name}: {self._done} of {self._games} games, {self._wins[name]} won, "
            f"about {duration_text(left)} left",
            highlight=False,
        )


def duration_text(seconds: float) -> str:
    """Return a time as people say it.

    >>> duration_text(40), duration_text(300), duration_text(7500)
    ('40 s', '5 min', '2 h 5 min')
    """
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / _MINUTE), _HOUR)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
