"""`qv solve`: wins of deals whose stock is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qv_env.cli.arguments import parse_deals
from qv_env.cli.errors import user_errors

if TYPE_CHECKING:
    from agents.solver import Solution
    from qv_env.deals import Deal


@click.command("solve")
@click.argument("words", nargs=-1, required=True, metavar="CODE...")
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    default=2.0,
    show_default=True,
    help="Seconds for each deal.",
)
@click.option(
    "--memory", type=click.IntRange(1), default=512, show_default=True, help="Most memory, in MiB."
)
@click.option("--moves", is_flag=True, help="Print the moves of each win.")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write each win as an episode file, DIR/DEAL.json.",
)
def command(
    *, words: tuple[str, ...], seconds: float, memory: int, moves: bool, folder: Path | None
) -> None:
    """Look for wins of deals, the order of their stock being known.

    A deal is SOLVED when a win was found; UNKNOWN otherwise, since what the search leaves out is
    a guess. The exit code is 0 if all deals were solved, and 1 if not.
    """
    from agents.solver import Solver, Verdict, deal_state

    with user_errors():
        deals = parse_deals(words)
        solver = Solver(seconds, memory)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    solved = 0
    for deal in deals:
        solution = solver.solve(deal_state(deal))
        solved += solution.verdict is Verdict.SOLVED
        click.echo(_line(deal, solution))
        if solution.verdict is Verdict.SOLVED:
            _show(deal, solution, moves=moves, folder=folder)
    if len(deals) > 1:
        click.echo(f"{solved} of {len(deals)} deals solved")
    raise SystemExit(0 if solved == len(deals) else 1)


def _line(deal: Deal, solution: Solution) -> str:
    work = f"{solution.seconds:.2f} s, {solution.beams} beams, {solution.nodes:,} positions"
    if solution.stopped_by is None:
        return f"{deal.name}: {solution.verdict} in {len(solution.actions)} moves ({work})"
    return (
        f"{deal.name}: {solution.verdict}, stopped by the limit of {solution.stopped_by} ({work})"
    )


def _show(deal: Deal, solution: Solution, *, moves: bool, folder: Path | None) -> None:
    from qv_env.actions import action_text
    from qv_env.episodes import make_episode, save_episode

    # Playing the win through the engine also checks it.
    episode = make_episode(deal, solution.actions, agent="solver")
    if moves:
        click.echo(" ".join(action_text(action) for action in solution.actions))
    if folder is not None:
        path = folder / f"{deal.name}.json"
        with user_errors():
            save_episode(path, episode)
        click.echo(f"wrote {path}")
