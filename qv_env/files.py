"""Writing a file so that it is either whole or not there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def moved_into_place(path: Path) -> Iterator[Path]:
    """Yield a path in the same folder that replaces the real one if all goes well."""
    with tempfile.TemporaryDirectory(prefix=f".{path.stem}-", dir=path.parent) as folder:
        draft = Path(folder) / path.name
        yield draft
        draft.replace(path)


def write_whole(path: Path, text: str) -> None:
    """Write a text file, UTF-8, beside its place and move it there.

    Raises:
        OSError: The folder does not exist or cannot be written to.
    """
    with moved_into_place(path) as draft:
        draft.write_text(text, encoding="utf-8")
