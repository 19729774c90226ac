"""One game of an agent, position by position, for pictures and texts."""

from __future__ import annotations

from typing import Final

import numpy as np

from agents.agent import Agent, check_env_kwargs
from agents.chance import game_seed
from agents.evaluate import AgentError
from qv_env import QuaranteVoleursEnv
from qv_env.actions import NUM_ACTIONS, action_text
from qv_env.deals import Deal
from qv_env.render import Episode

EXPLICIT: Final = "explicit deal"


def play_episode(
    agent: Agent, deal: Deal, *, seed: int = 0, max_plies: int | None = None
) -> Episode:
    """Return the game that `agents.evaluate.play_deals` plays for the same agent, deal and seed.

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
    states = [env.state.copy()]
    actions: list[int] = []
    over = False
    while not over and (max_plies is None or len(actions) < max_plies):
        action = int(agent.act(observation[None], info["action_mask"][None])[0])
        where = f"agent {agent.name}, ply {len(actions) + 1}"
        if not 0 <= action < NUM_ACTIONS:
            raise AgentError(f"{where}: {action} is no action")
        observation, _, terminated, truncated, info = env.step(action)
        if "refused" in info:
            raise AgentError(f"{where}, {action_text(action)}: {info['refused']}")
        actions.append(action)
        states.append(env.state.copy())
        over = terminated or truncated
    name = EXPLICIT if deal.number is None else deal.code
    return Episode(np.array(states), tuple(actions), name)
