"""`qv render`: a game as a file to look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from qv_env.cli.arguments import load_agent, parse_deal, read_verified, sample_option
from qv_env.cli.errors import FailureError, UserError, user_errors
from qv_env.cli.output import counted

if TYPE_CHECKING:
    from qv_env.episodes import Episode
    from qv_env.replay import Replay

_EPISODE: Final = ".json"


@click.command("render")
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[EPISODE_FILE]")
@click.option(
    "--agent", "specs", multiple=True, metavar="AGENT", help="Who plays; as in qv evaluate."
)
@click.option(
    "--deal",
    "deal_specs",
    multiple=True,
    metavar="CODE",
    help="What it plays: a code, a number, or 104 cards as one word.",
)
@click.option(
    "--out",
    "path",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to; the ending says what: .gif, .mp4, .txt with every move, .png for a sheet of "
    "moments of the game, or .json for an episode file.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--plies", type=click.IntRange(1), help="Show only the first plies of the game.")
@click.option(
    "--fps",
    type=float,
    default=4.0,
    show_default=True,
    help="Plies a second, from 0.01 to 100.",
)
@click.option("--four-colours", is_flag=True, help="A colour for each suit.")
@sample_option
def command(
    *,
    file: Path | None,
    specs: tuple[str, ...],
    deal_specs: tuple[str, ...],
    path: Path,
    seed: int,
    plies: int | None,
    fps: float,
    four_colours: bool,
    sample: bool | None,
) -> None:
    """Write a game as animation, video, picture, text or episode file.

    The game is read from an episode file, or an agent plays it: give EPISODE_FILE, or --agent and
    --deal.
    """
    from agents.files import check_writable
    from qv_env.episodes import save_episode
    from qv_env.render import ENDINGS, check_speed, write_replay

    with user_errors():
        endings = (*ENDINGS, _EPISODE)
        if path.suffix.lower() not in endings:
            raise UserError(f"cannot write {path}: the name must end in {', '.join(endings)}")
        check_writable(path)
        check_speed(fps)
        spec, deal_spec = _only(specs, "--agent"), _only(deal_specs, "--deal")
        if file is not None:
            if spec or deal_spec:
                raise UserError("give an episode file, or --agent and --deal, but not both")
            if path.suffix.lower() == _EPISODE:
                raise UserError(f"cannot write {path}: {file} is an episode file already")
            episode, replay = read_verified(file)
            replay = replay.first(plies)
    if file is None:
        episode, replay = _played(spec, deal_spec, seed=seed, plies=plies, sample=sample)
    try:
        if path.suffix.lower() == _EPISODE:
            save_episode(path, episode)
        else:
            write_replay(path, replay, fps=fps, four_colours=four_colours)
    except ImportError as error:  # an extra is missing
        raise UserError(str(error)) from None
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from None
    last = replay.states[-1]
    click.echo(
        f"{path}: {episode.agent or 'somebody'} on {replay.deal}, "
        f"{counted(len(replay.actions), 'ply', 'plies')}, score {int(last['score'])}, "
        f"{counted(int(last['foundations'].sum()), 'card')} on the foundations"
    )


def _only(values: tuple[str, ...], option: str) -> str | None:
    """Return the value of an option that may be given once."""
    if len(values) > 1:
        raise UserError(
            f"{option} is given {len(values)} times; one game is rendered: give it once"
        )
    return values[0] if values else None


def _played(
    spec: str | None, deal_spec: str | None, *, seed: int, plies: int | None, sample: bool | None
) -> tuple[Episode, Replay]:
    """Let an agent play a deal."""
    from agents.episode import play_episode
    from agents.evaluate import AgentError
    from qv_env.episodes import verify

    if spec is None or deal_spec is None:
        raise UserError("give an episode file, or --agent and --deal. Try 'qv render --help'.")
    with user_errors():
        deal = parse_deal(deal_spec)
        agent = load_agent(spec, sample=sample).agent
    try:
        episode = play_episode(agent, deal, seed=seed, max_plies=plies)
    except AgentError as error:
        raise FailureError(str(error)) from None
    return episode, verify(episode)
