"""Replaying games by the oracle, where it is at hand.

The oracle is the rulebook once more, in slow and plain Python: ``tests/reference.py`` of the source
tree. It shares nothing with the engine but the way cards and moves are written, which is what
makes its word worth having. It is loaded from there, so that no third copy of the rules exists;
an installed package comes without it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

_FILE: Final = Path(__file__).resolve().parent.parent / "tests" / "reference.py"
_NAME: Final = "qv_env_oracle"


class Outcome(NamedTuple):
    """How a game stands at its end.

    Attributes:
        won: Whether all cards are on the foundations.
        score: The app's score.
        foundation_cards: Cards on the foundations.
        waste_plays: Cards that went from the waste to a column.
    """

    won: bool
    score: int
    foundation_cards: int
    waste_plays: int


@lru_cache
def oracle() -> ModuleType | None:
    """Return the oracle, or None outside the source tree."""
    if not _FILE.is_file():
        return None
    spec = importlib.util.spec_from_file_location(_NAME, _FILE)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module  # where its classes look for the names in their annotations
    spec.loader.exec_module(module)
    return module


def replay_by_oracle(rules: ModuleType, code: str, actions: Sequence[int]) -> Outcome:
    """Play the actions of a game by the oracle, from its own shuffle of the deal on.

    Args:
        rules: The oracle.
        code: The deal's code, such as ``FT1-N-AAAAAAV``.
        actions: Numbers of the action table, in the order of play.

    Raises:
        ValueError: An action is illegal where it is made; the message names the ply and the rule.
    """
    game = rules.Game(rules.shuffled(rules.number_of(code)))
    moves = rules.all_moves(rules.FULL)
    waste_plays = 0
    for ply, action in enumerate(actions, start=1):
        if not 0 <= action < len(moves):
            raise ValueError(f"ply {ply}: {action} is no action")
        move = moves[action]
        try:
            rules.apply(game, move)
        except ValueError as error:
            raise ValueError(f"ply {ply}: {error}") from None
        waste_plays += move.source == "w" and move.destination[0] == "t"
    return Outcome(rules.is_won(game), game.score, sum(game.heights()), waste_plays)
