"""`qv replay`: an episode file as a page to watch."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from qv_env.cli.arguments import read_verified
from qv_env.cli.errors import FailureError, UserError, user_errors

_ENDINGS: Final = (".html", ".htm")
_BYTES_IN_KB: Final = 1000


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path), metavar="EPISODE_FILE")
@click.option(
    "--out",
    "path",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to; the name ends in .html.",
)
def command(*, file: Path, path: Path) -> None:
    """Write an episode as a page to watch in a browser.

    The page is one file that needs no server and loads nothing: the game move by move, played at
    any speed, the score's curve, the moves as text, and what the agent thought where the file
    says so.
    """
    from agents.files import check_writable
    from qv_env.web import write_replay_page

    with user_errors():
        if path.suffix.lower() not in _ENDINGS:
            raise UserError(f"cannot write {path}: the name must end in {' or '.join(_ENDINGS)}")
        check_writable(path)
        episode, replay = read_verified(file)
    try:
        write_replay_page(path, episode, replay)
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from None
    click.echo(
        f"{path}: {episode.agent or 'somebody'} on {replay.deal}, {len(replay.actions)} plies, "
        f"score {episode.score}, {episode.ending}, "
        f"{path.stat().st_size / _BYTES_IN_KB:.0f} kB"
    )
