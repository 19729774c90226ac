"""A state as a picture."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qv_env.engine import STATE
from qv_env.jit import kernel
from qv_env.render import geometry
from qv_env.render.canvas import OPAQUE
from qv_env.render.layout import blits_of
from qv_env.render.sheet import sheet_of
from qv_env.render.theme import FOUR_COLOURS, TWO_COLOURS

FRAME_SHAPE: Final = (geometry.HEIGHT, geometry.WIDTH, 3)

Frame = NDArray[np.uint8]


def render_rgb(
    state: Any,
    *,
    deal: str = "",
    action: int | None = None,
    four_colours: bool = False,
    out: Frame | None = None,
) -> Frame:
    """Return a state as a picture of `FRAME_SHAPE`, uint8, red, green and blue.

    The header shows the deal's code and the figures; below it lie the foundations, the stock and
    the waste's top card, then the columns, each with its top card lowest, and at the bottom the
    whole waste, its top card last and ringed. Every suit has its own shape.

    Args:
        state: A state record of the full game; it is read, never changed.
        deal: The deal's code, for the header; what does not fit is cut.
        action: The action that led to this state: the card that it moved is ringed, and the
            header names the move.
        four_colours: Whether each suit has its own colour (diamonds blue, clubs green) instead of
            two suits being red and two black.
        out: A C-contiguous array to draw into, of `FRAME_SHAPE` and uint8, instead of a new one.

    Returns:
        A new array, or `out`.

    Raises:
        ValueError: The state is not one of the full game, or `out` has another shape or type.
    """
    if state.dtype != STATE:
        raise ValueError("pictures show the full game only; this state has other sizes")
    sheet = sheet_of(FOUR_COLOURS if four_colours else TWO_COLOURS)
    if out is None:
        out = np.empty(FRAME_SHAPE, dtype=np.uint8)
    elif out.shape != FRAME_SHAPE or out.dtype != np.uint8 or not out.flags.c_contiguous:
        raise ValueError(
            f"out must be a C-contiguous uint8 array of shape {FRAME_SHAPE}, "
            f"got {out.dtype} of shape {out.shape}"
        )
    out[...] = sheet.background
    sprites = (sheet.colours, sheet.alphas, sheet.places, sheet.solid)
    blits = blits_of(state, sheet, deal=deal, action=action)
    _paint(out.reshape(-1), geometry.WIDTH, sprites, blits)
    return out


@kernel
def _paint(frame: Any, width: int, sheet: Any, blits: Any) -> None:
    """Lay sprites onto a frame, one after another.

    Args:
        frame: The picture's bytes, uint8 ``(height * width * 3,)``; every sprite lies within it.
        width: The picture's width in pixels.
        sheet: Colours, alphas, places and solid runs of a `Sheet`.
        blits: Rows as in `qv_env.render.layout.Blit`, int64 ``(n, 5)``.
    """
    colours, alphas, places, solid = sheet
    for b in range(blits.shape[0]):
        sprite, left, top, rows = blits[b, 0], blits[b, 1], blits[b, 2], blits[b, 3]
        height, columns = places[sprite, 1], places[sprite, 2]
        for row in range(min(height, rows + blits[b, 4])):
            # Unsigned, because Numba would test every signed index for being negative.
            source = np.uint64(places[sprite, 0] + row * columns)
            target = np.uint64((top + row) * width + left)
            start, end = np.uint64(solid[places[sprite, 3] + row, 0]), np.uint64(columns)
            stop, origin = np.uint64(solid[places[sprite, 3] + row, 1]), np.uint64(0)
            _copy(frame, target + start, colours, source + start, stop - start)
            faintest = np.uint32(1 if row < rows else OPAQUE)
            _blend(frame, target, colours, alphas, source, origin, start, faintest)
            _blend(frame, target, colours, alphas, source, stop, end, faintest)


@kernel
def _copy(frame: Any, target: Any, colours: Any, source: Any, pixels: Any) -> None:
    """Copy neighbouring pixels; most of a card is opaque, and this is the fast way for it."""
    channels = np.uint64(3)
    for k in range(channels * pixels):
        frame[channels * target + k] = colours[channels * source + k]


@kernel
def _blend(
    frame: Any,
    target: Any,
    colours: Any,
    alphas: Any,
    source: Any,
    start: Any,
    end: Any,
    faintest: Any,
) -> None:
    """Lay pixels `start` to `end` of a sprite's row, those not under `faintest`, over the frame."""
    channels, opaque = np.uint64(3), np.uint32(OPAQUE)
    for column in range(start, end):
        alpha = np.uint32(alphas[source + column])
        if alpha >= faintest:
            for channel in range(channels):
                to = channels * (target + column) + channel
                below = np.uint32(frame[to]) * (opaque - alpha) // opaque
                frame[to] = colours[channels * (source + column) + channel] + below
