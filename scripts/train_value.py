"""Train the network that judges where playouts stop, on ends of the planner's games on train deals.

    python scripts/train_value.py

Plays the games first (about two minutes on two cores), then trains for half a minute.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import numpy as np
import torch
from rich.progress import track
from torch import nn

from agents.search import closure, outcomes, value
from agents.search.weights import load_weights
from qv_env import engine
from qv_env.cards import DECK_SIZE
from qv_env.deals import split_numbers
from qv_env.files import moved_into_place

GAMES_A_CHUNK = 500
HELD_OUT = 10  # one deal in so many is kept back to measure on
BATCH = 512
CARDS_WEIGHT = 2.0  # of the squared error in cards, beside the log loss of winning
LEARNING_RATE = 4e-3
WEIGHT_DECAY = 1e-3
LEAST_SPREAD = 1e-3  # below it an input is as good as constant


def play(games: int, nodes: int, threads: int, seed: int) -> Any:
    """Play random train deals and return the `outcomes.OUTCOME` records."""
    rooms = np.concatenate([closure.workspace(nodes) for _ in range(threads)])
    states, weights = np.zeros(threads, engine.STATE), load_weights()
    train, rng, found = split_numbers("train"), np.random.default_rng(seed), []
    for _ in track(range(0, games, GAMES_A_CHUNK), "Playing"):
        deals = rng.integers(train.start, train.stop, GAMES_A_CHUNK)
        noted = np.zeros((len(deals), outcomes.POSITIONS), outcomes.OUTCOME)
        counts = np.zeros(len(deals), np.int64)
        outcomes.play_outcomes(rooms, states, deals, weights, nodes, noted, counts)
        found.append(noted[np.arange(outcomes.POSITIONS) < counts[:, None]])
    return np.concatenate(found)


def new_network() -> nn.Sequential:
    """Return the network of `agents.search.value` in torch, for standardised inputs."""
    return nn.Sequential(
        nn.Linear(value.INPUTS, value.FIRST),
        nn.ReLU(),
        nn.Linear(value.FIRST, value.SECOND),
        nn.ReLU(),
        nn.Linear(value.SECOND, value.OUTPUTS),
    )


def arrays_of(network: nn.Sequential, mean: Any, scale: Any) -> dict[str, Any]:
    """Return the arrays of a `value.NET` record."""
    arrays = {"mean": mean, "scale": scale}
    layers = [layer for layer in network if isinstance(layer, nn.Linear)]
    for number, layer in enumerate(layers, start=1):
        arrays[f"weight{number}"] = layer.weight.detach().numpy().T.copy()
        arrays[f"bias{number}"] = layer.bias.detach().numpy().copy()
    return arrays


def loss_of(network: nn.Sequential, x: Any, won: Any, cards: Any) -> Any:
    """Return what training makes small."""
    out = network(x)
    log_loss = nn.functional.binary_cross_entropy_with_logits(out[:, 0], won)
    return log_loss + CARDS_WEIGHT * ((torch.sigmoid(out[:, 1]) - cards) ** 2).mean()


def train(found: Any, epochs: int, seed: int) -> dict[str, Any]:
    """Train a network and return its arrays; says how well it foretells deals held out."""
    torch.manual_seed(seed)
    held_out = found["deal"] % HELD_OUT == 0
    mean = found["inputs"][~held_out].mean(axis=0)
    scale = 1 / (found["inputs"][~held_out].std(axis=0) + LEAST_SPREAD)
    x = torch.from_numpy((found["inputs"] - mean) * scale)
    won = torch.from_numpy(found["won"].astype(np.float32))
    cards = torch.from_numpy(found["foundation_cards"].astype(np.float32) / DECK_SIZE)
    rows = torch.from_numpy(np.flatnonzero(~held_out))
    starts = range(0, len(rows), BATCH)
    network = new_network()
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=epochs * len(starts)
    )
    for _ in track(range(epochs), "Training"):
        shuffled = rows[torch.randperm(len(rows))]
        for start in starts:
            batch = shuffled[start : start + BATCH]
            optimizer.zero_grad()
            loss_of(network, x[batch], won[batch], cards[batch]).backward()
            optimizer.step()
            schedule.step()
    with torch.no_grad():
        foreseen = torch.sigmoid(network(x[torch.from_numpy(held_out)]))[:, 0].numpy()
    correlation = np.corrcoef(foreseen, found["won"][held_out])[0, 1]
    click.echo(
        f"{held_out.sum()} positions of held-out deals: chance to win and outcome correlate by "
        f"{correlation:.3f}"
    )
    return arrays_of(network, mean, scale)


@click.command()
@click.option("--games", type=click.IntRange(HELD_OUT), default=60_000, show_default=True)
@click.option("--nodes", type=click.IntRange(2), default=300, show_default=True)
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True)
@click.option("--threads", type=click.IntRange(1), default=os.cpu_count(), show_default=True)
@click.option("--seed", type=int, default=11, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=value.FILE, show_default=True)
def main(*, games: int, nodes: int, epochs: int, threads: int, seed: int, out: Path) -> None:
    """Train the network that judges where playouts stop, on train deals."""
    torch.set_num_threads(threads)
    arrays = train(play(games, nodes, threads, seed), epochs, seed)
    with moved_into_place(out) as draft:
        np.savez(draft, **arrays)


if __name__ == "__main__":
    main()
