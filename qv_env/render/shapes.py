"""Suits and court cards' hats as outlines in the unit square, x to the right and y downwards.

A shape is a tuple of polygons that are filled one after another in the same colour. No font is
asked for a suit, so that pictures are the same on every machine.
"""

from __future__ import annotations

import math
from typing import Final

Point = tuple[float, float]
Polygon = tuple[Point, ...]
Shape = tuple[Polygon, ...]

_CURVE_POINTS: Final = 24
_CIRCLE_POINTS: Final = 48


def _curve(start: Point, towards: Point, away: Point, end: Point) -> list[Point]:
    """Return points of a cubic Bezier curve, from just after its start to its end."""
    points = []
    for step in range(1, _CURVE_POINTS + 1):
        t = step / _CURVE_POINTS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        controls = (start, towards, away, end)
        x, y = (sum(w * p[k] for w, p in zip(weights, controls, strict=True)) for k in (0, 1))
        points.append((x, y))
    return points


def _circle(centre: Point, radius: float) -> Polygon:
    turns = (2 * math.pi * step / _CIRCLE_POINTS for step in range(_CIRCLE_POINTS))
    return tuple(
        (centre[0] + radius * math.cos(t), centre[1] + radius * math.sin(t)) for t in turns
    )


def _mirrored(right_half: list[Point]) -> Polygon:
    """Return a closed outline from its right half, given from the top to the bottom."""
    left_half = [(1 - x, y) for x, y in reversed(right_half)]
    return (*right_half, *left_half)


def _heart_outline() -> Polygon:
    notch, shoulder, side, tip = (0.5, 0.24), (0.75, 0.05), (0.98, 0.32), (0.5, 0.97)
    half = [notch]
    half += _curve(notch, (0.54, 0.12), (0.64, 0.05), shoulder)
    half += _curve(shoulder, (0.89, 0.05), (0.98, 0.17), side)
    half += _curve(side, (0.98, 0.56), (0.66, 0.74), tip)
    return _mirrored(half)


def _stem(top: float) -> Polygon:
    waist, foot = (0.53, top), (0.69, 0.98)
    return _mirrored([waist, *_curve(waist, (0.53, 0.84), (0.58, 0.93), foot)])


def _spade() -> Shape:
    body = 0.84  # part of the height that is a heart upside down
    blade = tuple((x, body * (1 - y) + 0.005) for x, y in _heart_outline())
    return blade, _stem(0.5)


def _diamond() -> Shape:
    top, side, bottom = (0.5, 0.01), (0.88, 0.5), (0.5, 0.99)
    half = [top]
    half += _curve(top, (0.60, 0.20), (0.74, 0.38), side)
    half += _curve(side, (0.74, 0.62), (0.60, 0.80), bottom)
    return (_mirrored(half),)


def _club() -> Shape:
    leaf = 0.235
    leaves = [_circle(centre, leaf) for centre in ((0.5, 0.25), (0.25, 0.6), (0.75, 0.6))]
    return *leaves, _circle((0.5, 0.5), 0.14), _stem(0.5)


SUIT_SHAPES: Final[tuple[Shape, ...]] = (_spade(), (_heart_outline(),), _diamond(), _club())


def _king_hat() -> Shape:
    """A crown of three spikes, balls on their tips, above a band."""
    spikes: Polygon = (
        (0.08, 0.74),
        (0.03, 0.26),
        (0.28, 0.50),
        (0.5, 0.14),
        (0.72, 0.50),
        (0.97, 0.26),
        (0.92, 0.74),
    )
    balls = [_circle(centre, 0.075) for centre in ((0.06, 0.22), (0.5, 0.1), (0.94, 0.22))]
    band: Polygon = ((0.08, 0.81), (0.92, 0.81), (0.92, 0.97), (0.08, 0.97))
    return spikes, *balls, band


def _queen_hat() -> Shape:
    """A coronet: five small spikes on a rising arc, above a curved band."""
    tips = ((0.06, 0.42), (0.27, 0.26), (0.5, 0.2), (0.73, 0.26), (0.94, 0.42))
    outline: list[Point] = [(0.16, 0.92)]
    for number, (x, y) in enumerate(tips):
        outline.append((x, y))
        if number + 1 < len(tips):
            outline.append(((x + tips[number + 1][0]) / 2, 0.66))
    outline += [(0.84, 0.92), *_curve((0.84, 0.92), (0.64, 0.84), (0.36, 0.84), (0.16, 0.92))]
    return tuple(outline), *(_circle((x, y - 0.03), 0.062) for x, y in tips)


def _jack_hat() -> Shape:
    """A flat cap with a feather."""
    left, right = (0.16, 0.74), (0.80, 0.74)
    cap = (left, *_curve(left, (0.14, 0.36), (0.66, 0.30), right))
    brim: Polygon = ((0.04, 0.79), (0.92, 0.79), (0.86, 0.95), (0.10, 0.95))
    root, tip = (0.62, 0.62), (0.98, 0.06)
    feather = (
        root,
        *_curve(root, (0.56, 0.36), (0.74, 0.12), tip),
        *_curve(tip, (1.02, 0.34), (0.86, 0.56), root),
    )
    return cap, brim, feather


COURT_HATS: Final[dict[str, Shape]] = {"J": _jack_hat(), "Q": _queen_hat(), "K": _king_hat()}
