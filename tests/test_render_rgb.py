"""A state as a picture."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qv_env import engine
from qv_env.actions import ACTIONS, parse_action
from qv_env.cards import CARD_TYPES
from qv_env.render import FRAME_SHAPE, geometry, render_rgb, sprites
from qv_env.render.layout import blits_of
from qv_env.render.sheet import Sheet, sheet_of
from qv_env.render.theme import TWO_COLOURS, Theme
from qv_env.sizes import Sizes
from tests import positions

CODE = "FT1-N-AAAAAAV"


@pytest.mark.parametrize("kind", positions.all_kinds())
def test_every_frame_has_the_declared_shape_and_type(kind: str) -> None:
    frame = render_rgb(positions.all_kinds()[kind], deal=CODE)
    assert frame.shape == FRAME_SHAPE == (640, 800, 3)
    assert frame.dtype == np.uint8
    assert frame.flags.c_contiguous
    assert frame.flags.writeable


@pytest.mark.parametrize("kind", positions.all_kinds())
@pytest.mark.parametrize("action", [None, "draw", "t1>t10", "w>f8", "f1>t10"])
def test_the_kernel_paints_what_plain_numpy_paints(kind: str, action: str | None) -> None:
    state = positions.all_kinds()[kind]
    number = None if action is None else parse_action(action)
    frame = render_rgb(state, deal=CODE, action=number)
    sheet = sheet_of(TWO_COLOURS)
    blits = blits_of(state, sheet, deal=CODE, action=number)
    np.testing.assert_array_equal(frame, _painted_slowly(sheet, blits))


def _painted_slowly(sheet: Sheet, blits: NDArray[np.int64]) -> NDArray[np.uint8]:
    frame = sheet.background.astype(np.int64)
    for sprite, left, top, rows, opaque_rows in blits.tolist():
        start, height, width, _ = sheet.places[sprite].tolist()
        pixels = slice(start, start + height * width)
        colour = sheet.colours.reshape(-1, 3)[pixels].reshape(height, width, 3).astype(np.int64)
        alpha = sheet.alphas[pixels].reshape(height, width, 1).astype(np.int64)
        faint = (np.arange(height) >= rows)[:, None, None] & (alpha < 255)
        shown = min(height, rows + opaque_rows)
        target = frame[top : top + shown, left : left + width]
        blended = (
            colour + target * (255 - alpha) // 255
            if shown == height
            else (colour[:shown] + target * (255 - alpha[:shown]) // 255)
        )
        target[...] = np.where(faint[:shown], target, blended)
    return frame.astype(np.uint8)


@pytest.mark.parametrize("deal", ["", CODE, "TD" * 104, "\u2660" * 30])
def test_every_sprite_lies_within_the_frame(deal: str) -> None:
    sheet = sheet_of(TWO_COLOURS)
    for state in positions.all_kinds().values():
        for action in (None, *range(0, len(ACTIONS), 7), len(ACTIONS) - 1):
            blits = blits_of(state, sheet, deal=deal, action=action)
            _, heights, widths, _ = sheet.places[blits[:, 0]].T
            assert blits[:, 1:3].min() >= 0
            assert (blits[:, 1] + widths).max() <= geometry.WIDTH
            assert (blits[:, 2] + np.minimum(heights, blits[:, 3])).max() <= geometry.HEIGHT


def test_reading_a_state_changes_no_byte() -> None:
    for state in positions.all_kinds().values():
        before = state.tobytes()
        render_rgb(state, deal=CODE, action=0)
        assert state.tobytes() == before


def test_no_random_generator_is_touched() -> None:
    np.random.seed(1)  # noqa: NPY002  the global generator is the one in question
    before = np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    render_rgb(positions.fresh())
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index]  # noqa: NPY002


def test_the_same_state_gives_the_same_picture_in_an_array_of_its_own() -> None:
    state = positions.random_position(4, plies=40)
    first, second = render_rgb(state), render_rgb(state)
    np.testing.assert_array_equal(first, second)
    first[...] = 0
    np.testing.assert_array_equal(second, render_rgb(state))


def test_a_frame_can_be_drawn_into_an_array() -> None:
    state = positions.crowded()
    out = np.full(FRAME_SHAPE, 7, dtype=np.uint8)
    assert render_rgb(state, out=out) is out
    np.testing.assert_array_equal(out, render_rgb(state))


@pytest.mark.parametrize(
    "out",
    [
        np.zeros((600, 800, 3), np.uint8),
        np.zeros(FRAME_SHAPE, np.float32),
        np.zeros(FRAME_SHAPE, np.uint8, order="F"),
    ],
)
def test_an_unfit_array_is_refused(out: Any) -> None:
    with pytest.raises(ValueError, match=r"out must be a C-contiguous uint8 array"):
        render_rgb(positions.fresh(), out=out)


def test_a_shrunken_game_is_refused() -> None:
    state = engine.new_state(Sizes(suits=2, ranks=3, columns=3, column_cards=2))
    with pytest.raises(ValueError, match="the full game only"):
        render_rgb(state)


def test_the_stock_is_never_read() -> None:
    state = positions.random_position(3, plies=20)
    other = state.copy()
    drawn = 64 - int(other["stock_count"])
    other["stock"][drawn:] = other["stock"][drawn:][::-1].copy()
    np.testing.assert_array_equal(render_rgb(other), render_rgb(state))


@pytest.mark.parametrize("field", ["score", "moves", "stock_count", "waste_count"])
def test_every_figure_shows(field: str) -> None:
    state = positions.random_position(6, plies=20)
    other = state.copy()
    other[field] += 5 if field == "score" else 1
    header = slice(0, geometry.HEADER_HEIGHT)
    assert (render_rgb(state)[header] != render_rgb(other)[header]).any()


def test_deal_and_move_show() -> None:
    state = positions.random_position(6, plies=20)
    plain = render_rgb(state)
    assert (render_rgb(state, deal=CODE) != plain).any()
    assert (render_rgb(state, deal="TD" * 104) != plain).any()
    assert (render_rgb(state, action=0) != plain).any()


def test_all_cards_look_different_even_in_one_colour() -> None:
    grey = Theme(suits=((40, 40, 40),) * 4)
    sheet = sheet_of(grey)
    for first_sprite in (1, CARD_TYPES + 1):  # cards, then tags
        pictures = []
        for sprite in range(first_sprite, first_sprite + CARD_TYPES):
            start, height, width, _ = sheet.places[sprite].tolist()
            pictures.append(sheet.colours[3 * start : 3 * (start + height * width)])
        assert all((a != b).any() for a, b in combinations(pictures, 2))


def test_a_covered_card_still_shows_rank_and_suit() -> None:
    step = geometry.column_step(engine.STATE["columns"].shape[1])
    for suit in range(4):
        for rank in range(1, 14):
            card = sprites.card_face(TWO_COLOURS, suit=suit, rank=rank).pixels()
            red, green, blue = TWO_COLOURS.suits[suit]
            inked = (card[..., :3].astype(int) - (red, green, blue)).__abs__().sum(-1) < 30
            strip = inked[: geometry.COLUMN_STEP + geometry.CARD_MARGIN]
            assert np.flatnonzero(strip.any(axis=1))[-1] < geometry.CARD_MARGIN + step


def test_four_colours_differ_from_two() -> None:
    state = positions.fresh()
    assert (render_rgb(state, four_colours=True) != render_rgb(state)).any()


def test_pictures_need_neither_display_nor_pygame_nor_encoder() -> None:
    program = (
        "import sys, qv_env.render as r; from qv_env import engine; s = engine.new_state(); "
        "engine.refresh_all(s); r.render_rgb(s); r.render_text(s); "
        "print([m for m in ('pygame', 'imageio_ffmpeg', 'tkinter') if m in sys.modules])"
    )
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environment = {name: value for name, value in os.environ.items() if name not in displays}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "[]"
