"""The game for people: moves by name, undo and redo, the app's taps and drops, reasons in words.

`Game` is the whole interface; it stands on the kernels of `qv_env.engine` and knows no rule of its
own.
"""

from qv_env.game.game import Game, RefusedError
from qv_env.game.moves import LegalMoves, Move
from qv_env.game.piles import Card, Foundation, Pile

__all__ = ["Card", "Foundation", "Game", "LegalMoves", "Move", "Pile", "RefusedError"]
