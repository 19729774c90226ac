"""A server to play on, and what a person does to its page."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any, Final

from qv_env.deals import parse_deal
from qv_env.web.app import PlayServer
from qv_env.web.serving import compile_kernels, listen, new_server
from tests.browsing import wait_until

CODE: Final = "FT1-N-AAAAAAV"
Opener = Callable[..., Any]


class Server:
    """A server in a thread of its own."""

    def __init__(self, **parts: Any) -> None:
        self.listener = listen(0)
        port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        self.play = PlayServer(port=port, deal=parse_deal(CODE), **parts)
        self._server = new_server(self.play)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self.listener]}
        )

    def __enter__(self) -> Server:
        compile_kernels()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=30)
        self.listener.close()


def ready(page: Any) -> None:
    wait_until(page, "document.body.classList.contains('ready')")


def settle(page: Any) -> None:
    """Wait until all that was asked of the server is done and shown."""
    page.evaluate("queue")


def top(page: Any, place: str) -> tuple[float, float]:
    """Return where to grab the top card of a place, or its empty slot."""
    box = page.evaluate(
        "place => { const box = board.topOf(place).getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height * 0.6]; }",
        place,
    )
    return box[0], box[1]


def drag(page: Any, source: str, target: str) -> None:
    page.mouse.move(*top(page, source))
    page.mouse.down()
    page.mouse.move(*top(page, target), steps=2)
    page.mouse.up()
    settle(page)


def pile(page: Any, place: str) -> str:
    """Return a pile as the table shows it, from the bottom up."""
    shown: list[list[Any]] = page.evaluate(
        "place => [...document.querySelectorAll(`.card[data-place=${place}]`)]"
        ".map((card) => [Number(card.style.getPropertyValue('--z')), card.dataset.card])",
        place,
    )
    return "".join(card for _, card in sorted(shown))


def notice(page: Any) -> str:
    return str(page.text_content("#notice-text"))


def figures(page: Any) -> str:
    return re.sub(r"\s+", " ", page.inner_text("#figures"))


def deal(page: Any, code: str, operations: list[int]) -> None:
    page.evaluate(
        "([deal, operations]) => act({ do: 'deal', deal, operations })", [code, operations]
    )
