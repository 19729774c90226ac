"""Labelled positions on disk: a ring of fixed size from which random batches are drawn."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.agent import ActionMasks, Actions, Observations
from qv_env import CARDS_DTYPE
from qv_env.sizes import FULL

_MASK_BYTES: Final = (FULL.actions + 7) // 8
SAMPLE: Final = np.dtype(
    [
        ("observation", np.uint8, (CARDS_DTYPE.itemsize,)),
        ("mask", np.uint8, (_MASK_BYTES,)),  # a bit for each action
        ("label", np.uint16),
    ]
)


class Batch(NamedTuple):
    """Labelled positions: uint8 ``(n, 248)``, bool ``(n, 269)``, and int64 ``(n,)``."""

    observations: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    labels: NDArray[np.int64]


class Samples:
    """The last so many labelled positions, in a file that never grows.

    The file takes its full size from the start: a disk that has no room says so before anything is
    learnt, and not by killing the process in the midst of it, as a mapped file would.

    Args:
        path: The file; one of the right size is used as it is.
        capacity: How many positions it holds; later ones take the places of the first.
        written: How many have been written by now; for runs that go on.

    Raises:
        ValueError: Some have been written, and the file is not there, or is of another size.
        OSError: The file cannot be made, or the disk has too little room.
    """

    def __init__(self, path: Path, capacity: int, written: int = 0) -> None:
        size = capacity * SAMPLE.itemsize
        if not path.exists() or path.stat().st_size != size:
            if written:
                raise ValueError(f"{path} is missing or does not hold {capacity} samples")
            _reserve(path, size)
        self._ring: Any = np.memmap(path, SAMPLE, "r+", shape=(capacity,))
        self.written = written

    def __len__(self) -> int:
        return min(self.written, len(self._ring))

    def add(self, observations: Observations, masks: ActionMasks, labels: Actions) -> None:
        """Write labelled positions, ``n`` of them, ``n`` at most the capacity."""
        places = (self.written + np.arange(len(labels))) % len(self._ring)
        rows = np.empty(len(labels), SAMPLE)
        rows["observation"], rows["label"] = observations, labels
        rows["mask"] = np.packbits(masks != 0, axis=1)
        self._ring[places] = rows
        self.written += len(labels)

    def draw(self, count: int, rng: np.random.Generator) -> Batch:
        """Return random positions of all that are there; each may come more than once."""
        rows = self._ring[rng.integers(len(self), size=count)]
        masks = np.unpackbits(rows["mask"], axis=1, count=FULL.actions).astype(np.bool_)
        return Batch(rows["observation"], masks, rows["label"].astype(np.int64))


def _reserve(path: Path, size: int) -> None:
    """Make a file of a size for which the disk has room."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:  # where holes in files cannot be filled beforehand, they may be met later
            file.truncate(size)
