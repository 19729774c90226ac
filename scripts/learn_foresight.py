"""Learn the solver's weights on train deals.

1. *Distil*: weights of marks that judge as the planner's evaluation does, which
   ``scripts/tune_planner.py`` has tuned. They know nothing of the stock.
2. *Collect*: several narrow beams try a deal, each with the weights times random factors. Where
   one of them wins, its positions at some draws are compared with those that another beam, which
   lost if there was one, has found at the same draws.
3. *Rank*: the weights are changed so that a position on the way to the win is worth more than the
   others (softmax over each such group, AdaGrad, held to the weights before). Before that each
   position goes to the best one that moves of tableau cards lead to: otherwise the weights
   learn to tell whose judgement chose a position.

Steps 2 and 3 are repeated, with the new weights and all groups so far. The solver takes the
weights of the last rounds in turn. The deals are train deals from 10,000 on, so that those of
``data/solved-train.jsonl.gz`` and of ``scripts/solver_curve.py`` are none of them.

    python scripts/learn_foresight.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import lsqr

from agents.search import beam, closure, foresight, portfolio, stage
from agents.search.beam import MOST_MOVES
from agents.search.evaluation import evaluate
from agents.search.foresight import MARKS
from agents.search.foresight_weights import FILE, foresight_text
from agents.search.moves import make_safe_moves
from agents.search.playout import copy_state
from agents.search.weights import load_weights
from agents.solver import deal_state
from qv_env import engine
from qv_env.cards import DECK_SIZE
from qv_env.deals import Deal, split_numbers
from qv_env.files import write_whole
from qv_env.jit import array_kernel
from qv_env.mask import canonical_key

FIRST_DEAL = 10_000  # of the train split
ROUNDS = ((20, 2500), (40, 1500), (80, 1000))  # width of the beams, deals tried
SETS = 2  # that the solver takes
KNOTS = 3
DISTILLED_DEALS = 60
DISTILLED_NODES = 300
DISTILLED_POSITIONS = 6  # of each draw
TRIES = 4  # beams a deal, at most
STAGES = 14  # compared of each deal
OTHERS = 14  # compared with the position of each
FIRST_STAGE = 2  # before, there is hardly a choice
EASY_SHARE = 0.3  # of the deals that all beams win
SETTLING = 40  # positions
EPOCHS = 3
RATE = 0.01
HOLD = 0.001  # how much the weights are held to those before
LEAST_ERROR = 0.001  # below it, a position changes nothing
HELD_OUT = 8  # one deal in so many judges the weights


class Group(NamedTuple):
    """A position on the way to a win and others of the same draw, shape ``(1 + OTHERS,)``."""

    states: Any
    deal: int


@array_kernel
def describe(states: Any, context: Any, scratch: Any, marks: Any, counts: Any) -> None:
    """Write the marks of positions."""
    for i in range(states.shape[0]):
        foresight.look_ahead(states[i], context)
        counts[i] = foresight.list_marks(states[i], context, scratch)
        marks[i, : counts[i]] = scratch["marks"][: counts[i]]


def marks_of(states: Any) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return the marks of positions, one row each, and how many there are in each row."""
    marks = np.zeros((len(states), foresight.MOST_MARKS), np.uint16)
    counts = np.zeros(len(states), np.int64)
    scratch, context = np.zeros(1, foresight.SCRATCH), np.zeros(1, foresight.CONTEXT)
    describe(states, context[0], scratch[0], marks, counts)
    return marks[:, : counts.max()].copy(), counts


def distil(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return weights of shape ``(KNOTS, MARKS)`` that judge as the planner does."""
    weights, train = load_weights(), split_numbers("train")
    room, actions = closure.workspace(DISTILLED_NODES)[0], np.zeros(64, np.int16)
    states, values, groups = [], [], []
    for deal in range(DISTILLED_DEALS):
        state = deal_state(Deal.from_number(train[FIRST_DEAL + deal]))
        while True:
            make_safe_moves(state, actions, 0)
            best = closure.search(room, state, weights, DISTILLED_NODES)
            for node in rng.integers(0, room["count"], DISTILLED_POSITIONS):
                states.append(room["states"][node].copy())
                values.append(evaluate(states[-1], weights, room["facts"]))
                groups.append(deal * 100 + int(state["stock_count"]))
            if state["stock_count"] == 0 or room["won"] >= 0:
                break
            state = room["states"][best].copy()
            engine.apply(state, 0)
    matrix = by_knots(np.array(states, engine.STATE))
    number = np.unique(groups, return_inverse=True)[1]
    each = sp.csr_matrix((np.ones(len(number)), (np.arange(len(number)), number)))
    solution: Any = lsqr(sp.hstack([matrix, each]), np.array(values), damp=1.0, iter_lim=300)[0]
    distilled: NDArray[np.float64] = solution[: KNOTS * MARKS].reshape(KNOTS, MARKS)
    return distilled


def by_knots(states: Any) -> Any:
    """Return the marks of positions as a sparse matrix, with columns for each knot."""
    marks, counts = marks_of(states)
    borne = np.arange(marks.shape[1]) < counts[:, None]
    starts = np.concatenate([[0], np.cumsum(counts)])
    matrix = sp.csr_matrix((np.ones(counts.sum()), marks[borne], starts), (len(states), MARKS))
    matrix.sum_duplicates()
    full = states["stock_count"] / states["stock"].shape[1]
    shares = np.maximum(0, 1 - np.abs(full[:, None] - np.linspace(0, 1, KNOTS)) * (KNOTS - 1))
    return sp.csr_matrix(sp.hstack([sp.diags(shares[:, k]) @ matrix for k in range(KNOTS)]))


class Collector:
    """Tries deals with beams of some width, and keeps groups of positions."""

    def __init__(self, width: int, rng: np.random.Generator) -> None:
        self.groups: list[Group] = []
        self._rng, self._width = rng, width
        self._beam = beam.beam_room(width, portfolio.NODES, sample=True)
        self._last_room = stage.stage_room(width, beam.most_nodes(width, portfolio.NODES))
        self._room = stage.part_of(self._last_room, width * portfolio.NODES)
        self._path, self._stop = np.zeros(10_000, np.int16), np.zeros(1, np.uint8)

    def try_deal(self, number: int, weights: NDArray[np.float64]) -> bool:
        """Try a deal with some weights, and return whether it was won."""
        win, others, lost = None, None, False
        for _ in range(TRIES):
            factors = portfolio.random_factors(self._rng, KNOTS)
            state = deal_state(Deal.from_number(number))
            path = self._search(state, np.ascontiguousarray(weights * factors, np.float32))
            if self._beam.counters[beam.CARDS] < DECK_SIZE:
                lost, others = True, self._beam.passed.copy()
            elif win is None:
                win = path
            elif not lost:
                others = self._beam.passed.copy()
            if win is not None and others is not None:
                break
        if win is None or others is None:
            return win is not None
        if lost or self._rng.random() < EASY_SHARE:
            self._keep(number, win, others)
        return True

    def _search(self, state: Any, weights: NDArray[np.float32]) -> NDArray[np.int16]:
        length = beam.search_beam(
            self._beam,
            self._room,
            self._last_room,
            state,
            weights,
            beam.Limits(self._width, portfolio.NODES, portfolio.FOLLOWED, stage.FROM_BEST),
            self._stop,
            self._path,
        )
        return self._path[:length].copy()

    def _keep(self, number: int, win: NDArray[np.int16], others: Any) -> None:
        """Keep groups of some draws of a win."""
        state = deal_state(Deal.from_number(number))
        drawn_from = []
        for action in win.tolist():
            if action == 0:
                drawn_from.append(state.copy())
            engine.apply(state, action)
        for at in self._rng.permutation(np.arange(FIRST_STAGE, len(drawn_from)))[:STAGES]:
            found = others[at][others[at]["columns"].any(axis=(1, 2))]
            key = canonical_key(drawn_from[at])
            found = [one for one in found if canonical_key(one) != key][:OTHERS]
            if len(found) == OTHERS:
                states = np.array([drawn_from[at], *found], engine.STATE)
                self.groups.append(Group(states, number))


@array_kernel
def settle(states: Any, room: Any, context: Any, weights: Any, mixed: Any, one: Any) -> None:
    """Replace positions by the best ones that can be reached without the waste."""
    stop = np.zeros(1, np.uint8)
    for i in range(states.shape[0]):
        foresight.look_ahead(states[i], context)
        beam.mix_weights(states[i], weights, mixed)
        copy_state(one[0], states[i])
        stage.search_stage(
            room, one, 1, context, mixed, SETTLING, SETTLING, MOST_MOVES, stage.FROM_BEST, stop
        )
        copy_state(states[i], room.nodes[room.nodes[0]["behind"]]["state"])


def settled(groups: list[Group], weights: NDArray[np.float64]) -> Any:
    """Return the states of groups, settled, in one row."""
    states = np.concatenate([group.states for group in groups])
    room = stage.part_of(stage.stage_room(1, SETTLING), SETTLING)
    context, one = np.zeros(1, foresight.CONTEXT), np.zeros(1, engine.STATE)
    mixed = np.zeros(MARKS, np.float32)
    settle(states, room, context[0], weights.astype(np.float32), mixed, one)
    return states


@array_kernel
def rank(
    marks: Any,
    counts: Any,
    shares: Any,
    order: Any,
    weights: Any,
    before: Any,
    squares: Any,
    rate: float,
) -> float:
    """Go through groups once, and return how many of the others were worth less, as a share.

    Args:
        marks: Of the positions of all groups, the one on the way to a win first in each.
        counts: How many marks each has.
        shares: How full the stock of each group is.
        order: Which groups.
        weights: float64 of shape ``(KNOTS, MARKS)``; changed in place, unless the rate is 0.
        before: What they are held to.
        squares: Sums of squared gradients, for AdaGrad.
        rate: Of learning.
    """
    size = OTHERS + 1
    spans = weights.shape[0] - 1
    values = np.zeros(size)
    beaten = 0.0
    for group in order:
        at = spans * shares[group]
        low = min(int(at), spans - 1)
        high_share = at - low
        for i in range(size):
            row = group * size + i
            values[i] = 0.0
            for k in range(counts[row]):
                mark = marks[row, k]
                values[i] += weights[low, mark] * (1 - high_share)
                values[i] += weights[low + 1, mark] * high_share
        beaten += np.mean(values[1:] < values[0])
        if rate == 0:
            continue
        errors = np.exp(values - values.max())
        errors /= errors.sum()
        errors[0] -= 1
        for i in range(size):
            if abs(errors[i]) < LEAST_ERROR:
                continue
            row = group * size + i
            for k in range(counts[row]):
                mark = marks[row, k]
                for knot in range(low, low + 2):
                    share = high_share if knot > low else 1 - high_share
                    slope = errors[i] * share + HOLD * (weights[knot, mark] - before[knot, mark])
                    squares[knot, mark] += slope * slope
                    weights[knot, mark] -= rate * slope / np.sqrt(squares[knot, mark])
    return float(beaten / order.shape[0])


def fit(
    groups: list[Group], start: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.float64], str]:
    """Return weights that rank the positions of groups, and how well they do on held-out deals."""
    states = settled(groups, start)
    marks, counts = marks_of(states)
    shares = states["stock_count"][:: OTHERS + 1] / states["stock"].shape[1]
    held_out = np.array([group.deal % HELD_OUT == 0 for group in groups])
    learned, judged = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    weights, squares = start.copy(), np.ones_like(start)
    data = (marks, counts, shares)
    at_first = rank(*data, judged, weights, start, squares, 0.0)
    for epoch in range(EPOCHS):
        rate = RATE * (1 - epoch / EPOCHS)
        rank(*data, rng.permutation(learned), weights, start, squares, rate)
    at_last = rank(*data, judged, weights, start, squares, 0.0)
    return weights, f"worth more than others: {at_first:.3f} before, {at_last:.3f} after"


def scaled(weights: NDArray[np.float64], groups: list[Group]) -> NDArray[np.float64]:
    """Return weights times a factor that makes values differ by about one within groups."""
    matrix = by_knots(settled(groups, weights))
    values = (matrix @ weights.ravel()).reshape(len(groups), -1)
    return weights / float(values.std(axis=1).mean())


@click.command()
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=FILE, show_default=True)
def main(*, seed: int, out: Path) -> None:
    """Learn the solver's weights on train deals."""
    rng = np.random.default_rng(seed)
    weights = distil(rng)
    groups: list[Group] = []
    learned: list[NDArray[np.float64]] = []
    numbers = iter(split_numbers("train")[FIRST_DEAL:])
    for width, deals in ROUNDS:
        collector = Collector(width, rng)
        won = sum(collector.try_deal(next(numbers), weights) for _ in range(deals))
        groups += collector.groups
        print(f"{deals} deals tried, {won} won; {len(groups)} groups", flush=True)
        if not learned:
            weights = scaled(weights, groups)
        weights, report = fit(groups, weights, rng)
        learned.append(weights)
        print(report, flush=True)
        write_whole(out, foresight_text(np.array(learned[: -SETS - 1 : -1], np.float32)))


if __name__ == "__main__":
    main()
