"""`qv verify`: whether episode files keep to the rules."""

from __future__ import annotations

from pathlib import Path

import click

from qv_env.cli.arguments import read_verified
from qv_env.cli.errors import UserError, user_errors


@click.command("verify")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
def command(*, files: tuple[Path, ...]) -> None:
    """Play episode files again through the engine, and say where one breaks.

    Compared are the legality of every action, scores, rewards and the ending. The exit code is 0
    if all files are right, 1 if a game breaks the rules or is not as its file says, and 2 if a
    file cannot be read or is no episode.
    """
    worst = 0
    for file in files:
        try:
            with user_errors():
                episode, replay = read_verified(file)
        except UserError as error:  # the other files are looked at all the same
            error.show()
            worst = max(worst, error.exit_code)
        else:
            who = f"{episode.agent} on " if episode.agent else ""
            click.echo(
                f"{file}: right; {who}{replay.deal}, {len(episode.actions)} plies, "
                f"score {episode.score}, {episode.ending}"
            )
    raise SystemExit(worst)
