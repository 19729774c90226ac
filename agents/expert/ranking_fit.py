"""Fitting the network of `agents.search.ranking`, on what a teacher's playouts say of siblings."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from torch import nn

from agents.expert.config import FitConfig
from agents.expert.fitting import HELD_OUT, correlation, fit, outputs_of, record_of, standardise
from agents.search.closure import ARM_INPUTS
from agents.search.evaluation import FACTS
from agents.search.ranking import HAND_WORTH, INPUTS, RESULT_SCALE
from agents.search.teaching import write_sibling_inputs
from qv_env import engine

SHARPNESS: Final = 2.0  # of the policy whose results are made large


class Decisions:
    """Siblings, decision by decision, and means over decisions.

    Args:
        siblings: Records of type `agents.search.teaching.SIBLING`, in the order of play.
    """

    def __init__(self, siblings: Any) -> None:
        deal, decision = siblings["deal"], siblings["decision"]
        begins = np.flatnonzero(
            (np.diff(deal, prepend=-1) != 0) | (np.diff(decision, prepend=0) != 0)
        )
        self.starts = begins
        self.sizes = np.diff(begins, append=len(siblings))
        self.deals = deal[begins]
        self.of_row = np.repeat(np.arange(len(begins)), self.sizes)

    def rows(self, chosen: Any) -> tuple[Any, Any]:
        """Return the rows of some decisions, and which of those decisions each belongs to."""
        sizes = self.sizes[chosen]
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.repeat(self.starts[chosen], sizes) + offsets, np.repeat(
            np.arange(len(chosen)), sizes
        )

    def centred(self, numbers: Any) -> Any:
        """Return numbers, one a row, less the mean of their decision."""
        means = np.add.reduceat(numbers, self.starts) / self.sizes
        return numbers - means[self.of_row]


def fit_ranking(siblings: Any, config: FitConfig, seed: int) -> tuple[Any, dict[str, float]]:
    """Return a network and how well it ranks in the decisions of deals held out.

    The preference is learned by what choosing by it would bring: its softmax over a decision is a
    policy, and the mean result of that policy is made large. The estimate is learned by its
    squared error.

    Args:
        siblings: Records of type `agents.search.teaching.SIBLING`.
        config: How to fit; a batch has so many decisions.
        seed: See `agents.expert.fitting.fit`.

    Returns:
        A record of type `agents.search.ranking.NET`, and figures by name.
    """
    decisions = Decisions(siblings)
    held_out = decisions.deals % HELD_OUT == 0
    scaled = standardise(inputs_of(siblings, decisions), ~held_out[decisions.of_row])
    results = decisions.centred(siblings["result"].astype(np.float64))
    by_hand = siblings["value"].astype(np.float64) * HAND_WORTH
    targets = torch.from_numpy((results * RESULT_SCALE).astype(np.float32))
    hand = torch.from_numpy(decisions.centred(by_hand).astype(np.float32))

    def loss_of(fitted: nn.Module, chosen: Any) -> Any:
        rows, groups = (torch.from_numpy(part) for part in decisions.rows(chosen))
        out, target = fitted(scaled.x[rows]), targets[rows]
        policy = _softmax((out[:, 0] + hand[rows]) * SHARPNESS, groups, len(chosen))
        sizes = torch.from_numpy(decisions.sizes[chosen].astype(np.float32))
        means = torch.zeros(len(chosen)).index_add(0, groups, out[:, 1]) / sizes
        error = ((out[:, 1] - means[groups] - target) ** 2).mean()
        return error - (policy * target).sum() / len(chosen)

    fitted = fit(
        config,
        INPUTS,
        loss_of,
        np.flatnonzero(~held_out),
        seed=seed,
        title="Fitting the ranking",
    )
    out = outputs_of(fitted, scaled.x)
    ranks = {"hand": by_hand, "preference": by_hand + out[:, 0], "estimate": out[:, 1]}
    figures = {"decisions": float(len(decisions.sizes)), "siblings": float(len(siblings))}
    for name, numbers in ranks.items():
        measured = _measure(decisions, held_out, numbers, results)
        figures |= {f"{name}_{figure}": number for figure, number in measured.items()}
    return record_of(fitted, scaled), figures


def _softmax(numbers: Any, groups: Any, count: int) -> Any:
    """Return the softmax of numbers over groups, of which there are so many."""
    highest = torch.full((count,), -torch.inf).scatter_reduce(0, groups, numbers.detach(), "amax")
    powers = torch.exp(numbers - highest[groups])
    return powers / torch.zeros(count).index_add(0, groups, powers)[groups]


def _measure(decisions: Decisions, held_out: Any, ranks: Any, results: Any) -> dict[str, float]:
    """Return how ranks and results correlate within decisions, and what choosing by rank gives."""
    rows = held_out[decisions.of_row]
    within = correlation(decisions.centred(ranks)[rows], results[rows])
    gains = [
        results[start + np.argmax(ranks[start : start + size])]
        for start, size in zip(decisions.starts[held_out], decisions.sizes[held_out], strict=True)
    ]
    return {"correlation": within, "gain": float(np.mean(gains))}


def inputs_of(siblings: Any, decisions: Decisions) -> Any:
    """Return the network's inputs for siblings, float32 of shape ``(n, INPUTS)``."""
    alone = np.zeros((len(siblings), ARM_INPUTS), np.float32)
    write_sibling_inputs(siblings, engine.new_state(), np.zeros(len(FACTS)), alone)
    means = np.add.reduceat(alone, decisions.starts) / decisions.sizes[:, None].astype(np.float32)
    return np.concatenate([alone, alone - means[decisions.of_row]], axis=1)
