"""Evaluated games as episode files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from agents.comparison import AgentResult
from agents.episode import agent_episode
from qv_env.deals import Deal
from qv_env.episodes import save_episode


def record_games(
    folder: Path, results: Iterable[AgentResult], deals: Sequence[Deal], *, seed: int
) -> int:
    """Write every game of a comparison as ``FOLDER/AGENT/DEAL.json``, and return how many.

    Explicit deals are called ``explicit-1`` and so on, by their place in the list. Characters of an
    agent's name that do not suit a file's name become ``_``.

    Args:
        folder: Where to; it and the agents' folders are made where they are missing.
        results: The agents and their games.
        deals: The deals, in the order of the games.
        seed: The seed of the agents' choices.

    Raises:
        OSError: A file or folder cannot be written.
    """
    names = [f"explicit-{k}" if deal.number is None else deal.code for k, deal in _numbered(deals)]
    count = 0
    for result in results:
        place = folder / re.sub(r"[^\w.#-]", "_", result.name)
        place.mkdir(parents=True, exist_ok=True)
        for name, deal, game in zip(names, deals, result.games, strict=True):
            episode = agent_episode(result.name, result.env_kwargs, deal, game.actions, seed=seed)
            save_episode(place / f"{name}.json", episode)
            count += 1
    return count


def _numbered(deals: Sequence[Deal]) -> Iterable[tuple[int, Deal]]:
    return enumerate(deals, start=1)
