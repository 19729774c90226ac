"""How long the solver's beams take for a position that they look at.

Two versions are compared by running this file in both trees in turn, several times: it uses only
what both have.

    python benchmarks/solver.py
    python benchmarks/solver.py --deals train:20 --width 2560
"""

from __future__ import annotations

import statistics
import time

import click
import numpy as np

from agents.deal_lists import parse_deals
from agents.search import beam, portfolio, stage
from agents.search.foresight_weights import load_foresight
from agents.solver import deal_state

DRAWINGS = {"the best behind each exit": stage.FROM_BEST, "any position": stage.FROM_ALL}


@click.command()
@click.option("--deals", default="train:6", show_default=True)
@click.option("--width", type=click.IntRange(1), default=640, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
def main(*, deals: str, width: int, rounds: int) -> None:
    """Print microseconds of processor time a position: median, least and most of the rounds."""
    nodes = portfolio.NODES
    room = beam.beam_room(width, nodes)
    last_room = stage.stage_room(width, beam.most_nodes(width, nodes))
    stage_room = stage.part_of(last_room, width * nodes)
    path, go_on = np.zeros(10_000, np.int16), np.zeros(1, np.uint8)
    weights = np.ascontiguousarray(load_foresight()[0])
    states = [deal_state(deal) for deal in parse_deals([deals])]

    def microseconds(drawing: int) -> float:
        limits = beam.Limits(width, nodes, portfolio.FOLLOWED, drawing)
        start, positions = time.process_time(), 0
        for state in states:
            beam.search_beam(room, stage_room, last_room, state, weights, limits, go_on, path)
            positions += int(room.counters[beam.NODES])
        return (time.process_time() - start) / positions * 1e6

    print(f"| drawing from | µs a position | least to most of {rounds} |")
    print("|---|---:|---:|")
    for name, drawing in DRAWINGS.items():
        microseconds(drawing)  # compiles
        taken = [microseconds(drawing) for _ in range(rounds)]
        print(f"| {name} | {statistics.median(taken):.2f} | {min(taken):.2f} to {max(taken):.2f} |")


if __name__ == "__main__":
    main()
