"""The games move by move in `tests/data/golden`, which the oracle wrote, as Python objects."""

from __future__ import annotations

from typing import Final, NamedTuple

from qv_env.actions import parse_action
from tests import make_data

TRANSCRIPTS: Final = sorted((make_data.DATA / "golden").glob("*.txt"))


class Transcript(NamedTuple):
    """A game that the oracle played.

    Attributes:
        deal: A code, or 104 cards in one word.
        actions: The actions in order.
        scores: The score after each.
        ending: ``won``, ``stuck`` or ``unfinished``.
    """

    deal: str
    actions: list[int]
    scores: list[int]
    ending: str


def read_transcript(name: str) -> Transcript:
    """Return the game of a file, named without its ending."""
    text = (make_data.DATA / "golden" / f"{name}.txt").read_text(encoding="ascii")
    game, _, position = text.partition("\nend ")
    first, _, *moves = game.splitlines()
    pairs = [line.split() for line in moves]
    ending = position.split()[0]
    return Transcript(
        first.split()[1],
        [parse_action(move) for move, _ in pairs],
        [int(score) for _, score in pairs],
        "unfinished" if ending == "open" else ending,
    )
