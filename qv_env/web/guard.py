"""What the server refuses before anything else sees it, and what it says to browsers.

The server listens on the loopback interface, which keeps other machines out but not other pages in
the same browser. They are kept out by the ``Host`` header (a name that a foreign domain server has
made lead here), by ``Origin`` and ``Sec-Fetch-Site`` (a request from a foreign page), and by the
content type (a form that a foreign page sends without being asked for its origin).
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES: Final = 256 * 1024
_NAMES: Final = ("127.0.0.1", "localhost")
_LENGTH: Final = re.compile(r"[0-9]{1,9}")
_HTTP_PORT: Final = 80
_OWN_SITES: Final = (None, "same-origin", "none")  # "none": typed, or opened by a program

_HEADERS: Final = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """Middleware that lets through what comes from the server's own pages, or from no page.

    Args:
        app: What is guarded.
        port: Where the server listens.
    """

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in _NAMES}
        if port == _HTTP_PORT:
            self._hosts |= set(_NAMES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with an error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send_with_headers)
        else:
            status, reason = refusal
            answer = JSONResponse({"error": reason}, status)
            await answer(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[HTTPStatus, str] | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            names = " or ".join(sorted(self._hosts))
            return HTTPStatus.MISDIRECTED_REQUEST, f"this server is {names} and no other"
        if origin is not None and origin != f"http://{host}":
            return HTTPStatus.FORBIDDEN, "requests of pages from elsewhere are refused"
        is_link = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site") not in _OWN_SITES and not is_link:
            return HTTPStatus.FORBIDDEN, "requests of pages from elsewhere are refused"
        if scope["method"] == "POST":
            return _body_refusal(headers)
        return None


def _body_refusal(headers: Headers) -> tuple[HTTPStatus, str] | None:
    """Judge a body by what is said of it; what it is in truth the reader of the body finds out."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected a body of type application/json"
    length = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(length) or int(length) > MOST_BYTES:
        return too_large()
    return None


def too_large() -> tuple[HTTPStatus, str]:
    """Return the refusal of a body that is too large."""
    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a message has at most {MOST_BYTES} bytes"
