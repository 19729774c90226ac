"""Pages in a headless Chromium, as tests use them."""

from __future__ import annotations

import shutil
from typing import Any, Final

import pytest

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
DESKTOP: Final = {"width": 1280, "height": 800}
PHONE: Final = {"width": 390, "height": 844}
SMALL_PHONE: Final = {"width": 320, "height": 640}
PHONE_WIDTHS: Final = (320, 360, 375, 390, 430)
LARGE_FIGURES: Final = {"score": 1185, "count": 2345, "stock": 10, "foundations": 104}

_PATIENCE: Final = 500
_PAUSE: Final = 20  # milliseconds


def require_chromium() -> Any:
    """Return playwright's module, or skip the test where it or the browser is missing."""
    module = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the path (Debian: apt-get install chromium)")
    return module


def wait_until(page: Any, condition: str) -> None:
    """Wait for a condition in JavaScript; the pages' policy forbids playwright's own way."""
    for _ in range(_PATIENCE):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(_PAUSE)
    raise AssertionError(f"not within {_PATIENCE * _PAUSE} ms: {condition}")


def figures_fit(page: Any) -> bool:
    """Return whether the figures of a page have room in its width when they are large."""
    return bool(
        page.evaluate(
            """(figures) => {
              for (const [id, number] of Object.entries(figures)) {
                document.getElementById(id).textContent = number;
              }
              const list = document.getElementById("figures");
              return list.scrollWidth <= list.clientWidth
                && document.documentElement.scrollWidth <= innerWidth;
            }""",
            LARGE_FIGURES,
        )
    )
