"""Tune the planner's weights on train deals, by CMA-ES.

Every generation plays the same fresh deals with each candidate, so that candidates of a generation
compare in pairs. The state is saved after every generation: a run that was stopped goes on.

    python scripts/tune_planner.py --minutes 30 --state runs/tune.pickle
"""

from __future__ import annotations

import os
import pickle
import time
from pathlib import Path
from typing import Any

import click
import cma
import numpy as np

from agents.search import closure
from agents.search.evaluation import FACTS
from agents.search.player import CARDS_WORTH, new_player
from agents.search.playout import RESULT, play_deals
from agents.search.weights import FILE, load_weights, weights_text
from qv_env import engine
from qv_env.deals import split_numbers
from qv_env.files import write_whole

CARDS = 104
# Facts are of different sizes; a step of every weight shall change values about alike.
SCALES = {
    "foundation_cards": 0.3,
    "joints": 0.3,
    "run_squares": 0.05,
    "covered_columns": 0.3,
    "column_burden": 0.1,
    "loose_cards": 0.2,
    "loose_squares": 0.05,
    "waste_cards": 0.3,
    "covered_waste": 0.2,
    "covered_waste_suits": 0.3,
    "waste_burden": 0.02,
    "playable_down": 3.0,
    "playable_up": 3.0,
}


def play(weights: Any, numbers: Any, nodes: int, threads: int) -> Any:
    """Play each deal with each set of weights; returns results of shape ``(w, n)``."""
    rooms = np.concatenate([closure.workspace(nodes) for _ in range(threads)])
    states = np.zeros(threads, engine.STATE)
    results = np.zeros(len(weights) * len(numbers), RESULT)
    players = np.repeat(new_player(learned=None, nodes=nodes), len(weights))
    players["weights"] = weights
    play_deals(rooms, states, np.repeat(numbers, len(weights)), players, results)
    return results.reshape(len(numbers), len(weights)).T


def utility(results: Any) -> Any:
    """Return what tuning maximises: the share of wins, and a little for cards."""
    return (results["won"] + CARDS_WORTH * results["foundation_cards"] / CARDS).mean(axis=-1)


def _save(path: Path, search: Any) -> None:
    draft = path.with_suffix(".draft")
    draft.write_bytes(pickle.dumps(search))
    draft.replace(path)


@click.command()
@click.option("--state", "state_path", type=click.Path(path_type=Path), required=True)
@click.option("--minutes", type=float, default=30.0, show_default=True)
@click.option("--deals", type=click.IntRange(1), default=600, show_default=True)
@click.option("--nodes", type=click.IntRange(2), default=300, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count(), show_default=True)
@click.option("--population", type=click.IntRange(4), default=16, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=FILE, show_default=True)
def main(
    *,
    state_path: Path,
    minutes: float,
    deals: int,
    nodes: int,
    threads: int,
    population: int,
    out: Path,
) -> None:
    """Tune the planner's weights on train deals."""
    scales = np.tile([SCALES.get(fact, 1.0) for fact in FACTS], (2, 1))
    if state_path.exists():
        search = pickle.loads(state_path.read_bytes())  # noqa: S301 - this script wrote it
    else:
        start = (load_weights() / scales).ravel()
        search = cma.CMAEvolutionStrategy(
            start, 0.2, {"popsize": population, "seed": 1, "verbose": -9}
        )
    train = split_numbers("train")
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        rng = np.random.default_rng(1000 + search.countiter)
        numbers = rng.integers(train.start, train.stop, deals)
        candidates = search.ask()
        tried = np.array([*candidates, search.mean]).reshape(-1, *scales.shape) * scales
        results = play(tried, numbers, nodes, threads)
        scores = utility(results)
        search.tell(candidates, (-scores[:-1]).tolist())
        mean = results[-1]
        print(
            f"generation {search.countiter}: mean won {mean['won'].mean():.3f}, cards "
            f"{mean['foundation_cards'].mean():.1f}, utility {scores[-1]:.4f}; "
            f"candidates {scores[:-1].mean():.4f}; sigma {search.sigma:.3f}",
            flush=True,
        )
        _save(state_path, search)
        write_whole(out, weights_text(search.mean.reshape(scales.shape) * scales))


if __name__ == "__main__":
    main()
