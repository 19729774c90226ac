"""The journal of a running evaluation: what has been played, safe from a kill at any moment.

The first line says what is evaluated, each further line holds one game (`agents.results.rows`).
Lines are appended and flushed as games end. A kill may leave the last line broken; whoever reads
the journal leaves that line out, and whoever goes on writing cuts it off first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from agents.evaluate import Game
from agents.results.rows import game_of_row, game_row

FORMAT: Final = "qv-env journal"
ENDING: Final = ".journal"


class Journal:
    """An open journal; a context manager that closes it.

    Attributes:
        path: The file.
        games: The games that it holds, by deal.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        """Go on with the journal of an evaluation, or begin it where there is none.

        Args:
            path: The file.
            header: What is evaluated, to be found unchanged when the evaluation is continued.

        Raises:
            ValueError: The file is no journal, or belongs to another evaluation.
            OSError: The file cannot be read or written.
        """
        self.path = path
        self.games: dict[str, Game] = {}
        expected = {"format": FORMAT, **header}
        whole = 0
        if path.exists() and path.stat().st_size:
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            lines = content[:whole].decode("utf-8", errors="replace").splitlines()
            if lines:
                _check_header(lines[0], expected, path)
                self.games = dict(_read_games(lines[1:], path))
        self._file = path.open("ab")
        self._file.truncate(whole)
        if not whole:
            self._append([expected])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, games: Iterable[Game]) -> None:
        """Write games down."""
        new = list(games)
        self.games |= {game.deal: game for game in new}
        self._append(game_row(game) for game in new)

    def _append(self, objects: Iterable[Mapping[str, Any]]) -> None:
        lines = "".join(json.dumps(value, allow_nan=False) + "\n" for value in objects)
        self._file.write(lines.encode())
        self._file.flush()


def _check_header(line: str, expected: Mapping[str, Any], path: Path) -> None:
    try:
        found = json.loads(line)
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{path} is not the journal of an evaluation; move it away")
    for key, value in json.loads(json.dumps(expected)).items():
        if found.get(key) != value:
            raise ValueError(
                f"{path} was written with {key} {found.get(key)!r} and this is {value!r}, so the "
                "two cannot be one result; delete the file to start anew"
            )


def _read_games(lines: Iterable[str], path: Path) -> Iterable[tuple[str, Game]]:
    for number, line in enumerate(lines, start=2):
        try:
            game = game_of_row(json.loads(line))
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number}: not a game; delete the line") from None
        yield game.deal, game
