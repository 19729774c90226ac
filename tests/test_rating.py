"""What agents say about their choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from agents.episode import play_episode
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from agents.rating import MOST_FAVOURED, RatingAgent, favoured_actions
from qv_env.deals import Deal


def masks(*rows: list[int]) -> ActionMasks:
    table = np.zeros((len(rows), 269), np.int8)
    for row, allowed in enumerate(rows):
        table[row, allowed] = 1
    return table


NOTHING_SEEN = np.zeros((2, 248), np.uint8)


def test_the_random_agent_finds_all_allowed_actions_alike() -> None:
    agent = RandomAgent()
    assert isinstance(agent, RatingAgent)
    assert favoured_actions(agent, NOTHING_SEEN, masks([7, 3], [0])) == [
        ((3, 0.5), (7, 0.5)),
        ((0, 1.0),),
    ]
    favoured = favoured_actions(agent, NOTHING_SEEN[:1], masks(list(range(50))))
    assert favoured == [tuple((action, 0.02) for action in range(MOST_FAVOURED))]


def test_agents_without_ratings_leave_no_policy() -> None:
    assert not isinstance(GreedyAgent(), RatingAgent)
    assert play_episode(GreedyAgent(), Deal.from_number(0), max_plies=2).policy is None


class Bold(RandomAgent):
    """Takes the allowed action of the highest number."""

    measure = "value"  # type: ignore[misc, assignment]
    env_kwargs: ClassVar[Mapping[str, Any]] = {"mask": "canonical"}

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        del seeds, rows

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        return np.nanargmax(self.rate(observations, action_masks), axis=1)

    def rate(self, observations: Observations, action_masks: ActionMasks) -> Any:
        del observations
        return np.where(action_masks, np.arange(269.0), np.nan)


def test_an_episode_has_what_the_agent_thought_at_each_ply() -> None:
    episode = play_episode(Bold(), Deal.from_number(21), max_plies=40)
    assert episode.policy is not None
    assert episode.policy.measure == "value"
    assert [ply[0] for ply in episode.policy.favoured] == [(a, float(a)) for a in episode.actions]


def test_a_trained_model_rates_what_is_allowed() -> None:
    sb3 = pytest.importorskip("agents.sb3_agent")
    from stable_baselines3 import DQN, PPO

    from qv_env import QuaranteVoleursEnv

    env = QuaranteVoleursEnv(observation="features")
    observation, info = env.reset(seed=21)
    allowed = masks(np.flatnonzero(info["action_mask"]).tolist())
    small = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 0}
    for algorithm, measure in ((PPO, "probability"), (DQN, "value")):
        model = algorithm("MlpPolicy", env, **small)
        agent = sb3.Sb3Agent(model, "model", {"observation": "features"})
        assert isinstance(agent, RatingAgent)
        assert agent.measure == measure
        ratings = agent.rate(observation[None], allowed)
        assert (np.isfinite(ratings) == (allowed != 0)).all()
        agent.reset(np.zeros(1, np.uint64))
        assert agent.act(observation[None], allowed)[0] == np.nanargmax(ratings)
        if measure == "probability":
            assert np.nansum(ratings) == pytest.approx(1)
