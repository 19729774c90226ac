"""Several agents on the same deals: what is measured of each, and against the first of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from agents.agent import Agent
from agents.evaluate import DEFAULT_BATCH, Game, play_deals
from agents.figures import Pairing, figures, pair
from agents.statistics import Estimate
from qv_env.deals import Deal
from qv_env.settings import Settings


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
        """The figures of the games; see `agents.figures.figures`."""
        return figures(self.games)

    def against(self, baseline: AgentResult) -> Pairing:
        """Compare with another agent, deal by deal."""
        return pair(self.games, baseline.games)


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
