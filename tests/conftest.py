"""What holds for every test: no display, one thread, reproducible; slow tests only when asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

from tests.browsing import CHROMIUM, require_chromium

# Set before any test imports these libraries: windows and plots go nowhere.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# Threads of PyTorch that wait for each other on busy cores make tests several times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A kernel's first call compiles it, so the time of one example means nothing.
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True)
hypothesis.settings.register_profile("slow", deadline=None, max_examples=1000)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--slow``."""
    parser.addoption("--slow", action="store_true", help="run the slow tests as well")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how hard Hypothesis searches."""
    hypothesis.settings.load_profile("slow" if config.getoption("--slow") else "suite")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip slow tests unless they are asked for."""
    if config.getoption("--slow"):
        return
    skip = pytest.mark.skip(reason="slow: run with --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Run a headless Chromium, or skip the test with the reason why there is none."""
    with require_chromium().sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM)
        yield chromium
        chromium.close()


@pytest.fixture
def torch_as_before() -> Iterator[None]:
    """Undo, after a test, what training sets in PyTorch for the whole process."""
    import torch

    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(True)
