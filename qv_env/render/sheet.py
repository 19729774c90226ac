"""All sprites of a theme, drawn once and packed for the kernel that paints frames."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qv_env.cards import CARD_TYPES, RANKS, SUITS
from qv_env.render import geometry as at
from qv_env.render import sprites
from qv_env.render.backdrop import backdrop
from qv_env.render.canvas import OPAQUE, Canvas, text_width
from qv_env.render.status import BLOCKED, WON
from qv_env.render.theme import Theme

# Sprite numbers: a card's is its code, and its tag's that many more.
CARD_BACK: Final = 0
FIRST_TAG: Final = CARD_TYPES
CARD_RING: Final = 2 * CARD_TYPES + 1
TAG_RING: Final = CARD_RING + 1
WON_BANNER: Final = CARD_RING + 2
BLOCKED_BANNER: Final = CARD_RING + 3
_FIRST_GLYPH: Final = CARD_RING + 4

_FIRST_CHARACTER: Final = 32  # the blank; printable ASCII runs from here
_LAST_CHARACTER: Final = 126
_UNKNOWN: Final = "?"

FIGURE_SIZE: Final = 17.0
GLYPH_HEIGHT: Final = 24


class Sheet(NamedTuple):
    """Everything needed to paint a frame.

    Attributes:
        background: The table without cards, uint8 ``(HEIGHT, WIDTH, 3)``.
        colours: Red, green and blue of all sprites' pixels, one after another and row by row,
            already multiplied by alpha, uint8 ``(3 * pixels,)``.
        alphas: Alpha of the same pixels, uint8 ``(pixels,)``.
        places: For each sprite: number of its first pixel, its height, its width and number of its
            first row, int64 ``(sprites, 4)``.
        solid: For each row of each sprite, the columns where an opaque run starts and ends (the
            run through its middle; empty where that is not opaque), int64 ``(rows, 2)``.
        advances: How far each glyph moves the pen, in pixels.
    """

    background: NDArray[np.uint8]
    colours: NDArray[np.uint8]
    alphas: NDArray[np.uint8]
    places: NDArray[np.int64]
    solid: NDArray[np.int64]
    advances: tuple[float, ...]


def glyph_sprite(character: str) -> int:
    """Return the sprite number of a character; those outside ASCII show as a question mark."""
    code = ord(character)
    if not _FIRST_CHARACTER <= code <= _LAST_CHARACTER:
        code = ord(_UNKNOWN)
    return _FIRST_GLYPH + code - _FIRST_CHARACTER


def glyph_advance(sheet: Sheet, character: str) -> float:
    """Return how far a character moves the pen, in pixels."""
    return sheet.advances[glyph_sprite(character) - _FIRST_GLYPH]


@lru_cache
def sheet_of(theme: Theme) -> Sheet:
    """Return the sheet of a theme; it is drawn on the first call."""
    pictures = [canvas.pixels() for canvas in _canvases(theme)]
    pixels = np.concatenate([p.reshape(-1, 4) for p in pictures])
    sizes = np.array([p.shape[:2] for p in pictures], dtype=np.int64)
    heights, areas = sizes[:, 0], sizes.prod(axis=1)
    sheet = Sheet(
        background=np.ascontiguousarray(backdrop(theme).pixels()[..., :3]),
        colours=pixels[:, :3].flatten(),
        alphas=pixels[:, 3].copy(),
        places=np.column_stack((_starts(areas), sizes, _starts(heights))),
        solid=np.concatenate([_solid_runs(p[..., 3]) for p in pictures]),
        advances=tuple(text_width(c, FIGURE_SIZE) for c in _characters()),
    )
    for array in sheet[:5]:
        array.flags.writeable = False
    return sheet


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each of several stretches starts when they lie one after another."""
    return np.cumsum(lengths) - lengths


def _solid_runs(alpha: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return start and end of the opaque run through the middle of each row, ``(rows, 2)``."""
    opaque = alpha == OPAQUE
    middle = alpha.shape[1] // 2
    before = np.logical_and.accumulate(opaque[:, :middle][:, ::-1], axis=1).sum(axis=1)
    after = np.logical_and.accumulate(opaque[:, middle:], axis=1).sum(axis=1)
    run = np.column_stack((middle - before, middle + after))
    run[after == 0] = middle
    return run.astype(np.int64)


def _characters() -> list[str]:
    return [chr(code) for code in range(_FIRST_CHARACTER, _LAST_CHARACTER + 1)]


def _canvases(theme: Theme) -> list[Canvas]:
    """Draw every sprite, in the order of their numbers."""
    cards = [(suit, rank) for suit in range(SUITS) for rank in range(1, RANKS + 1)]
    ring_margin = 2 * at.RING_MARGIN
    return [
        sprites.card_back(theme),
        *(sprites.card_face(theme, suit=suit, rank=rank) for suit, rank in cards),
        *(sprites.tag(theme, suit=suit, rank=rank) for suit, rank in cards),
        sprites.ring(
            theme,
            width=at.CARD_WIDTH + ring_margin,
            height=at.CARD_HEIGHT + ring_margin,
            radius=at.CARD_RADIUS + at.RING_MARGIN,
            line=3,
        ),
        sprites.ring(theme, width=at.TAG_WIDTH, height=at.TAG_HEIGHT, radius=4, line=2),
        sprites.banner(theme, WON, size=54),
        sprites.banner(theme, BLOCKED, size=14),
        *(
            sprites.glyph(c, size=FIGURE_SIZE, colour=theme.figure, height=GLYPH_HEIGHT, weight=0.5)
            for c in _characters()
        ),
    ]
