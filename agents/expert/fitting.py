"""Fitting the networks of `agents.search.network` in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from rich.progress import track
from torch import nn

from agents.expert.config import FitConfig
from agents.search import network
from agents.training.errors import TrainingError

HELD_OUT: Final = 10
"""One deal in so many is kept back to measure on."""

_LEAST_SPREAD: Final = 1e-3  # below it an input is as good as constant


class Scaled(NamedTuple):
    """Inputs as a network takes them.

    Attributes:
        mean: Of each input, float32 of shape ``(inputs,)``.
        scale: By which it is multiplied after.
        x: The standardised inputs, a tensor of shape ``(n, inputs)``.
    """

    mean: Any
    scale: Any
    x: Any


def standardise(inputs: Any, fitted: Any) -> Scaled:
    """Return inputs, float32 of shape ``(n, inputs)``, scaled by the rows that are fitted."""
    mean = inputs[fitted].mean(axis=0)
    scale = 1 / (inputs[fitted].std(axis=0) + _LEAST_SPREAD)
    return Scaled(mean, scale, torch.from_numpy((inputs - mean) * scale))


def new_network(inputs: int) -> nn.Sequential:
    """Return a network of `agents.search.network` in torch, for standardised inputs."""
    return nn.Sequential(
        nn.Linear(inputs, network.FIRST),
        nn.ReLU(),
        nn.Linear(network.FIRST, network.SECOND),
        nn.ReLU(),
        nn.Linear(network.SECOND, network.OUTPUTS),
    )


def fit(
    config: FitConfig,
    inputs: int,
    loss_of: Callable[[nn.Module, Any], Any],
    items: Any,
    *,
    seed: int,
    title: str,
) -> nn.Sequential:
    """Fit a new network, with progress.

    Args:
        config: How.
        inputs: What the network has.
        loss_of: What is made small, for a network and some of the items.
        items: Numbers of records or decisions, int64.
        seed: Decides the first weights and the order of the items.
        title: What the progress bar says.

    Raises:
        TrainingError: The loss is no number any more.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    fitted = new_network(inputs)
    steps = max(1, len(items) // config.batch)
    optimizer = torch.optim.AdamW(fitted.parameters(), weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, config.learning_rate, total_steps=config.epochs * steps
    )
    for _ in track(range(config.epochs), title):
        for batch in np.array_split(rng.permutation(items), steps):
            optimizer.zero_grad()
            loss = loss_of(fitted, batch)
            if not torch.isfinite(loss):
                raise TrainingError(f"{title}: the loss is {loss.item()}; lower learning_rate")
            loss.backward()
            optimizer.step()
            schedule.step()
    return fitted


def record_of(fitted: nn.Sequential, scaled: Scaled) -> Any:
    """Return a fitted network as a record of a type of `agents.search.network.net_dtype`."""
    net = np.zeros(1, network.net_dtype(len(scaled.mean)))[0]
    net["mean"], net["scale"] = scaled.mean, scaled.scale
    layers = [layer for layer in fitted if isinstance(layer, nn.Linear)]
    for number, layer in enumerate(layers, start=1):
        net[f"weight{number}"] = layer.weight.detach().numpy().T
        net[f"bias{number}"] = layer.bias.detach().numpy()
    return net


def outputs_of(fitted: nn.Module, x: Any) -> Any:
    """Return a network's outputs for rows of inputs, float32 of shape ``(n, OUTPUTS)``."""
    with torch.no_grad():
        return torch.cat([fitted(part) for part in x.split(8192)]).numpy()


def correlation(left: Any, right: Any) -> float:
    """Return how two lists of numbers correlate; what is constant correlates with nothing."""
    if len(left) == 0 or np.std(left) == 0 or np.std(right) == 0:
        return 0.0
    return float(np.corrcoef(left, right)[0, 1])
