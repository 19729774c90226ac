"""`qv verify`: whether episode files and results files keep to the rules."""

from __future__ import annotations

from pathlib import Path

import click

from qv_env.cli.arguments import read_verified
from qv_env.cli.errors import FailureError, UserError, user_errors
from qv_env.cli.output import counted


@click.command("verify")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
def command(*, files: tuple[Path, ...]) -> None:
    """Play what files hold again, and say where one breaks: episode files and results files.

    An episode is played through the engine; compared are the legality of every action, scores,
    rewards and the ending. Of a results file of qv evaluate every recorded win is played through
    the engine and, in a source tree, through the plain-Python oracle as well; and its figures are
    computed anew. The exit code is 0 if all files are right, 1 if a game breaks the rules or is
    not as its file says, and 2 if a file cannot be read or is of neither kind.
    """
    from agents.results.checking import is_result

    worst = 0
    for file in files:
        try:
            with user_errors():
                line = _result_line(file) if is_result(file) else _episode_line(file)
        except UserError as error:  # the other files are looked at all the same
            error.show()
            worst = max(worst, error.exit_code)
        else:
            click.echo(f"{file}: right; {line}")
    raise SystemExit(worst)


def _episode_line(file: Path) -> str:
    episode, replay = read_verified(file)
    who = f"{episode.agent} on " if episode.agent else ""
    return (
        f"{who}{replay.deal}, {counted(len(episode.actions), 'ply', 'plies')}, "
        f"score {episode.score}, {episode.ending}"
    )


def _result_line(file: Path) -> str:
    from agents.results.checking import check_result
    from agents.results.result import read_result

    result = read_result(file)
    try:
        players = check_result(result)
    except ValueError as error:
        raise FailureError(f"{file}: {error}") from None
    return (
        f"{result.agent} on {result.deals}, {counted(len(result.wins), 'win')} replayed by "
        f"{' and '.join(players)}"
    )
