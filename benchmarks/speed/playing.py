"""Games in which random legal play has begun, for rows that time something in the middle of it."""

from __future__ import annotations

from typing import Final

import numpy as np

from agents.random_agent import RandomAgent
from qv_env.batch import Batch, Outputs
from qv_env.settings import Settings

PLIES: Final = 300


def playing(
    games: int, settings: Settings | None = None, plies: int = PLIES
) -> tuple[Batch, Outputs, RandomAgent]:
    """Return a batch of games, what they wrote last, and the agent that plays them.

    Args:
        games: How many.
        settings: The default ones unless given.
        plies: Steps to make before; games that end on the way begin anew.
    """
    batch = Batch(settings or Settings(), games)
    outputs = batch.new_outputs()
    rows = np.arange(games)
    batch.start(rows, list(range(games)), [None] * games, np.random.default_rng(0))
    batch.show(rows, outputs)
    agent = random_agent(games)
    for _ in range(plies):
        batch.step(agent.act(outputs.observations, outputs.masks), outputs)
    return batch, outputs, agent


def random_agent(games: int) -> RandomAgent:
    """Return an agent for so many games, the same one every time."""
    agent = RandomAgent()
    agent.reset(np.arange(games, dtype=np.uint64))
    return agent
