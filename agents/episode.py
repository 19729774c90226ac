"""One game of an agent as an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.agent import Agent, check_env_kwargs
from agents.chance import game_seed
from agents.evaluate import AgentError
from agents.rating import Favoured, RatingAgent, favoured_actions
from qv_env import QuaranteVoleursEnv
from qv_env.actions import NUM_ACTIONS, action_text
from qv_env.deals import Deal
from qv_env.episodes import Episode, EpisodeSettings, Policy, make_episode


def play_episode(
    agent: Agent, deal: Deal, *, seed: int = 0, max_plies: int | None = None
) -> Episode:
    """Return the game that `agents.evaluate.play_deals` plays for the same agent, deal and seed.

    An agent that rates actions has its favoured ones written down at every ply.

    Args:
        agent: Who plays.
        deal: What to play.
        seed: Fixes all chance in the agent's choices, together with the deal.
        max_plies: Where to stop before the game's end, or None.

    Raises:
        AgentError: The agent chose an illegal action.
    """
    check_env_kwargs(agent)
    env = QuaranteVoleursEnv(**agent.env_kwargs)
    observation, info = env.reset(options={"deal": deal})
    agent.reset(np.array([game_seed(seed, deal.code)], np.uint64))
    actions: list[int] = []
    favoured: list[Favoured] = []
    over = False
    while not over and (max_plies is None or len(actions) < max_plies):
        if isinstance(agent, RatingAgent):
            favoured += favoured_actions(agent, observation[None], info["action_mask"][None])
        action = int(agent.act(observation[None], info["action_mask"][None])[0])
        where = f"agent {agent.name}, ply {len(actions) + 1}"
        if not 0 <= action < NUM_ACTIONS:
            raise AgentError(f"{where}: {action} is no action")
        observation, _, terminated, truncated, info = env.step(action)
        if "refused" in info:
            raise AgentError(f"{where}, {action_text(action)}: {info['refused']}")
        actions.append(action)
        over = terminated or truncated
    policy = None
    if isinstance(agent, RatingAgent):
        policy = Policy(measure=agent.measure, favoured=tuple(favoured))
    return agent_episode(agent.name, agent.env_kwargs, deal, actions, seed=seed, policy=policy)


def agent_episode(
    name: str,
    env_kwargs: Mapping[str, Any],
    deal: Deal,
    actions: Sequence[int],
    *,
    seed: int,
    policy: Policy | None = None,
) -> Episode:
    """Return the episode of what an agent did in a deal.

    Args:
        name: The agent's name.
        env_kwargs: The environment keywords it asked for.
        deal: What it played.
        actions: What it did, all of it legal.
        seed: The seed of its choices.
        policy: What it thought at each ply.
    """
    settings = EpisodeSettings(**env_kwargs)
    return make_episode(deal, actions, agent=name, seed=seed, settings=settings, policy=policy)
