"""`qv solve`: wins of deals whose stock is known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qv_env.cli.arguments import parse_deals
from qv_env.cli.errors import FailureError, UserError, user_errors

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
    help="Seconds of processor time for each deal, on each thread.",
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=512,
    show_default=True,
    help="Most memory, in MiB; limits how wide beams get.",
)
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Beams side by side."
)
@click.option("--shorten", is_flag=True, help="Use the whole time, and look for a short win.")
@click.option("--score", is_flag=True, help="The same, for a win worth many points.")
@click.option("--moves", is_flag=True, help="Print the moves of each win.")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write each win as an episode file, DIR/DEAL.json.",
)
def command(
    *,
    words: tuple[str, ...],
    seconds: float,
    memory: int,
    threads: int,
    shorten: bool,
    score: bool,
    moves: bool,
    folder: Path | None,
) -> None:
    """Look for wins of deals, the order of their stock being known.

    A deal is SOLVED when a win was found, and UNSOLVABLE when every position was looked at, which
    is possible for very few deals. Else it is UNKNOWN, since what the search leaves out is a guess.
    Every win is replayed by the engine, and in a source tree by the oracle. The exit code is 0 if
    all deals were solved, and 1 if not.
    """
    from agents.solver import Goal, Solver, Verdict, deal_state

    if shorten and score:
        raise UserError("--shorten and --score ask for different wins; give one of them")
    goal = Goal.SHORT if shorten else Goal.SCORE if score else Goal.ANY
    with user_errors():
        deals = parse_deals(words)
        solver = Solver(seconds, memory, threads=threads)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    solved = 0
    for deal in deals:
        solution = solver.solve(deal_state(deal), goal)
        solved += solution.verdict is Verdict.SOLVED
        click.echo(_line(deal, solution))
        if solution.verdict is Verdict.SOLVED:
            _show(deal, solution, moves=moves, folder=folder)
    if len(deals) > 1:
        click.echo(f"{solved} of {len(deals)} deals solved")
    raise SystemExit(0 if solved == len(deals) else 1)


def _line(deal: Deal, solution: Solution) -> str:
    from agents.solver import Verdict

    work = f"{solution.seconds:.2f} s, {solution.beams} beams, {solution.nodes:,} positions"
    if solution.verdict is Verdict.SOLVED:
        return f"{deal.name}: {solution.verdict} in {len(solution.actions)} moves ({work})"
    if solution.stopped_by is None:
        return f"{deal.name}: {solution.verdict} ({work})"
    return (
        f"{deal.name}: {solution.verdict}, stopped by the limit of {solution.stopped_by} ({work})"
    )


def _show(deal: Deal, solution: Solution, *, moves: bool, folder: Path | None) -> None:
    from agents.oracle import oracle, replay_by_oracle
    from qv_env.actions import action_text
    from qv_env.episodes import make_episode, save_episode

    # Playing the win through the engine also checks it.
    episode = make_episode(deal, solution.actions, agent="solver")
    rules = oracle()
    if rules is not None and deal.number is not None:
        outcome = replay_by_oracle(rules, deal.code, solution.actions)
        if not outcome.won or outcome.score != episode.scores[-1]:
            raise FailureError(f"{deal.name}: the oracle does not agree with the win; a bug")
    click.echo(f"{deal.name}: worth {episode.scores[-1]} points")
    if moves:
        click.echo(" ".join(action_text(action) for action in solution.actions))
    if folder is not None:
        path = folder / f"{deal.name}.json"
        with user_errors():
            save_episode(path, episode)
        click.echo(f"wrote {path}")
