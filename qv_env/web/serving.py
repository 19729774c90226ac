"""Running the server: a socket on the loopback interface, and Uvicorn on it."""

from __future__ import annotations

import errno
import socket
from typing import Final

import uvicorn

from qv_env.game import Game
from qv_env.web.app import PlayServer
from qv_env.web.view import game_view

HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8040
_ANY_FREE_PORT: Final = 0
_WAITING_CONNECTIONS: Final = 128
_SECONDS_TO_END: Final = 1


def listen(port: int | None) -> socket.socket:
    """Return a socket that listens on the loopback interface.

    Args:
        port: Where; None for `DEFAULT_PORT`, or any free port if that is taken.

    Raises:
        OSError: The port is taken or may not be used.
    """
    try:
        return _bound(DEFAULT_PORT if port is None else port)
    except OSError as error:
        if port is not None or error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        return _bound(_ANY_FREE_PORT)


def _bound(port: int) -> socket.socket:
    # The protocol is named because asyncio sends small answers without delay (40 ms on Linux) only
    # where it is.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows: nobody else on this port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:  # a port that a server has just left is free
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(_WAITING_CONNECTIONS)
    except OSError:
        listener.close()
        raise
    return listener


def compile_kernels() -> None:
    """Have the game's kernels compiled, so that the first page does not wait for it."""
    game = Game(0)
    game.double_tap("stock")
    game.undo()
    game.targets("t1")
    game.why_not("t1>t2")
    game_view(game)


def serve(play: PlayServer, listener: socket.socket) -> None:
    """Answer requests until the process is interrupted."""
    play.prepare()
    new_server(play).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Ends without waiting for agents that think."""

    def __init__(self, config: uvicorn.Config, play: PlayServer) -> None:
        super().__init__(config)
        self._play = play

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what is being answered."""
        self._play.end()
        await super().shutdown(sockets)


def new_server(play: PlayServer) -> uvicorn.Server:
    """Return a server that says nothing unless something goes wrong."""
    config = uvicorn.Config(
        play.app,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="error",  # warnings are about what others send, which is answered
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    return _Server(config, play)
