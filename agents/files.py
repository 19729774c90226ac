"""Finding out in time whether a file can be written; `qv_env.files` writes it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from qv_env.files import destination, is_stream


def check_writable(path: Path) -> None:
    """Find out before a long run whether a file can be written at its end.

    Raises:
        OSError: The folder does not exist or cannot be written to, or the path is a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if is_stream(path):
        if not os.access(path, os.W_OK):
            raise PermissionError(f"cannot write {path}: it may not be written to")
        return
    try:
        folder = destination(path).parent
        if not folder.is_dir():
            shown = folder if path.is_symlink() else path.parent
            raise FileNotFoundError(f"cannot write {path}: there is no folder {shown}")
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        if error.strerror is None:
            raise
        raise OSError(f"cannot write {path}: {error.strerror}") from None
