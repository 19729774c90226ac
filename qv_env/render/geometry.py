"""Where everything lies in a picture, in pixels.

From top to bottom: a header with figures; eight foundations, the stock and the waste's top card;
ten columns; and a strip that lists the whole waste.
"""

from __future__ import annotations

from typing import Final

from qv_env.sizes import FULL

# Both multiples of 16, the block size of video encoders, so that videos are never rescaled.
WIDTH: Final = 800
HEIGHT: Final = 640

CARD_WIDTH: Final = 68
CARD_HEIGHT: Final = 94
CARD_RADIUS: Final = 6
CARD_MARGIN: Final = 5  # room for the shadow on each side of a card's sprite

LEFT: Final = 15
PITCH: Final = 78
HEADER_HEIGHT: Final = 36
TOP_ROW: Final = 58
COLUMN_TOP: Final = 172
COLUMN_BOTTOM: Final = 586
COLUMN_STEP: Final = 28  # between cards of a column, unless it must be squeezed
LABEL_GAP: Final = 6  # from a label's baseline to what it names

STOCK_PLACE: Final = FULL.foundations  # places of the top row, counted from the left
WASTE_PLACE: Final = STOCK_PLACE + 1

TAG_WIDTH: Final = 22
TAG_HEIGHT: Final = 20
TAG_PITCH: Final = 23
TAG_ROW_PITCH: Final = 22
TAGS_A_ROW: Final = FULL.stock // 2
TAG_LEFT: Final = LEFT + FULL.columns * PITCH - (PITCH - CARD_WIDTH) - TAGS_A_ROW * TAG_PITCH
TAG_TOP: Final = 592

RING_MARGIN: Final = 3  # how far the ring around a card reaches beyond it


def place_left(place: int) -> int:
    """Return the left edge of a column, or of a place of the top row, counted from 0."""
    return LEFT + place * PITCH


def column_step(height: int) -> int:
    """Return how far the cards of a column of this height lie apart."""
    room = COLUMN_BOTTOM - COLUMN_TOP - CARD_HEIGHT
    return min(COLUMN_STEP, room // max(height - 1, 1))


def tag_corner(number: int) -> tuple[int, int]:
    """Return left and top of the tag of a card of the waste, counted from its bottom."""
    row, place = divmod(number, TAGS_A_ROW)
    return TAG_LEFT + place * TAG_PITCH, TAG_TOP + row * TAG_ROW_PITCH
