"""A run's folder: what lies where, and files that are either whole or not there.

```
config.yaml          the config with all defaults filled in
model.zip            the trained model, once training has ended
metrics.jsonl        one JSON object a line, with key ``step``
tensorboard/         the same numbers for TensorBoard
checkpoints/N/       all that a run at ply N needs to go on (`agents.training.checkpoint`)
episode.json         the trained agent's game of the first deal of the evaluation
evaluation.json      the evaluation at the end; written last, so a run that has it is finished
learning_curve.png   score and share of games won, against plies and against hours
learning_curve.csv   the same as a table
imitation/           where the run learns from the planner first (`agents.imitation.phase`)
.lock                held by the process that is at work here; the operating system releases it
```

A run may be killed at any moment. Files are therefore written beside their place and moved into
it, which the operating system does in one go, and metrics are appended line by line.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import yaml
from filelock import FileLock, Timeout

from agents.training.errors import ConfigError


class WritableConfig(Protocol):
    """A config that can be written to a file."""

    def as_mapping(self) -> dict[str, Any]:
        """Return what stands in the file."""
        ...


class RunFolder:
    """The places of a run's files.

    Args:
        path: The folder; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.model = path / "model.zip"
        self.metrics = path / "metrics.jsonl"
        self.tensorboard = path / "tensorboard"
        self.checkpoints = path / "checkpoints"
        self.episode = path / "episode.json"
        self.evaluation = path / "evaluation.json"
        self.curve = path / "learning_curve.png"
        self.curve_table = path / "learning_curve.csv"
        self.state = path / "state.pt"  # of imitation only
        self._lock = path / ".lock"

    @property
    def imitation(self) -> RunFolder:
        """The folder of the part of the run that learns from the planner."""
        return RunFolder(self.path / "imitation")

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self.evaluation.is_file()

    def create(self, config: WritableConfig) -> None:
        """Make the folder and write its config.

        Raises:
            ConfigError: The folder holds something already, or cannot be made.
        """
        if self.config.exists():
            raise ConfigError(
                f"{self.path} holds a run already; continue it with --resume {self.path}, "
                "or name another folder with --run"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with self.locked():
                if any(path != self._lock for path in self.path.iterdir()):
                    raise ConfigError(f"{self.path} is not empty; name another folder with --run")
                text = yaml.safe_dump(config.as_mapping(), sort_keys=False)
                write_text(self.config, text)
        except OSError as error:
            raise ConfigError(f"cannot write to {self.path}: {error.strerror}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from working in the folder, which exists, while the block runs.

        Raises:
            ConfigError: Another process works there, or the folder cannot be written to.
        """
        lock = FileLock(self._lock, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise ConfigError(
                f"another train.py is at work in {self.path}; wait for its end, or stop it"
            ) from None
        except (OSError, NotImplementedError) as error:
            raise ConfigError(f"cannot lock {self.path}: {error}") from None
        try:
            yield
        finally:
            lock.release()


def free_folder(root: Path, name: str) -> Path:
    """Return ``root/name``, or the first of ``root/name-2``, ``-3``... that does not exist."""
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(root / candidate for candidate in names if not (root / candidate).exists())


@contextmanager
def moved_into_place(path: Path) -> Iterator[Path]:
    """Give a path beside ``path`` to write to; when the block ends well, move it into place.

    Whoever looks at ``path`` sees the old file or the new one and nothing in between, also after
    a kill or a power failure.
    """
    beside = path.with_name(f".{path.stem}.writing{path.suffix}")
    beside.unlink(missing_ok=True)
    yield beside
    flush_to_disk(beside)
    beside.replace(path)
    flush_to_disk(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write a text file in one go."""
    with moved_into_place(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file in one go."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def flush_to_disk(path: Path) -> None:
    """Have the operating system write a file, or a folder's entries, to the disk now."""
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open folders and needs no such thing
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
