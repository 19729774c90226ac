"""A game as a row of a file: all that `agents.evaluate.Game` holds.

Actions are written as one string, two digits in base 36 an action, so that they read back with

    [int(text[i : i + 2], 36) for i in range(0, len(text), 2)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.evaluate import Game

FIELDS: Final = tuple(name for name in Game._fields if name not in ("counts", "actions"))
"""The fields of a game that are plain numbers and texts."""

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_WIDTH: Final = 2


def encode_actions(actions: Sequence[int]) -> str:
    """Return actions as text.

    >>> encode_actions([0, 35, 268])
    '000z7g'
    """
    base = len(_DIGITS)
    return "".join(_DIGITS[action // base] + _DIGITS[action % base] for action in actions)


def decode_actions(text: str) -> tuple[int, ...]:
    """Return the actions that a text holds.

    >>> decode_actions("000z7g")
    (0, 35, 268)

    Raises:
        ValueError: The text is cut off or holds something else.
    """
    if len(text) % _WIDTH or not set(text) <= set(_DIGITS):
        raise ValueError("actions are written as two digits in base 36 each")
    pairs = range(0, len(text), _WIDTH)
    return tuple(int(text[i : i + _WIDTH], len(_DIGITS)) for i in pairs)


def game_row(game: Game) -> dict[str, Any]:
    """Return a game as an object for `json.dumps`."""
    row = {name: getattr(game, name) for name in FIELDS}
    return {**row, "counts": dict(game.counts), "actions": encode_actions(game.actions)}


def game_of_row(row: Mapping[str, Any]) -> Game:
    """Return the game of a row.

    Raises:
        KeyError, ValueError: The row is not one that `game_row` has written.
    """
    fields = {name: row[name] for name in FIELDS}
    return Game(**fields, counts=row["counts"], actions=decode_actions(row["actions"]))
