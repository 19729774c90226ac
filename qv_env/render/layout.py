"""Which sprites a state shows, and where."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qv_env.actions import ACTIONS
from qv_env.cards import RANKS
from qv_env.history import UNDO, operation_text
from qv_env.render import geometry as at
from qv_env.render.backdrop import HEADER_BASELINE, HEADER_LABEL_RIGHTS
from qv_env.render.sheet import (
    BLOCKED_BANNER,
    CARD_BACK,
    CARD_RING,
    FIRST_TAG,
    GLYPH_HEIGHT,
    TAG_RING,
    WON_BANNER,
    Sheet,
    glyph_advance,
    glyph_sprite,
)
from qv_env.render.status import BLOCKED, WON, foundation_total, game_status
from qv_env.sizes import FULL

Blit = tuple[int, int, int, int, int]
"""Sprite, left, top, rows to draw, and further rows of which only opaque pixels are drawn."""

_ALL_ROWS: Final = 10_000  # more than any sprite has; the kernel stops at the sprite's end
_FIGURE_GAP: Final = 6
_DEAL_RIGHT: Final = 182
_MOVE_LEFT: Final = 194
_ELLIPSIS: Final = "..."


def blits_of(state: Any, sheet: Sheet, *, deal: str, action: int | None) -> NDArray[np.int64]:
    """Return what to paint, in order, as int64 of shape ``(n, 5)``, each row a `Blit`."""
    blits: list[Blit] = []
    _add_top_row(blits, state)
    _add_columns(blits, state)
    _add_waste_list(blits, state)
    status = game_status(state)
    if status == WON:
        _add_centred(blits, sheet, WON_BANNER, at.WIDTH // 2, (at.COLUMN_TOP + at.HEIGHT) // 2)
    elif status == BLOCKED:
        middle = at.place_left(at.STOCK_PLACE) + at.CARD_WIDTH // 2
        _add_centred(blits, sheet, BLOCKED_BANNER, middle, at.TOP_ROW + at.CARD_HEIGHT // 2)
    move = ""
    if action is not None:
        move = operation_text(action)
        if action != UNDO:  # an undo has no destination of its own
            _add_ring(blits, state, ACTIONS[action].destination)
    _add_header(blits, state, sheet, deal, move)
    return np.array(blits, dtype=np.int64)


def _card(code: int, left: int, top: int) -> Blit:
    return code, left - at.CARD_MARGIN, top - at.CARD_MARGIN, _ALL_ROWS, 0


def _add_top_row(blits: list[Blit], state: Any) -> None:
    for f, height in enumerate(state["foundations"].tolist()):
        if height:
            code = RANKS * (f % FULL.suits) + height
            blits.append(_card(code, at.place_left(f), at.TOP_ROW))
    if state["stock_count"]:
        blits.append(_card(CARD_BACK, at.place_left(at.STOCK_PLACE), at.TOP_ROW))
    count = int(state["waste_count"])
    if count:
        top_card = int(state["waste"][count - 1])
        blits.append(_card(top_card, at.place_left(at.WASTE_PLACE), at.TOP_ROW))


def _add_columns(blits: list[Blit], state: Any) -> None:
    columns, heights = state["columns"].tolist(), state["heights"].tolist()
    for column, height in enumerate(heights):
        left, step = at.place_left(column), at.column_step(height)
        cards = columns[column][:height]
        for level, code in enumerate(cards[:-1]):
            # Of a covered card only the uncovered part is painted, and what shows behind the
            # rounded corners of the card on top of it.
            top = at.COLUMN_TOP + level * step
            shown = at.CARD_MARGIN + step
            blits.append((code, left - at.CARD_MARGIN, top - at.CARD_MARGIN, shown, at.CARD_RADIUS))
        if cards:
            blits.append(_card(cards[-1], left, at.COLUMN_TOP + (height - 1) * step))


def _add_waste_list(blits: list[Blit], state: Any) -> None:
    count = int(state["waste_count"])
    for number, code in enumerate(state["waste"][:count].tolist()):
        left, top = at.tag_corner(number)
        blits.append((FIRST_TAG + code, left, top, _ALL_ROWS, 0))
    if count:
        left, top = at.tag_corner(count - 1)
        blits.append((TAG_RING, left, top, _ALL_ROWS, 0))


def _add_ring(blits: list[Blit], state: Any, pile: int) -> None:
    """Add a ring around the top card of a pile, the one that the last move put there."""
    if pile < FULL.columns:
        height = int(state["heights"][pile])
        left = at.place_left(pile)
        top = at.COLUMN_TOP + max(height - 1, 0) * at.column_step(height)
    elif pile == FULL.waste_pile:
        left, top = at.place_left(at.WASTE_PLACE), at.TOP_ROW
    else:
        left, top = at.place_left(pile - FULL.waste_pile - 1), at.TOP_ROW
    blits.append((CARD_RING, left - at.RING_MARGIN, top - at.RING_MARGIN, _ALL_ROWS, 0))


def _add_header(blits: list[Blit], state: Any, sheet: Sheet, deal: str, move: str) -> None:
    _add_text(blits, sheet, _shortened(deal, sheet), at.LEFT)
    _add_text(blits, sheet, move, _MOVE_LEFT)
    figures = (
        state["score"],
        state["moves"],
        state["stock_count"],
        state["waste_count"],
        foundation_total(state),
    )
    for figure, right in zip(figures, HEADER_LABEL_RIGHTS, strict=True):
        _add_text(blits, sheet, str(int(figure)), right + _FIGURE_GAP)


def _add_text(blits: list[Blit], sheet: Sheet, text: str, left: int) -> None:
    pen, top = float(left), HEADER_BASELINE - GLYPH_HEIGHT * 3 // 4
    for character in text:
        blits.append((glyph_sprite(character), round(pen) - 1, top, _ALL_ROWS, 0))
        pen += glyph_advance(sheet, character)


def _shortened(text: str, sheet: Sheet) -> str:
    """Return a text cut to the room that the header has for the deal."""
    room = float(_DEAL_RIGHT - at.LEFT)
    if sum(glyph_advance(sheet, character) for character in text) <= room:
        return text
    room -= sum(glyph_advance(sheet, character) for character in _ELLIPSIS)
    for end, character in enumerate(text):
        room -= glyph_advance(sheet, character)
        if room < 0:
            return text[:end] + _ELLIPSIS
    return text


def _add_centred(blits: list[Blit], sheet: Sheet, sprite: int, x: int, y: int) -> None:
    _, height, width, _ = sheet.places[sprite].tolist()
    blits.append((sprite, x - width // 2, y - height // 2, _ALL_ROWS, 0))
