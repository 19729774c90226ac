"""Solve train deals in order and keep the wins with how hard they were to find.

The file is compressed JSON Lines, one deal a line, in the order of the deals::

    {"deal": "FT1-N-AAAAAAB", "verdict": "SOLVED", "beams": 1, "nodes": 21456, "actions": "0000z7…"}

``beams`` is the difficulty: the smallest number of beams of the solver's portfolio that finds a
win, or the number tried without one. It does not depend on the machine. ``actions`` are written as
in results files. The file is written whole, beside its place, after every few deals: a run that was
stopped goes on with the same command, and what is there always loads.

    python scripts/solve_deals.py --deals 2000 --out data/solved-train.jsonl.gz
"""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import click

from agents.results.rows import encode_actions
from agents.solver import Solver, Verdict, deal_state
from qv_env.deals import Deal, split_numbers
from qv_env.files import moved_into_place

SAVE_EVERY = 20  # deals
TIME = 3600.0  # so long that the number of beams is the only limit
MOST_BYTES = 20_000_000


def read_solved(path: Path) -> list[dict[str, Any]]:
    """Return the deals of such a file, one dictionary each; none if there is no file yet."""
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_solved(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write deals to such a file, which is whole or as it was before at any moment."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    with moved_into_place(path) as draft:
        # Without the time in it, the same deals give the same bytes.
        draft.write_bytes(gzip.compress(text.encode(), mtime=0))


def solve(solver: Solver, number: int) -> dict[str, Any]:
    """Return what the solver finds out about a deal."""
    deal = Deal.from_number(number)
    solution = solver.solve(deal_state(deal))
    row = {
        "deal": deal.code,
        "verdict": str(solution.verdict),
        "beams": solution.beams,
        "nodes": solution.nodes,
    }
    if solution.verdict is Verdict.SOLVED:
        row["actions"] = encode_actions(solution.actions)
    return row


@click.command()
@click.option("--deals", type=click.IntRange(1), default=2000, show_default=True)
@click.option("--beams", type=click.IntRange(1), default=8, show_default=True)
@click.option("--minutes", type=float, default=60.0, show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("data/solved-train.jsonl.gz"),
    show_default=True,
)
def main(*, deals: int, beams: int, minutes: float, out: Path) -> None:
    """Solve train deals in order, from where the file ends."""
    rows = read_solved(out)
    tried = {row["beams"] for row in rows if row["verdict"] == Verdict.UNKNOWN}
    if tried - {beams}:
        raise click.UsageError(f"{out} was made with --beams {max(tried)}; got {beams}")
    out.parent.mkdir(parents=True, exist_ok=True)
    solver = Solver(TIME, beams=beams)
    train = split_numbers("train")
    end = time.monotonic() + 60 * minutes
    while len(rows) < deals and time.monotonic() < end:
        rows.append(solve(solver, train[len(rows)]))
        if len(rows) % SAVE_EVERY == 0:
            write_solved(out, rows)
            if out.stat().st_size > MOST_BYTES:
                break
    write_solved(out, rows)
    solved = sum(row["verdict"] == Verdict.SOLVED for row in rows)
    print(f"{out}: {len(rows)} deals tried, {solved} solved, {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
