"""The results files of a folder, sorted onto boards."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from agents.results.result import BOARDS, Result, read_result

PUBLISHED: Final = "test:1000"
"""The list of deals that published figures are of."""

_SPLIT_ORDER: Final = ("test", "dev", "train", "all")
_DIGEST_BYTES: Final = 8


class Entry(NamedTuple):
    """A result and the name of the file that holds it."""

    file: str
    result: Result

    @property
    def label(self) -> str:
        """What the boards call it: the agent, and what else sets it apart from the usual."""
        result = self.result
        notes = ["sampled"] if result.options.get("sample") and "sample" not in result.agent else []
        notes += [f"seed {result.seed}"] if result.seed else []
        return f"{result.agent} ({', '.join(notes)})" if notes else result.agent


class Ranking(NamedTuple):
    """All results on one list of deals, the best first.

    Attributes:
        deals: The list, such as ``test:1000``.
        entries: By win rate, and by score where these are equal.
    """

    deals: str
    entries: Sequence[Entry]


class Board(NamedTuple):
    """What is comparable: agents that see the same, on lists of deals.

    Attributes:
        name: ``hidden`` or ``thoughtful``.
        rankings: The published list first, then test lists, dev lists and others, longest first.
        digest: Of the files, so that a plot can say what it was drawn from.
    """

    name: str
    rankings: Sequence[Ranking]
    digest: str


def read_boards(folder: Path) -> list[Board]:
    """Return the boards of all results files in a folder; boards without results are left out.

    Raises:
        ValueError: A file is no results file; the message is one line.
        OSError: A file cannot be read.
    """
    files = sorted(folder.glob("*.json"))
    entries = [Entry(file.name, read_result(file)) for file in files]
    boards = []
    for name in BOARDS:
        ours = [entry for entry in entries if entry.result.board == name]
        if ours:
            digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
            for entry in ours:
                digest.update(entry.file.encode() + b"\0" + (folder / entry.file).read_bytes())
            boards.append(Board(name, list(_rankings(ours)), digest.hexdigest()))
    return boards


def _rankings(entries: Sequence[Entry]) -> Iterator[Ranking]:
    lists = {entry.result.deals for entry in entries}
    for deals in sorted(lists, key=_list_order):
        ours = [entry for entry in entries if entry.result.deals == deals]
        yield Ranking(deals, sorted(ours, key=_strength, reverse=True))


def _list_order(deals: str) -> tuple[bool, int, int]:
    split, _, count = deals.partition(":")
    return deals != PUBLISHED, _SPLIT_ORDER.index(split), -int(count)


def _strength(entry: Entry) -> tuple[float, float, str]:
    return entry.result.win_rate.value, entry.result.score.value, entry.file
