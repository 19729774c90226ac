"""A window for people who watch: positions on the screen at a steady pace."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from qv_env.render.rgb import FRAME_SHAPE, render_rgb

DEFAULT_TITLE: Final = "Quarante Voleurs"

_MISSING: Final = 'render_mode="human" needs an extra: pip install "qv-env[play]"'


class Window:
    """Shows positions in a window, at most so many a second.

    The window opens with the first position. A person may close it at any time; later positions
    are then ignored, so that a training or an evaluation goes on without it.
    """

    def __init__(
        self, *, fps: float, title: str = DEFAULT_TITLE, four_colours: bool = False
    ) -> None:
        """Prepare a window without opening it.

        Args:
            fps: Frames a second; `show` waits so that they are not more.
            title: What the window's frame says.
            four_colours: Whether each suit has its own colour.

        Raises:
            ImportError: pygame is not installed; the message names the extra.
            ValueError: `fps` is not positive.
        """
        if fps <= 0:
            raise ValueError(f"fps must be positive, got {fps}")
        self._pygame = _import_pygame()
        self._clock = self._pygame.time.Clock()
        self._fps = fps
        self._title = title
        self._four_colours = four_colours
        self._frame = np.empty(FRAME_SHAPE, dtype=np.uint8)
        self._screen: Any = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen."""
        return self._screen is not None

    def show(self, state: Any, *, deal: str = "", action: int | None = None) -> None:
        """Show a state as `render_rgb` draws it, then wait until the next one is due."""
        if self._closed:
            return
        if self._screen is None:
            self._open()
        render_rgb(
            state, deal=deal, action=action, four_colours=self._four_colours, out=self._frame
        )
        # pygame counts the horizontal axis first.
        self._pygame.surfarray.blit_array(self._screen, self._frame.swapaxes(0, 1))
        self._pygame.display.flip()
        if any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self.close()
            return
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window for good; calling this again does nothing."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
        self._closed = True

    def _open(self) -> None:
        # Only the display: a machine without sound must not fail on the mixer.
        self._pygame.display.init()
        height, width, _ = FRAME_SHAPE
        self._screen = self._pygame.display.set_mode((width, height))
        self._pygame.display.set_caption(self._title)


def _import_pygame() -> Any:
    # pygame greets on standard output, which belongs to the program that shows the window.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(_MISSING) from error
    return pygame
