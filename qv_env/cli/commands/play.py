"""`qv play`: the game on a page."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from typing import TYPE_CHECKING, Final

import click

from qv_env.cli.arguments import load_agent, parse_deal, sample_option
from qv_env.cli.errors import UserError, user_errors

if TYPE_CHECKING:
    import socket

    from qv_env.deals import Deal
    from qv_env.web.app import PlayServer

_HIGHEST_PORT: Final = 65_535
_SCREENS: Final = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
_WEB_PACKAGES: Final = ("pydantic", "starlette", "uvicorn")


@click.command("play")
@click.option(
    "--deal",
    "deal_text",
    metavar="CODE",
    help="What a page deals first: a code, a number, or 104 cards as one word. Default: any deal "
    "of the train split.",
)
@click.option(
    "--agent",
    "spec",
    metavar="AGENT",
    help="An agent to ask for advice and to watch; as in qv evaluate.",
)
@click.option(
    "--port",
    type=click.IntRange(0, _HIGHEST_PORT),
    help="Where the server listens; 0 for any free port. Default: 8040, or a free one if that is "
    "taken.",
)
@click.option(
    "--browser/--no-browser", default=True, help="Whether the page is opened in a browser."
)
@sample_option
def command(
    *, deal_text: str | None, spec: str | None, port: int | None, browser: bool, sample: bool | None
) -> None:
    """Play the game in a browser, alone or with an agent at hand.

    The page comes from a server in this process, which other machines cannot reach; Ctrl-C ends
    it. Every tab has a game of its own, which can be saved as an episode file.
    """
    with user_errors():
        deal = None if deal_text is None else parse_deal(deal_text)
    listener = _listen(port)
    with listener:
        server = _server(listener, deal, spec, sample=sample)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        click.echo(f"The page is at {url}; Ctrl-C ends the server.")
        if browser and _has_screen():
            # On a thread: some programs return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        _serve(server, listener)


def _has_screen() -> bool:
    """Return whether there is a screen for a browser; without one, Linux offers those of text."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, _SCREENS))


def _listen(port: int | None) -> socket.socket:
    try:
        from qv_env.web.serving import listen
    except ModuleNotFoundError as error:
        if error.name not in _WEB_PACKAGES:
            raise
        raise UserError(
            f"{error.name} is not installed; qv play needs the web extra: pip install 'qv-env[web]'"
        ) from None
    try:
        return listen(port)
    except OSError as error:
        raise UserError(
            f"cannot listen on port {port}: {os.strerror(error.errno or 0)}; "
            "give another --port, or none for a free one"
        ) from None


def _server(
    listener: socket.socket, deal: Deal | None, spec: str | None, *, sample: bool | None
) -> PlayServer:
    """Make the server, with the agents that `qv_env.web` itself knows nothing of."""
    from agents.outlook import PlannerOutlook
    from qv_env.web.app import PlayServer
    from qv_env.web.serving import compile_kernels

    adviser = None
    if spec is not None:
        from agents.advising import AgentAdviser

        with user_errors():
            adviser = AgentAdviser(load_agent(spec, sample=sample).agent)
    compile_kernels()
    return PlayServer(
        port=listener.getsockname()[1], deal=deal, adviser=adviser, outlook=PlannerOutlook()
    )


def _serve(server: PlayServer, listener: socket.socket) -> None:
    from qv_env.web.serving import serve

    try:
        serve(server, listener)
    except KeyboardInterrupt:
        click.echo("The server has ended.")
        if server.is_computing:
            # A compiler on another thread crashes when the interpreter takes it down in its work.
            sys.stdout.flush()
            os._exit(0)
