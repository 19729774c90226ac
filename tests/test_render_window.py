"""A window for people; the tests' display is a dummy."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from qv_env.render import Window, render_rgb
from tests import positions

FAST = 1000


@pytest.fixture
def window() -> Iterator[Window]:
    pytest.importorskip("pygame")
    window = Window(fps=FAST)
    yield window
    window.close()


def test_it_opens_with_the_first_position(window: Window) -> None:
    import pygame

    state = positions.fresh()
    opened = [window.is_open]
    window.show(state, deal="FT1-N-AAAAAAV")
    opened.append(window.is_open)
    assert opened == [False, True]
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown, render_rgb(state, deal="FT1-N-AAAAAAV"))


def test_it_closes_for_good(window: Window) -> None:
    window.show(positions.fresh())
    window.close()
    window.close()
    assert not window.is_open
    window.show(positions.fresh())
    assert not window.is_open


def test_a_person_may_close_it(window: Window) -> None:
    import pygame

    window.show(positions.fresh())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(positions.fresh())
    assert not window.is_open
    window.show(positions.fresh())
    assert not window.is_open


def test_it_keeps_the_pace() -> None:
    pytest.importorskip("pygame")
    window = Window(fps=20)
    window.show(positions.fresh())
    start = time.perf_counter()
    for _ in range(4):
        window.show(positions.fresh())
    assert time.perf_counter() - start > 0.15
    window.close()


def test_a_pace_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="fps must be positive, got 0"):
        Window(fps=0)


def test_a_missing_pygame_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r'pip install "qv-env\[play\]"$'):
        Window(fps=FAST)
