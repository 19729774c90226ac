"""Pages put together from assets, with everything inside and nothing loaded from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final, NamedTuple

from qv_env.web.symbols import symbols_svg

_SLOT: Final = re.compile(r"\{\{(\w+)\}\}")
_ASSETS: Final = "assets"
_FRAME: Final = "page.html"
_PARTS: Final = ("figures", "waste")  # what the bodies of several pages have in common


def asset(name: str) -> str:
    """Return the text of a file in the package's folder of assets."""
    return resources.files(__package__).joinpath(_ASSETS, name).read_text(encoding="utf-8")


class Page(NamedTuple):
    """A page that is one file.

    Attributes:
        html: The page.
        policy: Its content security policy, which stands in the page as well.
    """

    html: str
    policy: str


def standalone_page(
    body: str,
    *,
    title: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: Any,
    asks_server: bool = False,
) -> Page:
    """Return a page that is one file.

    Its content security policy allows the page's own scripts and styles by their digests, and
    forbids every other and every connection; so even a mistake in the escaping of data would
    load and run nothing.

    Args:
        body: Name of the asset with what the page shows, in which common parts are slots.
        title: The page's title, as plain text.
        styles: Names of style sheets among the assets, in order.
        scripts: Names of scripts among the assets, in order; they share one scope.
        data: What the scripts find as JSON in the element ``data``.
        asks_server: Whether the page may talk to the server that it came from.
    """
    style = "\n".join(map(asset, styles))
    script = "\n".join(map(asset, scripts))
    connect = "connect-src 'self'; " if asks_server else ""
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        f"{connect}img-src data:; base-uri 'none'; form-action 'none'"
    )
    slots = {
        "title": html.escape(title),
        "policy": policy,
        "symbols": symbols_svg(),
        "body": _filled(asset(body), {part: asset(f"{part}.html") for part in _PARTS}),
        "style": style,
        "script": script,
        "data": script_json(data),
    }
    return Page(_filled(asset(_FRAME), slots), policy)


def script_json(data: Any) -> str:
    r"""Return data as JSON that can stand in a script element: in ASCII, without ``<``.

    >>> print(script_json({"name": "</script>"}))
    {"name":"\u003c/script>"}
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")  # it can only stand inside of strings


def _filled(template: str, slots: Mapping[str, str]) -> str:
    """Fill slots such as ``{{title}}`` in one pass: what is filled in is never taken for a slot."""
    return _SLOT.sub(lambda match: slots[match[1]], template)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
