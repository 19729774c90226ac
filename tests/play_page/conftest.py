"""Servers, and pages on which nothing may go wrong unseen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.advising import AgentAdviser
from agents.outlook import PlannerOutlook
from agents.random_agent import RandomAgent
from qv_env import Game
from tests.browsing import DESKTOP
from tests.play_page.playing import CODE, Opener, Server, ready


@pytest.fixture(scope="module")
def outlook() -> PlannerOutlook:
    """Return a judge of games; what is compiled for it is compiled before a page waits for it."""
    judge = PlannerOutlook()
    game = Game(CODE)
    while game.stock_count:
        game.draw()
    judge.is_hopeless(game)
    return judge


@pytest.fixture(scope="module")
def server(outlook: PlannerOutlook) -> Iterator[Server]:
    with Server(outlook=outlook) as running:
        yield running


@pytest.fixture(scope="module")
def agent_server(outlook: PlannerOutlook) -> Iterator[Server]:
    adviser = AgentAdviser(RandomAgent())
    adviser.advise(Game(CODE))
    with Server(adviser=adviser, outlook=outlook) as running:
        yield running


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Opener]:
    """Return what opens the page, and check at the end that nothing went wrong on it."""
    wrong: list[str] = []
    contexts = []

    def watch(page: Any, url: str) -> None:
        # Answers that refuse what a test asks for on purpose are written to the console, too.
        page.on(
            "console",
            lambda m: None if "Failed to load resource" in m.text else wrong.append(m.text),
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(url) else wrong.append(r.url))

    def open_page(
        viewport: dict[str, int] = DESKTOP,
        *,
        context: Any = None,
        at: Server = server,
        **more: Any,
    ) -> Any:
        if context is None:
            context = browser.new_context(viewport=viewport, **more)
            contexts.append(context)
        page = context.new_page()
        watch(page, at.url)
        page.goto(at.url)
        ready(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def page(opened: Opener) -> Any:
    return opened()
