"""Why a move is refused, in one sentence for each rule."""

from __future__ import annotations

from typing import Final

from qv_env import engine
from qv_env.actions import why_no_pair

TAKE_BACKS_OFF: Final = 8
NOT_AN_ACTION: Final = 9
NOTHING_TO_UNDO: Final = 10
GAME_WON: Final = 11
UNDO_OFF: Final = 12
NOTHING_TO_REDO: Final = 13
NO_PLACE: Final = 14
FOUNDATION_TAPPED: Final = 15
COVERED: Final = 16

REFUSALS: Final[dict[int, str]] = {
    engine.STOCK_EMPTY: "The stock is empty, and it is never turned over again.",
    engine.SOURCE_EMPTY: "There is no card to move there.",
    engine.COLUMN_ON_ACE: "Nothing can be put on an ace in a column.",
    engine.COLUMN_OTHER_SUIT: "A column is built in one suit.",
    engine.COLUMN_OTHER_RANK: "A column accepts only the card one rank below its top card.",
    engine.FOUNDATION_OTHER_SUIT: "A foundation takes only cards of its own suit.",
    engine.FOUNDATION_OTHER_RANK: "A foundation is built upwards from the ace, without gaps.",
    TAKE_BACKS_OFF: "Taking cards back from a foundation is switched off (takebacks=False).",
    NOT_AN_ACTION: "There is no such action; actions run from 0 to 268 (with undo=True to 269).",
    NOTHING_TO_UNDO: "There is nothing to undo.",
    GAME_WON: "The game is won, and no move follows.",
    UNDO_OFF: "Undoing is switched off (undo=False).",
    NOTHING_TO_REDO: "There is nothing to redo.",
    NO_PLACE: "No foundation and no column accepts this card.",
    FOUNDATION_TAPPED: "A card comes back from a foundation only by being dragged to a column.",
    COVERED: "Only the top card of a pile moves.",
}


def refusal_text(code: int) -> str:
    """Return the sentence for a refusal code of `qv_env.engine.refusal` or of this module.

    >>> refusal_text(engine.COLUMN_ON_ACE)
    'Nothing can be put on an ace in a column.'
    """
    return REFUSALS[code]


def pair_refusal_text(source: str, destination: str) -> str:
    """Return the sentence for a pair of places that no action leads between.

    >>> pair_refusal_text("t1", "w")
    'Nothing moves to the waste except by a draw.'
    """
    reason = why_no_pair(source, destination)
    return f"{reason[0].upper()}{reason[1:]}."
