"""A drawing surface in final pixels that draws several times larger and then shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from qv_env.render.shapes import Shape
from qv_env.render.theme import Colour

_SUPERSAMPLING: Final = 4
OPAQUE: Final = 255

Box = tuple[float, float, float, float]


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's own scalable font, the one font that is there on every machine."""
    return ImageFont.load_default(size=size)


def text_width(text: str, size: float) -> float:
    """Return how far a text of this size in pixels advances, in pixels."""
    return _font(round(size * _SUPERSAMPLING)).getlength(text) / _SUPERSAMPLING


class Canvas:
    """An RGBA picture; positions and sizes are in pixels of the result, fractions allowed."""

    def __init__(self, *, width: int, height: int, background: Colour | None = None) -> None:
        size = (width * _SUPERSAMPLING, height * _SUPERSAMPLING)
        fill = (0, 0, 0, 0) if background is None else (*background, OPAQUE)
        self._image = Image.new("RGBA", size, fill)
        self._draw = ImageDraw.Draw(self._image)

    def rectangle(
        self,
        box: Box,
        *,
        radius: float = 0,
        fill: Colour | None = None,
        outline: Colour | None = None,
        line: float = 1,
        alpha: int = OPAQUE,
    ) -> None:
        """Draw a rectangle (left, top, right, bottom) with rounded corners."""
        left, top, right, bottom = (edge * _SUPERSAMPLING for edge in box)
        # Pillow counts the last pixel of a rectangle in.
        self._draw.rounded_rectangle(
            (left, top, right - 1, bottom - 1),
            radius=radius * _SUPERSAMPLING,
            fill=None if fill is None else (*fill, alpha),
            outline=None if outline is None else (*outline, alpha),
            width=round(line * _SUPERSAMPLING),
        )

    def line(self, points: Sequence[tuple[float, float]], *, colour: Colour, width: float) -> None:
        """Draw a line through points."""
        scaled = [(x * _SUPERSAMPLING, y * _SUPERSAMPLING) for x, y in points]
        self._draw.line(scaled, fill=(*colour, OPAQUE), width=round(width * _SUPERSAMPLING))

    def shape(
        self,
        shape: Shape,
        *,
        centre: tuple[float, float],
        size: float,
        colour: Colour,
        alpha: int = OPAQUE,
    ) -> None:
        """Draw a shape of the unit square, blown up to `size`, around a centre."""
        left, top = centre[0] - size / 2, centre[1] - size / 2
        for polygon in shape:
            points = [
                ((left + x * size) * _SUPERSAMPLING, (top + y * size) * _SUPERSAMPLING)
                for x, y in polygon
            ]
            self._draw.polygon(points, fill=(*colour, alpha))

    def text(
        self,
        text: str,
        *,
        at: tuple[float, float],
        size: float,
        colour: Colour,
        anchor: str = "ls",
        weight: float = 0,
    ) -> None:
        """Draw a text.

        Args:
            text: What to write.
            at: Where, in pixels.
            size: Size of the font in pixels.
            colour: Colour of the letters.
            anchor: What lies at `at`, in Pillow's words: ``ls`` is the left end of the baseline.
            weight: How much bolder than the font to draw, in pixels.
        """
        self._draw.text(
            (at[0] * _SUPERSAMPLING, at[1] * _SUPERSAMPLING),
            text,
            font=_font(round(size * _SUPERSAMPLING)),
            fill=(*colour, OPAQUE),
            anchor=anchor,
            stroke_width=weight * _SUPERSAMPLING / 2,
        )

    def cast_shadow(self, *, blur: float, drop: float, alpha: int) -> None:
        """Put a soft shadow of what is drawn so far under it, `drop` pixels lower."""
        mask = self._image.getchannel("A").point(lambda value: value * alpha // OPAQUE)
        mask = mask.transform(
            mask.size, Image.Transform.AFFINE, (1, 0, 0, 0, 1, -drop * _SUPERSAMPLING)
        ).filter(ImageFilter.GaussianBlur(blur * _SUPERSAMPLING))
        shadow = Image.new("RGBA", self._image.size, (0, 0, 0, 0))
        shadow.putalpha(mask)
        shadow.alpha_composite(self._image)
        self._image = shadow
        self._draw = ImageDraw.Draw(self._image)

    def add_turned(self) -> None:
        """Add the same drawing turned upside down, as cards show their index twice."""
        self._image.alpha_composite(self._image.transpose(Image.Transpose.ROTATE_180))

    def put(self, other: Canvas) -> None:
        """Draw another canvas of the same size on top."""
        self._image.alpha_composite(other._image)

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture as uint8 (height, width, 4), colours multiplied by alpha."""
        pixels = np.asarray(self._image.reduce(_SUPERSAMPLING))
        rgba = pixels.astype(np.uint16)
        rgba[..., :3] = (rgba[..., :3] * rgba[..., 3:] + OPAQUE // 2) // OPAQUE
        return rgba.astype(np.uint8)
