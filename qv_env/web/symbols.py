"""Suits and court cards' hats as SVG symbols, from the outlines that pictures are drawn with."""

from __future__ import annotations

from typing import Final

from qv_env.cards import SUIT_LETTERS
from qv_env.render.shapes import COURT_HATS, SUIT_SHAPES, Polygon, Shape

_DECIMALS: Final = 3


def symbols_svg() -> str:
    """Return an invisible SVG element with the symbols ``qv-S`` to ``qv-C`` and ``qv-J/Q/K``.

    Scripts place them with ``<use href="#qv-S">``; they take the colour of the text around them.
    """
    shapes = {**dict(zip(SUIT_LETTERS, SUIT_SHAPES, strict=True)), **COURT_HATS}
    symbols = "".join(_symbol(name, shape) for name, shape in shapes.items())
    return f'<svg width="0" height="0" aria-hidden="true" class="symbols">{symbols}</svg>'


def _symbol(name: str, shape: Shape) -> str:
    paths = "".join(f'<path d="{_path(polygon)}"/>' for polygon in shape)
    return f'<symbol id="qv-{name}" viewBox="0 0 1 1">{paths}</symbol>'


def _path(polygon: Polygon) -> str:
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in polygon)
    return f"M{points}Z"


def _number(value: float) -> str:
    return f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
