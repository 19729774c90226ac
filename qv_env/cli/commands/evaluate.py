"""`qv evaluate`: agents on deals, and how they did."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from qv_env.cli.arguments import deterministic, load_agent, parse_deals, portable, sample_option
from qv_env.cli.errors import FailureError, UserError, user_errors
from qv_env.cli.output import counted, print_tables, write_json

if TYPE_CHECKING:
    from agents.comparison import AgentResult
    from agents.evaluate import Game
    from agents.results.evaluation import Order
    from qv_env.deals import Deal
    from qv_env.progress import Report

_DEFAULT_BATCH: Final = 256
_MOST_PROCESSES: Final = 256  # each takes memory and opens files, which run out beyond
_LONGEST_TITLE: Final = 40
_INTERRUPTED: Final = 130  # what a shell says of a command that Ctrl-C has ended


@click.command("evaluate")
@click.option(
    "--agent",
    "specs",
    multiple=True,
    required=True,
    metavar="AGENT",
    help="random, greedy, planner, sampler, a run folder or model file of train.py, or "
    "module:Class, perhaps with options as in name:key=value,key=value; give it once for each "
    "agent. The others are compared with the first.",
)
@click.option(
    "--deals",
    "deal_specs",
    multiple=True,
    required=True,
    metavar="DEALS",
    help="A split and a count (dev:200; the published list is test:1000), a file with a code a "
    "line (# comments), or codes, separated by commas or given one by one.",
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all figures.")
@click.option(
    "--record",
    "record_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write every game as an episode file, DIR/AGENT/DEAL.json.",
)
@click.option(
    "--results",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep a results file for each agent in this folder, and a journal while it plays.",
)
@click.option(
    "--weights",
    metavar="WHAT",
    help="What planner and sampler judge by, as their option of this name: learned, none for the "
    "hand-tuned evaluation alone, or a file of networks.",
)
@click.option("--resume", is_flag=True, help="Go on where the journals in --results end.")
@click.option(
    "--processes",
    type=click.IntRange(1, _MOST_PROCESSES),
    default=1,
    show_default=True,
    help="Processes that share the games; changes nothing but the time it takes.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=_DEFAULT_BATCH,
    show_default=True,
    help="Most games played side by side; changes nothing but the time it takes.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Fixes all chance in the agents' choices.",
)
@sample_option
def command(
    *,
    specs: tuple[str, ...],
    deal_specs: tuple[str, ...],
    json_path: Path | None,
    record_folder: Path | None,
    folder: Path | None,
    weights: str | None,
    resume: bool,
    processes: int,
    batch: int,
    seed: int,
    sample: bool | None,
) -> None:
    """Play each deal once with each agent and print how they did, with 95 % intervals.

    Every process computes on one thread; the time of a game is processor time. An evaluation with
    --results can be stopped (Ctrl-C, or a kill) and continued by the same command with --resume.
    """
    from agents.files import check_writable
    from agents.report import comparison_json, comparison_tables

    with user_errors():
        if weights is not None:
            specs = _weighted(specs, weights)
        orders = _orders(specs, deal_specs, seed=seed, sample=sample, folder=folder)
        if json_path is not None:
            check_writable(json_path)
        if record_folder is not None:
            record_folder.mkdir(parents=True, exist_ok=True)
        if folder is None:
            if resume:
                raise UserError("--resume needs --results, the folder with the journals")
        else:
            _check_folder(folder, orders, resume=resume)
    results = _play(orders, folder, batch=batch, processes=processes)
    # What was played is kept first: printing may fail, for example into a pipe that has closed.
    recorded = ""
    if record_folder is not None:
        recorded = _record(record_folder, results, orders[0].deals, seed=seed)
    if json_path is not None:
        command = _command(specs, deal_specs, seed=seed, sample=sample)
        document = comparison_json(
            results, command=command, seed=seed, deals=[portable(text) for text in deal_specs]
        )
        write_json(json_path, document)
    count = counted(len(orders[0].deals), "deal")
    title = f"{count} ({_shortened(deal_specs)}), seed {seed}, 95 % intervals"
    print_tables(comparison_tables(results, title=title))
    if recorded:
        click.echo(recorded)


def _weighted(specs: Sequence[str], weights: str) -> tuple[str, ...]:
    """Return the words for agents with weights laid on those that have such an option."""
    from agents.loading import has_option
    from agents.specs import with_option

    if not any(has_option(spec, "weights") for spec in specs):
        raise UserError("--weights is for planner and sampler; none of the agents has weights")
    return tuple(
        with_option(spec, "weights", weights) if has_option(spec, "weights") else spec
        for spec in specs
    )


def _orders(
    specs: Sequence[str],
    deal_specs: Sequence[str],
    *,
    seed: int,
    sample: bool | None,
    folder: Path | None,
) -> list[Order]:
    """Return what is to be evaluated, one order an agent, all on one board."""
    from agents.comparison import check_comparable
    from agents.deal_lists import fixed_list
    from agents.results.evaluation import Order
    from agents.results.provenance import current_source
    from agents.workers import Recipe

    deals = parse_deals(deal_specs)
    deals_text = ",".join(deal_specs) if folder is None else fixed_list(deal_specs)
    source = current_source()
    orders = []
    for spec in specs:
        recipe = Recipe(spec, deterministic=deterministic(sample=sample))
        loaded = load_agent(spec, sample=sample)
        orders.append(Order(recipe, loaded, portable(spec), deals, deals_text, source, seed))
    check_comparable([order.loaded.agent for order in orders])
    return orders


def _check_folder(folder: Path, orders: Sequence[Order], *, resume: bool) -> None:
    """Make the folder of results, and see that no evaluation is lost and none is done twice."""
    from agents.files import check_writable
    from agents.results.evaluation import journal_path

    folder.mkdir(parents=True, exist_ok=True)
    slugs: set[str] = set()
    for order in orders:
        if order.slug in slugs:
            raise UserError(f"agent {order.agent_text} is given twice; its results would collide")
        slugs.add(order.slug)
        journal = journal_path(folder, order)
        check_writable(folder / f"{order.slug}.json")
        if journal.exists() and not resume:
            raise UserError(
                f"{journal} holds an evaluation that was stopped; go on with it by --resume, or "
                "delete the file to start anew"
            )


def _play(
    orders: Sequence[Order], folder: Path | None, *, batch: int, processes: int
) -> list[AgentResult]:
    """Play all orders, and keep the result of each as soon as it is there."""
    from agents.comparison import AgentResult, distinct_names
    from agents.evaluate import AgentError
    from agents.results.evaluation import journal_path, make_result, play, save_result
    from agents.workers import WorkerError
    from qv_env.progress import game_progress

    results = []
    names = distinct_names([order.loaded.agent for order in orders])
    try:
        with game_progress(sum(len(order.deals) for order in orders)) as report, user_errors():
            for name, order in zip(names, orders, strict=True):
                games = play(
                    order,
                    journal=folder and journal_path(folder, order),
                    batch=batch,
                    processes=processes,
                    progress=_reporter(report, name),
                )
                if folder is not None:
                    save_result(folder, order, make_result(order, games, processes=processes))
                results.append(AgentResult(name, dict(order.loaded.agent.env_kwargs), games))
    except (AgentError, WorkerError) as error:
        raise FailureError(f"{error}{_how_to_resume(folder)}") from None
    except KeyboardInterrupt:
        click.echo(f"qv: stopped{_how_to_resume(folder)}", err=True)
        raise SystemExit(_INTERRUPTED) from None
    return results


def _record(
    folder: Path, results: Sequence[AgentResult], deals: Sequence[Deal], *, seed: int
) -> str:
    """Write every game into a folder and return a line that says so."""
    from agents.recording import record_games

    try:
        count = record_games(folder, results, deals, seed=seed)
    except OSError as error:
        raise FailureError(f"cannot write to {folder}: {error.strerror or error}") from None
    return f"{counted(count, 'episode')} in {portable(str(folder))}"


def _reporter(report: Report, name: str) -> Callable[[Sequence[Game]], None]:
    return lambda ended: report(name, len(ended), sum(game.won for game in ended))


def _how_to_resume(folder: Path | None) -> str:
    if folder is None:
        return ""
    return f"; what was played is kept in {folder}, and the same command with --resume goes on"


def _command(
    specs: Sequence[str], deal_specs: Sequence[str], *, seed: int, sample: bool | None
) -> str:
    """Return the command that gives the same figures; paths of this machine are left out."""
    from agents.workers import sample_words

    words = ["qv", "evaluate"]
    for spec in specs:
        words += ["--agent", portable(spec)]
    for deals in deal_specs:
        words += ["--deals", portable(deals)]
    words += ["--seed", str(seed)]
    return shlex.join([*words, *sample_words(deterministic(sample=sample))])


def _shortened(deal_specs: Sequence[str]) -> str:
    """Return what deals were asked for by, cut where it would fill the title."""
    text = ", ".join(portable(spec) for spec in deal_specs)
    return text if len(text) <= _LONGEST_TITLE else f"{text[:_LONGEST_TITLE]}…"
