"""Several agents on the same deals: what is measured of each, and against the first of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent
from agents.evaluate import DEFAULT_BATCH, Game, play_deals
from agents.statistics import Estimate, bootstrap_mean, paired_difference, wilson
from qv_env.deals import Deal
from qv_env.settings import Settings

RATES: Final = {"win_rate": "won", "truncated": "truncated"}
"""Figures that are rates: their name, and the field of `Game` they count."""

MEANS: Final = ("score", "foundation_cards", "plies", "seconds")
"""Figures that are means of the field of `Game` with the same name."""

PAIRED: Final = ("win_rate", "score", "foundation_cards", "plies")
"""Figures whose differences are given."""


@dataclasses.dataclass(frozen=True)
class AgentResult:
    """How one agent played.

    Attributes:
        name: The agent's name, unlike that of any other agent of the comparison.
        env_kwargs: The environment keywords it asked for.
        games: One game for each deal, in the order of the deals.
    """

    name: str
    env_kwargs: Mapping[str, Any]
    games: Sequence[Game]

    @cached_property
    def figures(self) -> dict[str, Estimate]:
        """Rates, in [0, 1], with Wilson intervals, and means with bootstrap intervals, by name."""
        rates = {name: wilson(int(self.values(name).sum()), len(self.games)) for name in RATES}
        return rates | {name: bootstrap_mean(self.values(name)) for name in MEANS}

    def differences(self, baseline: AgentResult) -> dict[str, Estimate]:
        """Return this agent's figures less the baseline's, paired by deal."""
        return {
            name: paired_difference(self.values(name), baseline.values(name)) for name in PAIRED
        }

    def values(self, figure: str) -> NDArray[np.float64]:
        """Return what a figure is made of, one number a deal."""
        field = RATES.get(figure, figure)
        return np.array([getattr(game, field) for game in self.games], np.float64)


def compare(
    agents: Sequence[Agent],
    deals: Sequence[Deal],
    *,
    seed: int = 0,
    batch: int = DEFAULT_BATCH,
    threads: int = 1,
    progress: Callable[[str, int], None] | None = None,
) -> list[AgentResult]:
    """Let every agent play every deal once.

    Args:
        agents: Who plays; at least one.
        deals: What to play; at least one.
        seed: Fixes all chance in the agents' choices.
        batch: Most games played side by side.
        threads: Threads that step the games.
        progress: Called with an agent's name and the number of its games that have just ended.

    Raises:
        ValueError: There is nothing to play, or agents that see the order of the stock stand
            beside agents that do not.
        AgentError: An agent chose an illegal action.
    """
    check_comparable(agents)
    results = []
    for name, agent in zip(distinct_names(agents), agents, strict=True):
        report = None if progress is None else _reporter(progress, name)
        games = play_deals(agent, deals, seed=seed, batch=batch, threads=threads, progress=report)
        results.append(AgentResult(name, dict(agent.env_kwargs), games))
    return results


def check_comparable(agents: Sequence[Agent]) -> None:
    """Refuse to rank agents that know the order of the stock with agents that do not.

    Raises:
        ValueError: There are no agents, or there are agents of both kinds.
    """
    if not agents:
        raise ValueError("there are no agents to compare")
    by_stock = {agent.env_kwargs.get("stock", Settings.stock): agent.name for agent in agents}
    if len(by_stock) > 1:
        raise ValueError(
            f"agent {by_stock['open']} sees the order of the stock and agent "
            f"{by_stock['hidden']} does not; they play different games, evaluate them apart"
        )


def distinct_names(agents: Sequence[Agent]) -> list[str]:
    """Return the agents' names, with ``#2`` and so on after a name that came before."""
    names: list[str] = []
    for agent in agents:
        earlier = sum(other.name == agent.name for other in agents[: len(names)])
        names.append(f"{agent.name}#{earlier + 1}" if earlier else agent.name)
    return names


def _reporter(progress: Callable[[str, int], None], name: str) -> Callable[[int], None]:
    return lambda ended: progress(name, ended)
