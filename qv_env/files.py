"""Writing a file so that it is either whole or not there.

Symbolic links are followed, so that the file they lead to is replaced and they stay. What is no
regular file, such as a pipe or a device, cannot be replaced without harm; it is opened and written.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def moved_into_place(path: Path) -> Iterator[Path]:
    """Yield the path of a draft, which becomes the content of the real one if all goes well.

    Raises:
        OSError: The folder does not exist or cannot be written to, or the path is a folder.
    """
    if is_stream(path):
        with tempfile.TemporaryDirectory() as folder:
            draft = Path(folder) / path.name
            yield draft
            with draft.open("rb") as source, path.open("wb") as stream:
                shutil.copyfileobj(source, stream)
        return
    target = destination(path)
    with tempfile.TemporaryDirectory(prefix=f".{target.stem}-", dir=target.parent) as folder:
        draft = Path(folder) / path.name  # writers tell the format by the ending asked for
        yield draft
        draft.replace(target)


def write_whole(path: Path, text: str) -> None:
    """Write a text file, UTF-8, beside its place and move it there.

    Raises:
        OSError: The folder does not exist or cannot be written to, or the path is a folder.
    """
    with moved_into_place(path) as draft:
        draft.write_text(text, encoding="utf-8")


def is_stream(path: Path) -> bool:
    """Return whether a path leads to something that is neither a regular file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


def destination(path: Path) -> Path:
    """Return where a path leads to if symbolic links are followed; nothing need be there yet.

    Raises:
        OSError: The links go round in a circle.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target
