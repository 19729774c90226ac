"""`qv evaluate`: agents on deals, and how they did."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from qv_env.cli.arguments import load_agent, parse_deals, portable
from qv_env.cli.errors import FailureError, user_errors
from qv_env.cli.output import print_tables, write_json

if TYPE_CHECKING:
    from agents.comparison import AgentResult
    from qv_env.deals import Deal

_DEFAULT_BATCH: Final = 256
_LONGEST_TITLE: Final = 40


@click.command("evaluate")
@click.option(
    "--agent",
    "specs",
    multiple=True,
    required=True,
    metavar="AGENT",
    help="random, greedy, planner, sampler, a run folder or model file of train.py, or "
    "module:Class; give it once for each agent. The others are compared with the first.",
)
@click.option(
    "--deals",
    "deal_specs",
    multiple=True,
    required=True,
    metavar="DEALS",
    help="A split and a count (dev:200), a file with a code a line (# comments), or codes, "
    "separated by commas or given one by one.",
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
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads to compute on."
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=_DEFAULT_BATCH,
    show_default=True,
    help="Games played side by side; changes nothing but the time it takes.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Fixes all chance in the agents' choices.",
)
@click.option("--sample", is_flag=True, help="Trained models draw actions by their probabilities.")
def command(
    *,
    specs: tuple[str, ...],
    deal_specs: tuple[str, ...],
    json_path: Path | None,
    record_folder: Path | None,
    threads: int,
    batch: int,
    seed: int,
    sample: bool,
) -> None:
    """Play each deal once with each agent and print how they did, with 95 % intervals."""
    from agents.comparison import check_comparable, compare
    from agents.evaluate import AgentError
    from agents.files import check_writable
    from agents.report import comparison_json, comparison_tables
    from qv_env.progress import game_progress

    with user_errors():
        deals = parse_deals(deal_specs)
        agents = [load_agent(spec, sample=sample, threads=threads) for spec in specs]
        check_comparable(agents)
        if json_path is not None:
            check_writable(json_path)
        if record_folder is not None:
            record_folder.mkdir(parents=True, exist_ok=True)
    try:
        with game_progress(len(agents) * len(deals)) as progress:
            results = compare(
                agents, deals, seed=seed, batch=batch, threads=threads, progress=progress
            )
    except AgentError as error:
        raise FailureError(str(error)) from None
    title = f"{len(deals)} deals ({_shortened(deal_specs)}), seed {seed}, 95 % intervals"
    print_tables(comparison_tables(results, title=title))
    if record_folder is not None:
        _record(record_folder, results, deals, seed=seed)
    if json_path is not None:
        command = _command(specs, deal_specs, seed=seed, sample=sample)
        document = comparison_json(
            results, command=command, seed=seed, deals=[portable(text) for text in deal_specs]
        )
        write_json(json_path, document)


def _record(
    folder: Path, results: Sequence[AgentResult], deals: Sequence[Deal], *, seed: int
) -> None:
    from agents.recording import record_games

    try:
        count = record_games(folder, results, deals, seed=seed)
    except OSError as error:
        raise FailureError(f"cannot write to {folder}: {error.strerror or error}") from None
    click.echo(f"{count} episodes in {portable(str(folder))}")


def _command(specs: Sequence[str], deal_specs: Sequence[str], *, seed: int, sample: bool) -> str:
    """Return the command that gives the same figures; paths of this machine are left out."""
    words = ["qv", "evaluate"]
    for spec in specs:
        words += ["--agent", portable(spec)]
    for deals in deal_specs:
        words += ["--deals", portable(deals)]
    words += ["--seed", str(seed)]
    return shlex.join([*words, "--sample"] if sample else words)


def _shortened(deal_specs: Sequence[str]) -> str:
    """Return what deals were asked for by, cut where it would fill the title."""
    text = ", ".join(portable(spec) for spec in deal_specs)
    return text if len(text) <= _LONGEST_TITLE else f"{text[:_LONGEST_TITLE]}…"
