"""`qv render`: a game as a file to look at."""

from __future__ import annotations

from pathlib import Path

import click

from qv_env.cli.arguments import load_agent, parse_deal
from qv_env.cli.errors import FailureError, UserError, user_errors


@click.command("render")
@click.option("--agent", "spec", required=True, metavar="AGENT", help="As in qv evaluate.")
@click.option("--deal", "deal_spec", required=True, metavar="CODE", help="A code or a number.")
@click.option(
    "--out",
    "path",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to; the ending says what: .gif, .mp4, .txt with every move, or .png for a sheet "
    "of moments of the game.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--plies", type=click.IntRange(1), help="Show only the first plies of the game.")
@click.option(
    "--fps",
    type=click.FloatRange(0, 100, min_open=True),
    default=4.0,
    show_default=True,
    help="Plies a second.",
)
@click.option("--four-colours", is_flag=True, help="A colour for each suit.")
@click.option("--sample", is_flag=True, help="A trained model draws actions by its probabilities.")
def command(
    *,
    spec: str,
    deal_spec: str,
    path: Path,
    seed: int,
    plies: int | None,
    fps: float,
    four_colours: bool,
    sample: bool,
) -> None:
    """Let an agent play a deal and write the game as animation, video, picture or text."""
    from agents.episode import play_episode
    from agents.evaluate import AgentError
    from agents.files import check_writable
    from qv_env.render import ENDINGS, write_episode

    with user_errors():
        if path.suffix.lower() not in ENDINGS:
            raise UserError(f"cannot write {path}: the name must end in {', '.join(ENDINGS)}")
        deal = parse_deal(deal_spec)
        agent = load_agent(spec, sample=sample, threads=1)
        check_writable(path)
    try:
        episode = play_episode(agent, deal, seed=seed, max_plies=plies)
    except AgentError as error:
        raise FailureError(str(error)) from None
    try:
        write_episode(path, episode, fps=fps, four_colours=four_colours)
    except ImportError as error:  # an extra is missing
        raise UserError(str(error)) from None
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from None
    last = episode.states[-1]
    cards = int(last["foundations"].sum())
    click.echo(
        f"{path}: {agent.name} on {episode.deal}, {len(episode.actions)} plies, "
        f"score {int(last['score'])}, {cards} cards on the foundations"
    )
