"""How fast the environments are, beside their peers and the cost of copying what they write.

    python benchmarks/throughput.py --quick                     # a look, minutes
    python benchmarks/throughput.py --publish                   # what docs/performance.md shows

Every row plays random legal actions; only the time inside the step counts, in which observation and
mask are made and games that have ended start anew. Rows take turns, round by round, so that what
disturbs the machine for a while disturbs all. Peers are installed into throw-away environments.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.progress import Progress
from speed.bars import judge
from speed.chart import draw_chart
from speed.docs import read_figures, update_page
from speed.floor import floor_rows
from speed.machine import description, memory, start_seconds
from speed.ours import GROWTH_SIZES, SIZES, our_rows
from speed.parts import part_rows
from speed.peers import PEERS, PeerProcess, running
from speed.plies import ply_rows
from speed.report import as_json, show, write_json
from speed.rows import Result, Row

DOCS: Final = Path(__file__).parent.parent / "docs"
ROUNDS: Final = 7
SECONDS: Final = 0.3
QUICK_ROUNDS: Final = 5
QUICK_SECONDS: Final = 0.05
_MIB: Final = 1 << 20
_STARTS: Final = 3


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--rounds", type=click.IntRange(min=1), help=f"Rounds; {ROUNDS} unless given.")
@click.option("--quick", is_flag=True, help=f"{QUICK_ROUNDS} short rounds: a look, not a result.")
@click.option("--peers/--no-peers", default=True, help="Whether to measure the peers too.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures.")
@click.option("--chart", type=click.Path(path_type=Path), help="Draw the chart, PNG.")
@click.option("--publish", is_flag=True, help="Write figures, chart and tables of the docs.")
def main(
    rounds: int | None,
    json_file: Path | None,
    chart: Path | None,
    *,
    quick: bool,
    peers: bool,
    publish: bool,
) -> None:
    """Measure steps a second, side by side with peers and with the copy floor."""
    console = Console(highlight=False)
    if quick and publish:
        raise click.UsageError("--publish needs full rounds: leave out --quick")
    rounds = rounds or (QUICK_ROUNDS if quick else ROUNDS)
    data = measure_all(rounds, QUICK_SECONDS if quick else SECONDS, console, with_peers=peers)
    show(data, console)
    if json_file is not None:
        write_json(data, json_file)
    if chart is not None:
        draw_chart(data, chart)
    if publish:
        figures = DOCS / "data" / "throughput.json"
        write_json(data, figures)
        draw_chart(data, DOCS / "img" / "throughput.png")
        update_page(DOCS / "performance.md", throughput=read_figures(figures))


def measure_all(
    rounds: int, seconds: float, console: Console, *, with_peers: bool
) -> dict[str, Any]:
    """Return all figures of one run, as they go into the JSON file."""
    machine = description()
    figures = figures_of_processes(console)
    with running(PEERS if with_peers else (), console.print) as (processes, missing):
        rows = [*our_rows(), *floor_rows(sorted((*SIZES, *GROWTH_SIZES)))]
        rows += [*part_rows(), *ply_rows()]
        rows += [row for process in processes for row in process.rows]
        results = measure_rows(rows, rounds, seconds, processes, console)
        for process in processes:
            machine["versions"].update(process.versions)
    by_key = {result.key: result for result in results}
    figures["frames_a_second"] = 1e9 / by_key["frame"].median
    return as_json(
        results,
        machine=machine,
        rounds=rounds,
        seconds=seconds,
        missing=missing,
        figures=figures,
        bars=judge(by_key, figures),
    )


def figures_of_processes(console: Console) -> dict[str, float]:
    """Return start-up times and memory, each measured in a process of its own."""
    console.print("Measuring start-up, first compilation and memory")
    cold = start_seconds(cold=True)
    start_seconds(cold=False)
    cards, features = memory("cards"), memory("features")
    return {
        "cold_start_seconds": cold,
        "warm_start_seconds": min(start_seconds(cold=False) for _ in range(_STARTS)),
        "memory_cards_bytes_a_game": cards["bytes_a_game"],
        "memory_features_bytes_a_game": features["bytes_a_game"],
        "memory_growth_mib": max(cards["growth"], features["growth"]) / _MIB,
    }


def measure_rows(
    rows: list[Row], rounds: int, seconds: float, processes: list[PeerProcess], console: Console
) -> list[Result]:
    """Return the results of all rows, which take turns in every round."""
    first_calls = {k: s for process in processes for k, s in process.compile_seconds.items()}
    times: dict[str, list[float]] = {row.key: [] for row in rows}
    with Progress(console=console) as progress:
        bar = progress.add_task("Measuring", total=(rounds + 1) * len(rows))
        for row in rows:
            begin = time.perf_counter()
            row.measure(0.0)
            row.measure(seconds / 2)
            first_calls.setdefault(row.key, time.perf_counter() - begin - seconds / 2)
            progress.advance(bar)
        for _ in range(rounds):
            for row in rows:
                steps, spent = row.measure(seconds)
                times[row.key].append(1e9 * spent / steps)
                progress.advance(bar)
    return [
        Result(
            key=row.key,
            group=row.group,
            name=row.name,
            games=row.games,
            threads=row.threads,
            nanoseconds=times[row.key],
            compile_seconds=max(first_calls[row.key], 0.0),
        )
        for row in rows
    ]


if __name__ == "__main__":
    main()
