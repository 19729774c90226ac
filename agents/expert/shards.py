"""Games for learning from, made by many processes and kept as shards of a folder.

A shard holds some games that follow from the seed and the shard's number alone. It is written
beside its place and moved there, so that a run that was stopped goes on with the shards that lack.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from rich.progress import track

from qv_env.deals import split_numbers
from qv_env.files import moved_into_place

_RECORDS: Final = "records"

Play = Callable[[Any, Any], Any]
"""Plays deal numbers, int64 of shape ``(n,)``, with a player, and returns records."""


class Shards(NamedTuple):
    """What a folder of shards is to hold.

    Attributes:
        folder: Where they are kept.
        games: How many games, rounded up to whole shards.
        size: Games of a shard.
        seed: Decides the deals, which are train deals, together with a shard's number.
    """

    folder: Path
    games: int
    size: int
    seed: tuple[int, ...]

    def path(self, number: int) -> Path:
        """Return the file of a shard."""
        return self.folder / f"{number:05d}.npz"

    def deals(self, number: int) -> Any:
        """Return the deal numbers of a shard, int64 of shape ``(size,)``."""
        train = split_numbers("train")
        rng = np.random.default_rng((*self.seed, number))
        return rng.integers(train.start, train.stop, self.size)

    def missing(self) -> list[int]:
        """Return the numbers of the shards that are not there."""
        wanted = range(-(-self.games // self.size))
        return [number for number in wanted if not self.path(number).is_file()]

    def read(self) -> Any:
        """Return the records of all shards that are there."""
        return np.concatenate([_read(path) for path in sorted(self.folder.glob("*.npz"))])


def make_shards(shards: Shards, play: Play, player: Any, *, processes: int, title: str) -> None:
    """Play the games of all shards that are missing, with progress.

    Args:
        shards: What to make.
        play: A function of a module, so that processes can find it.
        player: A record of type `agents.search.player.PLAYER`.
        processes: How many to play in.
        title: What the progress bar says.

    Raises:
        OSError: A shard cannot be written.
    """
    shards.folder.mkdir(parents=True, exist_ok=True)
    missing = shards.missing()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=spawn) as pool, _cancelled_at_end(pool):
        tasks = [pool.submit(_make, shards, number, play, player) for number in missing]
        for task in track(as_completed(tasks), title, total=len(tasks), disable=not tasks):
            task.result()


@contextmanager
def _cancelled_at_end(pool: ProcessPoolExecutor) -> Iterator[None]:
    try:
        yield
    finally:
        pool.shutdown(cancel_futures=True)


def _make(shards: Shards, number: int, play: Play, player: Any) -> None:
    records = play(shards.deals(number), player)
    with moved_into_place(shards.path(number)) as draft:
        np.savez_compressed(draft, **{_RECORDS: records})


def _read(path: Path) -> Any:
    with np.load(path) as arrays:
        return arrays[_RECORDS]
