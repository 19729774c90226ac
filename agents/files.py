"""Finding out in time whether a file can be written; `qv_env.files` writes it."""

from __future__ import annotations

import tempfile
from pathlib import Path


def check_writable(path: Path) -> None:
    """Find out before a long run whether a file can be written at its end.

    Raises:
        OSError: The folder does not exist or cannot be written to, or the path is a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror}") from None
