"""What lies under the cards and never changes: cloth, header, empty places and their names."""

from __future__ import annotations

from typing import Final

from qv_env.render import geometry as at
from qv_env.render.canvas import Canvas
from qv_env.render.shapes import SUIT_SHAPES
from qv_env.render.theme import Colour, Theme
from qv_env.sizes import FULL

HEADER_BASELINE: Final = 24
HEADER_LABELS: Final = ("score", "moves", "stock", "waste", "foundations")
HEADER_LABEL_RIGHTS: Final = (330, 432, 528, 620, 750)  # right ends; figures follow

_HEADER_LABEL_SIZE: Final = 13.0
_LABEL_SIZE: Final = 12.0
_SLOT_ALPHA: Final = 70
_CLOTH_BAND: Final = 2  # pixels of one shade of the cloth's gradient


def backdrop(theme: Theme) -> Canvas:
    """Draw the table without any card."""
    canvas = Canvas(width=at.WIDTH, height=at.HEIGHT, background=theme.table)
    _draw_cloth(canvas, theme)
    canvas.rectangle((0, 0, at.WIDTH, at.HEADER_HEIGHT), fill=theme.header)
    for label, right in zip(HEADER_LABELS, HEADER_LABEL_RIGHTS, strict=True):
        _draw_label(canvas, theme, label, (right, HEADER_BASELINE), "rs", _HEADER_LABEL_SIZE)
    _draw_top_row(canvas, theme)
    for column in range(FULL.columns):
        _draw_place(canvas, theme, column, at.COLUMN_TOP, f"t{column + 1}")
    _draw_waste_list(canvas, theme)
    return canvas


def _draw_cloth(canvas: Canvas, theme: Theme) -> None:
    for top in range(at.HEADER_HEIGHT, at.HEIGHT, _CLOTH_BAND):
        share = (top - at.HEADER_HEIGHT) / (at.HEIGHT - at.HEADER_HEIGHT)
        red, green, blue = (
            round(light + (dark - light) * share)
            for light, dark in zip(theme.table, theme.table_dark, strict=True)
        )
        canvas.rectangle((0, top, at.WIDTH, top + _CLOTH_BAND), fill=(red, green, blue))


def _draw_top_row(canvas: Canvas, theme: Theme) -> None:
    for f in range(FULL.foundations):
        _draw_place(canvas, theme, f, at.TOP_ROW, f"f{f + 1}")
        middle = (at.place_left(f) + at.CARD_WIDTH / 2, at.TOP_ROW + at.CARD_HEIGHT / 2)
        shape = SUIT_SHAPES[f % FULL.suits]
        canvas.shape(shape, centre=middle, size=34, colour=_towards(theme.groove, theme.table))
    for place, name in ((at.STOCK_PLACE, "stock"), (at.WASTE_PLACE, "waste")):
        _draw_place(canvas, theme, place, at.TOP_ROW, name)


def _draw_place(canvas: Canvas, theme: Theme, place: int, top: int, name: str) -> None:
    """Draw an empty place for a card and its name above it."""
    left = at.place_left(place)
    box = (left, top, left + at.CARD_WIDTH, top + at.CARD_HEIGHT)
    canvas.rectangle(
        box, radius=at.CARD_RADIUS, outline=_towards(theme.groove, theme.table), line=1.5
    )
    middle = left + at.CARD_WIDTH / 2
    _draw_label(canvas, theme, name, (middle, top - at.LABEL_GAP), "ms", _LABEL_SIZE)


def _draw_waste_list(canvas: Canvas, theme: Theme) -> None:
    """Name the rows of tags and mark where the tags will lie."""
    rows = FULL.stock // at.TAGS_A_ROW
    right, bottom = at.LEFT + FULL.columns * at.PITCH, at.TAG_TOP + rows * at.TAG_ROW_PITCH
    tray = (at.LEFT - 5, at.TAG_TOP - 3, right - (at.PITCH - at.CARD_WIDTH) + 4, bottom + 1)
    canvas.rectangle(tray, radius=5, fill=_towards(theme.header, theme.table_dark))
    middle = at.TAG_TOP + rows * at.TAG_ROW_PITCH / 2 + 3
    _draw_label(canvas, theme, "waste", (at.LEFT - 1, middle), "ls", _LABEL_SIZE - 1)


def _draw_label(
    canvas: Canvas, theme: Theme, text: str, at_: tuple[float, float], anchor: str, size: float
) -> None:
    canvas.text(text, at=at_, size=size, colour=theme.label, anchor=anchor, weight=0.2)


def _towards(colour: Colour, other: Colour) -> Colour:
    """Return the colour halfway between two."""
    red, green, blue = ((a + b) // 2 for a, b in zip(colour, other, strict=True))
    return red, green, blue
