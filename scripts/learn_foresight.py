"""Learn the solver's weights on train deals.

Three steps, all on train deals:

1. *Distil*: weights of marks that judge as the planner's evaluation does, which
   ``scripts/tune_planner.py`` has tuned. They know nothing of the stock.
2. *Label*: positions that beams pass are played on by small beams; the label of a position is the
   number of cards that these bring to the foundations.
3. *Fit*: ridge regression of the labels on the marks and on what the fixed rules of
   `agents.search.rollout` bring up. Only differences between positions of the same deal and draw
   count, since a beam compares no others.

The portfolio takes four sets in turn: distilled and fitted, each without and with prospects.

    python scripts/learn_foresight.py --minutes 10
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import lsqr

from agents.search import beam, closure, foresight, stage
from agents.search.evaluation import evaluate
from agents.search.foresight import EXTRAS, MARKS
from agents.search.foresight_weights import FILE, foresight_text
from agents.search.moves import make_safe_moves
from agents.search.rollout import roll_out
from agents.search.weights import load_weights
from agents.solver import deal_state
from qv_env import engine
from qv_env.deals import Deal, split_numbers
from qv_env.files import write_whole
from qv_env.jit import separate_kernel

KNOTS = 2
CARDS = 104
NODES = 40  # positions looked at between two draws
PASSING = 60  # width of the beams whose positions are labelled
LABELLING = 10  # width of the beams that label
STAGES = 4  # labelled in each deal
POSITIONS = 10  # labelled in each stage
DISTILLED_DEALS = 400
DISTILLED_NODES = 300
DISTILLED_POSITIONS = 6  # of each draw
RIDGE = 3000.0


class Labels(NamedTuple):
    """Positions, what became of them, and which of them compare."""

    states: Any
    cards: NDArray[np.float64]
    groups: NDArray[np.int64]


@separate_kernel
def describe(states: Any, context: Any, scratch: Any, marks: Any, counts: Any, ends: Any) -> None:
    """Write the marks of positions, and cards, waste and empty columns after a rollout of each."""
    for i in range(states.shape[0]):
        foresight.look_ahead(states[i], context)
        counts[i] = foresight.list_marks(states[i], context, scratch)
        marks[i, : counts[i]] = scratch["marks"][: counts[i]]
        ends[i, 0] = roll_out(states[i])  # which uses the position up
        ends[i, 1] = states[i]["waste_count"]
        ends[i, 2] = np.sum(states[i]["heights"] == 0)


def design(states: Any) -> tuple[Any, NDArray[np.float64]]:
    """Return the marks of positions, sparse, shape ``(n, MARKS)``, and their rollouts' ends."""
    marks = np.zeros((len(states), foresight.MOST_MARKS), np.int32)
    counts, ends = np.zeros(len(states), np.int64), np.zeros((len(states), EXTRAS))
    scratch, context = np.zeros(1, foresight.SCRATCH), np.zeros(1, foresight.CONTEXT)
    describe(states.copy(), context[0], scratch[0], marks, counts, ends)
    borne = np.arange(marks.shape[1]) < counts[:, None]
    starts = np.concatenate([[0], np.cumsum(counts)])
    matrix = sp.csr_matrix((np.ones(counts.sum()), marks[borne], starts), (len(states), MARKS))
    matrix.sum_duplicates()
    return matrix, ends


def by_knots(matrix: Any, states: Any) -> Any:
    """Return columns for each knot, weighted by how near the size of the stock is to it."""
    full = states["stock_count"] / states["stock"].shape[1]
    shares = np.maximum(0, 1 - np.abs(full[:, None] - np.linspace(0, 1, KNOTS)) * (KNOTS - 1))
    return sp.csr_matrix(sp.hstack([sp.diags(shares[:, k]) @ matrix for k in range(KNOTS)]))


def centred(matrix: Any, groups: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return the matrix of group sums and the inverse sizes of the groups."""
    rows = np.arange(len(groups))
    sums = sp.csr_matrix((np.ones(len(groups)), (groups, rows)), (groups.max() + 1, len(groups)))
    return sums @ matrix, sp.diags(1 / np.maximum(np.asarray(sums.sum(1)).ravel(), 1))


def distil(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return weights of shape ``(KNOTS, MARKS)`` that judge as the planner does."""
    weights, train = load_weights(), split_numbers("train")
    room, actions = closure.workspace(DISTILLED_NODES)[0], np.zeros(64, np.int16)
    facts = room["facts"]
    states, values, groups = [], [], []
    for deal in range(DISTILLED_DEALS):
        state = deal_state(Deal.from_number(int(rng.integers(train.start, train.stop))))
        while True:
            make_safe_moves(state, actions, 0)
            best = closure.search(room, state, weights, DISTILLED_NODES)
            for node in rng.integers(0, room["count"], DISTILLED_POSITIONS):
                states.append(room["states"][node].copy())
                values.append(evaluate(states[-1], weights, facts))
                groups.append(deal * 100 + int(state["stock_count"]))
            if state["stock_count"] == 0 or room["won"] >= 0:
                break
            state = room["states"][best].copy()
            engine.apply(state, 0)
    array = np.array(states, engine.STATE)
    matrix = by_knots(design(array)[0], array)
    number = np.unique(groups, return_inverse=True)[1]
    each = sp.csr_matrix((np.ones(len(number)), (np.arange(len(number)), number)))
    solution: Any = lsqr(sp.hstack([matrix, each]), np.array(values), damp=1.0, iter_lim=300)[0]
    weights_of_marks: NDArray[np.float64] = solution[: KNOTS * MARKS].reshape(KNOTS, MARKS)
    return weights_of_marks


def label(weights: Any, rng: np.random.Generator, minutes: float) -> Labels:
    """Play positions of train deals on, until the time is used up."""
    train = split_numbers("train")
    rooms = stage.stage_room(NODES), stage.stage_room(CARDS * NODES)
    passing = beam.beam_room(PASSING, NODES, sample=True)
    labelling = beam.beam_room(LABELLING, NODES)
    stop, path = np.zeros(1, np.uint8), np.zeros(10_000, np.int16)
    states: list[Any] = []
    cards, groups = [], []
    # Compiles, so that the time is spent on labels.
    dealt = deal_state(Deal.from_number(0))
    beam.search_beam(passing, *rooms, dealt, weights, 1, NODES, stop, path)
    end = time.process_time() + 60 * minutes
    group = 0
    while time.process_time() < end:
        state = deal_state(Deal.from_number(int(rng.integers(train.start, train.stop))))
        beam.search_beam(passing, *rooms, state, weights, PASSING, NODES, stop, path)
        for at in rng.choice(len(passing.passed) - 1, STAGES, replace=False):
            seen: Any = passing.passed[at]
            seen = seen[seen["columns"].any(axis=(1, 2))]
            for position in rng.permutation(seen)[:POSITIONS]:
                beam.search_beam(labelling, *rooms, position, weights, LABELLING, NODES, stop, path)
                states.append(position)
                cards.append(float(labelling.counters[beam.CARDS]))
                groups.append(group)
            group += 1
    return Labels(np.array(states, engine.STATE), np.array(cards), np.array(groups))


def fit(labels: Labels, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights that foretell the labels, as near to a multiple of ``start`` as may be."""
    matrix = by_knots(design(labels.states)[0], labels.states)
    sums, inverse = centred(matrix, labels.groups)
    gram = (matrix.T @ matrix - sums.T @ inverse @ sums).toarray()
    label_sums, _ = centred(labels.cards[:, None], labels.groups)
    target = matrix.T @ labels.cards - (sums.T @ inverse @ label_sums).ravel()
    base = start.ravel()
    scale = base @ target / (base @ gram @ base)
    residual = target - scale * gram @ base
    change = np.linalg.solve(gram + RIDGE * np.eye(len(gram)), residual)
    fitted: NDArray[np.float64] = (scale * base + change).reshape(KNOTS, MARKS)
    return fitted


def prospects(labels: Labels, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a rollout's end beside given weights of marks, ``(KNOTS, EXTRAS)``."""
    matrix, ends = design(labels.states)
    value = by_knots(matrix, labels.states) @ weights.ravel()
    table = np.column_stack([value, ends, labels.cards])
    sums, inverse = centred(table, labels.groups)
    table = table - (inverse @ sums)[labels.groups]
    factors = np.linalg.lstsq(table[:, :-1], table[:, -1], rcond=None)[0]
    return np.tile(factors[1:] / factors[0], (KNOTS, 1))


@click.command()
@click.option("--minutes", type=float, default=10.0, show_default=True, help="For the labels.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=FILE, show_default=True)
def main(*, minutes: float, seed: int, out: Path) -> None:
    """Learn the solver's weights on train deals."""
    rng = np.random.default_rng(seed)
    blank = np.zeros((KNOTS, EXTRAS))
    distilled = distil(rng)
    start = np.concatenate([distilled, blank], axis=1).astype(np.float32)
    labels = label(start, rng, minutes)
    print(f"{len(labels.cards)} positions labelled, {(labels.cards == CARDS).mean():.3f} won")
    fitted = fit(labels, distilled)
    sets = [np.concatenate([marks, blank], axis=1) for marks in (distilled, fitted)]
    sets += [
        np.concatenate([marks, prospects(labels, marks)], axis=1) for marks in (distilled, fitted)
    ]
    write_whole(out, foresight_text(np.array(sets, np.float32)))


if __name__ == "__main__":
    main()
