"""A state as text."""

from __future__ import annotations

import re

import numpy as np
import pytest

from qv_env import engine
from qv_env.deals import Deal
from qv_env.render import render_text
from qv_env.sizes import Sizes
from tests import positions

ESCAPE = re.compile(r"\x1b\[\d*m")

FRESH = """\
deal FT1-N-AAAAAAV   score 0   moves 0   foundations 0/104

stock 64   waste 0

f1  f2  f3  f4  f5  f6  f7  f8
-S  -H  -D  -C  -S  -H  -D  -C

t1  t2  t3  t4  t5  t6  t7  t8  t9  t10
JH  5D  JD  4H  8S  8C  9H  9C  4D  JS
QD  3H  KH  KC  JC  KD  JD  8C  TS  8H
TH  TD  5C  7S  AD  AC  2H  2S  6C  5S
KD  JH  9C  QS  8S  8D  KS  2C  6S  6H"""

CROWDED_END = """\
AH                                  AC"""


def test_a_known_deal_reads_as_it_always_did() -> None:
    assert render_text(positions.fresh(21), deal=Deal.from_number(21).code) == FRESH


def test_the_waste_is_shown_from_its_top() -> None:
    text = render_text(positions.crowded(), waste_cards=3)
    assert "stock 0   waste 64: .. TS JS [QS]" in text


def test_a_short_waste_is_shown_whole() -> None:
    state = positions.fresh()
    for _ in range(2):
        engine.apply(state, 0)
    assert "stock 62   waste 2: 5D [4S]" in render_text(state)


def test_long_and_empty_columns() -> None:
    lines = render_text(positions.crowded()).splitlines()
    first = lines.index("t1  t2  t3  t4  t5  t6  t7  t8  t9  t10") + 1
    assert lines[first] == "5S  --  --  --  --  --  --  --  --  5S"
    assert lines[-1] == CROWDED_END
    assert len(lines) - first == 16


def test_the_end_of_a_game_is_said() -> None:
    assert "score 1185   moves 237   foundations 104/104   ** won **" in render_text(
        positions.won()
    )
    assert "** blocked **" in render_text(positions.blocked())
    assert "**" not in render_text(positions.fresh())


@pytest.mark.parametrize("kind", positions.all_kinds())
def test_plain_text_is_ascii_without_control_characters(kind: str) -> None:
    text = render_text(positions.all_kinds()[kind], deal="FT1-N-AAAAAAV")
    assert text.isascii()
    assert text.replace("\n", "").isprintable()
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("kind", positions.all_kinds())
def test_colours_are_reset_and_change_nothing_else(kind: str) -> None:
    state = positions.all_kinds()[kind]
    for four_colours in (False, True):
        text = render_text(state, colour=True, four_colours=four_colours)
        assert ESCAPE.sub("", text) == render_text(state)
        for line in text.splitlines():
            codes = ESCAPE.findall(line)
            assert all(code == "\x1b[0m" for code in codes[1::2])
            assert all(code != "\x1b[0m" for code in codes[::2])
            assert len(codes) % 2 == 0


def test_red_suits_are_red_and_four_colours_differ() -> None:
    state = positions.fresh()
    two = render_text(state, colour=True)
    assert "\x1b[31mJH\x1b[0m" in two
    assert "\x1b[31mQD\x1b[0m" in two
    four = render_text(state, colour=True, four_colours=True)
    assert "\x1b[34mQD\x1b[0m" in four
    assert "\x1b[32m8C\x1b[0m" in four


def test_symbols_stand_for_the_suits() -> None:
    text = render_text(positions.fresh(), symbols=True)
    letters = str.maketrans("\u2660\u2665\u2666\u2663", "SHDC")
    assert text.translate(letters) == render_text(positions.fresh())
    assert "J\u2665" in text


def test_reading_a_state_changes_no_byte() -> None:
    for state in positions.all_kinds().values():
        before = state.tobytes()
        render_text(state, colour=True, symbols=True)
        assert state.tobytes() == before


def test_the_stock_is_never_read() -> None:
    state = positions.random_position(3, plies=20)
    other = state.copy()
    drawn = 64 - int(other["stock_count"])
    other["stock"][drawn:] = other["stock"][drawn:][::-1].copy()
    assert render_text(other) == render_text(state)


def test_shrunken_games_are_written_as_well() -> None:
    sizes = Sizes(suits=2, ranks=3, columns=3, column_cards=2)
    state = engine.new_state(sizes)
    engine.deal(state, np.array([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6], dtype=np.uint8))
    lines = render_text(state).splitlines()
    assert lines[0] == "score 0   moves 0   foundations 0/12"
    assert lines[4:6] == ["f1  f2  f3  f4", "-S  -H  -S  -H"]
    assert lines[7:] == ["t1  t2  t3", "AS  3S  2H", "2S  AH  3H"]


def test_showing_no_waste_card_is_refused() -> None:
    with pytest.raises(ValueError, match="waste_cards must be at least 1, got 0"):
        render_text(positions.fresh(), waste_cards=0)
