"""What a command prints and writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from qv_env.cli.errors import FailureError

_FILE_COLUMNS: Final = 100  # width of tables that go to a file or a pipe


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number of things in words.

    >>> counted(1, "deal"), counted(2, "deal"), counted(0, "ply", "plies")
    ('1 deal', '2 deals', '0 plies')
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def print_tables(tables: Sequence[Any]) -> None:
    """Print rich's tables, as wide as the terminal, or as a file can bear."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = _FILE_COLUMNS
    for table in tables:
        console.print(table)


def write_json(path: Path, document: Any) -> None:
    """Write a JSON file in one go.

    Raises:
        FailureError: The file cannot be written.
    """
    import json

    from qv_env.files import write_whole

    try:
        write_whole(path, json.dumps(document, indent=1, allow_nan=False) + "\n")
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from None
