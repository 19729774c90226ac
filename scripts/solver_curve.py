"""Show how the share of solved deals grows with the time a deal.

Every deal is solved once, with the most time; when it was solved says what less time would have
given. The file is written after every few deals, and a run that was stopped goes on with the same
command.

    python scripts/solver_curve.py --deals train:300 --time 4
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
from matplotlib.figure import Figure

from agents.deal_lists import fixed_list, parse_deals
from agents.results.provenance import current_source
from agents.solver import Solver, Verdict, deal_state
from agents.statistics import wilson
from qv_env.files import moved_into_place, write_whole

SAVE_EVERY = 10  # deals
SHORTEST = 1 / 16  # seconds, of the table
POINTS = 200  # of the curve
FOLDER = Path(__file__).parent.parent / "docs"


def times_up_to(most: float) -> list[float]:
    """Return times of the table, each twice the one before."""
    times = [most]
    while times[0] > SHORTEST:
        times.insert(0, times[0] / 2)
    return times


def solved_within(rows: list[Any], seconds: float) -> int:
    """Return how many deals were solved within a time."""
    return sum(row["verdict"] == Verdict.SOLVED and row["seconds"] <= seconds for row in rows)


def table(rows: list[Any], most: float) -> str:
    """Return the shares as a Markdown table."""
    lines = ["| seconds a deal | solved | 95 % interval |", "|---:|---:|---:|"]
    for seconds in times_up_to(most):
        rate = wilson(solved_within(rows, seconds), len(rows))
        low, high = (100 * (end or 0.0) for end in rate[1:])
        lines.append(f"| {seconds:g} | {100 * rate.value:.1f} % | {low:.1f} to {high:.1f} |")
    return "\n".join(lines)


def draw(rows: list[Any], most: float, deals: str, path: Path) -> None:
    """Draw the curve with its intervals."""
    times = np.geomspace(SHORTEST, most, POINTS)
    rates = [wilson(solved_within(rows, seconds), len(rows)) for seconds in times]
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(times, [100 * rate.value for rate in rates])
    low, high = ([100 * (rate[k] or 0.0) for rate in rates] for k in (1, 2))
    axes.fill_between(times, low, high, alpha=0.2)
    axes.set_xscale("log", base=2)
    axes.set_xlabel("seconds of processor time a deal")
    axes.set_ylabel("deals solved (%)")
    axes.set_title(f"qv solve, {deals}", loc="left")
    axes.grid(alpha=0.3)
    with moved_into_place(path) as draft:
        figure.savefig(draft, dpi=120, metadata={"Software": None})


def read_rows(path: Path, head: dict[str, Any]) -> list[Any]:
    """Return the deals of an earlier run, if there was one with the same code and budget.

    Raises:
        click.UsageError: There was one with others.
    """
    if not path.exists():
        return []
    kept = json.loads(path.read_text(encoding="utf-8"))
    other = [name for name, value in head.items() if kept[name] != value]
    if other:
        raise click.UsageError(f"{path} has another {' and '.join(other)}; move it away first")
    rows: list[Any] = kept["rows"]
    return rows


@click.command()
@click.option("--deals", default="train:300", show_default=True, help="SPLIT:COUNT.")
@click.option("--time", "most", type=click.FloatRange(SHORTEST), default=4.0, show_default=True)
@click.option("--memory", type=click.IntRange(1), default=512, show_default=True, help="In MiB.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=None)
def main(*, deals: str, most: float, memory: int, out: Path | None) -> None:
    """Solve a list of deals, and show how many were solved within which time."""
    try:
        name, todo = fixed_list([deals]), parse_deals([deals])
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    stem = f"solver-curve-{name.replace(':', '-')}"
    path = out or FOLDER / "data" / f"{stem}.json"
    source = current_source()
    head = {"deals": name, "seconds": most, "memory": memory, "sources": source.digest}
    rows = read_rows(path, head)
    solver = Solver(most, memory)
    for done in range(len(rows), len(todo)):
        solution = solver.solve(deal_state(todo[done]))
        rows.append(
            {
                "deal": todo[done].code,
                "verdict": str(solution.verdict),
                "seconds": round(solution.seconds, 4),
                "beams": solution.beams,
                "nodes": solution.nodes,
            }
        )
        if (done + 1) % SAVE_EVERY == 0 or done + 1 == len(todo):
            write_whole(path, json.dumps({**head, "commit": source.commit, "rows": rows}) + "\n")
    draw(
        rows,
        most,
        name,
        FOLDER / "img" / f"{stem}.png" if out is None else path.with_suffix(".png"),
    )
    print(table(rows, most))


if __name__ == "__main__":
    main()
