"""Fitting the network of `agents.search.value`, on how games ended."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from torch import nn

from agents.expert.config import FitConfig
from agents.expert.fitting import HELD_OUT, correlation, fit, outputs_of, record_of, standardise
from agents.search.value import INPUTS
from qv_env.cards import DECK_SIZE

CARDS_WEIGHT: Final = 2.0  # of the squared error in cards, beside the log loss of winning


def fit_value(outcomes: Any, config: FitConfig, seed: int) -> tuple[Any, dict[str, float]]:
    """Return a network and how well it foretells the games of deals held out.

    Args:
        outcomes: Records of type `agents.search.outcomes.OUTCOME`.
        config: How to fit.
        seed: See `agents.expert.fitting.fit`.

    Returns:
        A record of type `agents.search.value.NET`, and figures by name.
    """
    held_out = outcomes["deal"] % HELD_OUT == 0
    scaled = standardise(outcomes["inputs"], ~held_out)
    won = torch.from_numpy(outcomes["won"].astype(np.float32))
    cards = torch.from_numpy(outcomes["foundation_cards"].astype(np.float32) / DECK_SIZE)

    def loss_of(network: nn.Module, rows: Any) -> Any:
        chosen = torch.from_numpy(rows)
        out = network(scaled.x[chosen])
        log_loss = nn.functional.binary_cross_entropy_with_logits(out[:, 0], won[chosen])
        return log_loss + CARDS_WEIGHT * ((torch.sigmoid(out[:, 1]) - cards[chosen]) ** 2).mean()

    fitted = fit(
        config,
        INPUTS,
        loss_of,
        np.flatnonzero(~held_out),
        seed=seed,
        title="Fitting the value",
    )
    foreseen = outputs_of(fitted, scaled.x[torch.from_numpy(held_out)])
    chances, ends = 1 / (1 + np.exp(-foreseen)), outcomes[held_out]
    figures = {
        "positions": float(len(outcomes)),
        "won": float(outcomes["won"].mean()),
        "correlation_with_winning": correlation(chances[:, 0], ends["won"]),
        "correlation_with_cards": correlation(chances[:, 1], ends["foundation_cards"]),
    }
    return record_of(fitted, scaled), figures
