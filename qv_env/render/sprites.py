"""Drawings of single things: a card, its back, a tag of the waste's list, a ring."""

from __future__ import annotations

from typing import Final

from qv_env.cards import RANK_LETTERS
from qv_env.render import geometry as at
from qv_env.render.canvas import Canvas, text_width
from qv_env.render.shapes import COURT_HATS, SUIT_SHAPES
from qv_env.render.theme import Colour, Theme

_CARD_SIZE: Final = (at.CARD_WIDTH + 2 * at.CARD_MARGIN, at.CARD_HEIGHT + 2 * at.CARD_MARGIN)
_CARD_BOX: Final = (
    at.CARD_MARGIN,
    at.CARD_MARGIN,
    at.CARD_MARGIN + at.CARD_WIDTH,
    at.CARD_MARGIN + at.CARD_HEIGHT,
)
# Below the middle, so that a covered card shows nothing but its index.
_ART_CENTRE: Final = (_CARD_SIZE[0] / 2, _CARD_SIZE[1] / 2 + 2.5)
_ACE: Final = "A"
_TEN: Final = "T"

_INDEX_SIZE: Final = 20.0
_INDEX_LEFT: Final = 6.0
_INDEX_BASELINE: Final = 18.5  # below the card's upper edge
_INDEX_WEIGHT: Final = 0.9
_INDEX_SUIT: Final = 13.5
_INDEX_GAP: Final = 2.5

_ACE_SUIT: Final = 42.0
_NUMBER_SUIT: Final = 33.0
_COURT_SUIT: Final = 18.5
_HAT: Final = 21.0


def rank_text(rank: int) -> str:
    """Return a rank, in [1, 13], as cards show it: the ten as ``10``."""
    letter = RANK_LETTERS[rank - 1]
    return "10" if letter == _TEN else letter


def card_face(theme: Theme, *, suit: int, rank: int) -> Canvas:
    """Draw a card face up, with its shadow."""
    card = _blank_card(theme.paper, theme.edge)
    index = Canvas(width=_CARD_SIZE[0], height=_CARD_SIZE[1])
    _draw_index(index, theme.suits[suit], suit, rank)
    letter = RANK_LETTERS[rank - 1]
    if letter in COURT_HATS:
        _draw_court(card, theme, suit, letter)
    else:
        size = _ACE_SUIT if letter == _ACE else _NUMBER_SUIT
        card.shape(SUIT_SHAPES[suit], centre=_ART_CENTRE, size=size, colour=theme.suits[suit])
    index.add_turned()
    card.put(index)
    card.cast_shadow(blur=1.6, drop=1.0, alpha=105)
    return card


def _blank_card(paper: Colour, edge: Colour) -> Canvas:
    card = Canvas(width=_CARD_SIZE[0], height=_CARD_SIZE[1])
    card.rectangle(_CARD_BOX, radius=at.CARD_RADIUS, fill=paper, outline=edge, line=0.75)
    return card


def _draw_index(canvas: Canvas, colour: Colour, suit: int, rank: int) -> None:
    text = rank_text(rank)
    left, baseline = at.CARD_MARGIN + _INDEX_LEFT, at.CARD_MARGIN + _INDEX_BASELINE
    canvas.text(text, at=(left, baseline), size=_INDEX_SIZE, colour=colour, weight=_INDEX_WEIGHT)
    suit_left = left + text_width(text, _INDEX_SIZE) + _INDEX_GAP
    centre = (suit_left + _INDEX_SUIT / 2, baseline - _INDEX_SUIT / 2 - 0.5)
    canvas.shape(SUIT_SHAPES[suit], centre=centre, size=_INDEX_SUIT, colour=colour)


def _draw_court(card: Canvas, theme: Theme, suit: int, letter: str) -> None:
    """Draw a tinted panel with the court card's hat above its suit."""
    colour = theme.suits[suit]
    x, y = _ART_CENTRE
    half_width, half_height = 20.0, 21.0
    panel = (x - half_width, y - half_height, x + half_width, y + half_height)
    card.rectangle(panel, radius=4, fill=_mixed(colour, theme.paper, 0.10))
    card.rectangle(panel, radius=4, outline=_mixed(colour, theme.paper, 0.45), line=0.75)
    card.shape(COURT_HATS[letter], centre=(x, y - 10.5), size=_HAT, colour=theme.accent)
    card.shape(SUIT_SHAPES[suit], centre=(x, y + 10.5), size=_COURT_SUIT, colour=colour)


def _mixed(colour: Colour, base: Colour, share: float) -> Colour:
    red, green, blue = (
        round(c * share + b * (1 - share)) for c, b in zip(colour, base, strict=True)
    )
    return red, green, blue


def card_back(theme: Theme) -> Canvas:
    """Draw a card face down: a lattice of diamonds in a frame."""
    card = _blank_card(theme.paper, theme.edge)
    left, top, right, bottom = _CARD_BOX
    inset = 4.0
    box = (left + inset, top + inset, right - inset, bottom - inset)
    card.rectangle(box, radius=3, fill=theme.back)
    columns, rows = 5, 8
    cell = ((box[2] - box[0]) / columns, (box[3] - box[1]) / rows)
    for row in range(rows):
        for column in range(columns):
            centre = (box[0] + (column + 0.5) * cell[0], box[1] + (row + 0.5) * cell[1])
            card.shape(SUIT_SHAPES[2], centre=centre, size=7.5, colour=theme.back_line)
    card.cast_shadow(blur=1.6, drop=1.0, alpha=105)
    return card


def tag(theme: Theme, *, suit: int, rank: int) -> Canvas:
    """Draw a small tag with rank and suit."""
    canvas = Canvas(width=at.TAG_WIDTH, height=at.TAG_HEIGHT)
    canvas.rectangle(
        (0.5, 0.5, at.TAG_WIDTH - 0.5, at.TAG_HEIGHT - 0.5), radius=3, fill=theme.paper
    )
    text = rank_text(rank)
    size, suit_size, gap = (10.5, 8.0, 0.0) if len(text) > 1 else (12.0, 8.5, 0.5)
    width = text_width(text, size) + gap + suit_size
    left = (at.TAG_WIDTH - width) / 2
    colour, middle = theme.suits[suit], at.TAG_HEIGHT / 2
    canvas.text(text, at=(left, middle), size=size, colour=colour, anchor="lm", weight=0.5)
    centre = (left + width - suit_size / 2, middle)
    canvas.shape(SUIT_SHAPES[suit], centre=centre, size=suit_size, colour=colour)
    return canvas


def ring(theme: Theme, *, width: int, height: int, radius: float, line: float) -> Canvas:
    """Draw a ring in the accent colour that fills the given size."""
    canvas = Canvas(width=width, height=height)
    canvas.rectangle((0, 0, width, height), radius=radius, outline=theme.accent, line=line)
    return canvas


def banner(theme: Theme, text: str, *, size: float) -> Canvas:
    """Draw a short text, large, on a dark plate."""
    pad = size * 0.6
    width, height = round(text_width(text, size) + 2 * pad), round(size + pad)
    canvas = Canvas(width=width, height=height)
    canvas.rectangle((0, 0, width, height), radius=size / 4, fill=theme.header, alpha=225)
    canvas.text(
        text, at=(width / 2, height / 2), size=size, colour=theme.accent, anchor="mm", weight=0.6
    )
    return canvas


def glyph(character: str, *, size: float, colour: Colour, height: int, weight: float) -> Canvas:
    """Draw one character of the header's figures, its baseline at three quarters of `height`."""
    canvas = Canvas(width=round(text_width(character, size)) + 2, height=height)
    canvas.text(character, at=(1, round(height * 3 / 4)), size=size, colour=colour, weight=weight)
    return canvas
