"""Tell how many moves and draws wins take, as found and after looking for shortcuts.

Takes the wins of a results file, or of the file that ``scripts/solve_deals.py`` writes.

    python scripts/win_lengths.py results/solver-time-2-test-1000.json
    python scripts/win_lengths.py results/solver-time-2-test-1000.json --shorten 40
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import click
import numpy as np

from agents.results.rows import decode_actions
from agents.search.shortcuts import shortened
from agents.solver import Verdict, deal_state
from qv_env.deals import Deal

RULES_PAGE = 237  # moves of the win that the rules page mentions


def wins_of(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the wins of a file by deal code."""
    if path.suffix == ".json":
        wins = json.loads(path.read_text(encoding="utf-8"))["wins"]
    else:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        wins = {row["deal"]: row["actions"] for row in rows if row["verdict"] == Verdict.SOLVED}
    return {deal: decode_actions(text) for deal, text in wins.items()}


def tell(name: str, lengths: list[int]) -> None:
    """Print a row of a Markdown table."""
    low, median, high = np.percentile(lengths, [0, 50, 100])
    short = sum(length <= RULES_PAGE for length in lengths)
    print(f"| {name} | {len(lengths)} | {low:.0f} | {median:.0f} | {high:.0f} | {short} |")


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--shorten", type=click.IntRange(0), default=0, help="How many, the first ones.")
def main(*, path: Path, shorten: int) -> None:
    """Tell how many moves and draws the wins of a file take."""
    wins = wins_of(path)
    print(f"| wins | count | shortest | median | longest | {RULES_PAGE} or fewer |")
    print("|---|---:|---:|---:|---:|---:|")
    tell("as found", [len(actions) for actions in wins.values()])
    if shorten == 0:
        return
    first = list(wins.items())[:shorten]
    tell("the first of these", [len(actions) for _, actions in first])
    go_on = np.zeros(1, np.uint8)
    shorter = [
        len(shortened(deal_state(Deal.from_code(deal)), actions, go_on)) for deal, actions in first
    ]
    tell("shortened", shorter)


if __name__ == "__main__":
    main()
