"""What agents say about their choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from agents.episode import play_episode
from agents.evaluate import play_deals
from agents.greedy import GreedyAgent
from agents.planner import PlannerAgent, SamplerAgent
from agents.random_agent import RandomAgent
from agents.rating import MOST_FAVOURED, RatingAgent, favoured_actions
from qv_env import Game, QuaranteVoleursEnv
from qv_env.actions import DRAW, action_text
from qv_env.deals import Deal
from qv_env.observing import observe
from tests.golden import read_transcript


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


def searchers() -> list[PlannerAgent]:
    return [
        PlannerAgent(nodes=60),
        SamplerAgent(worlds=2, candidates=3, nodes=60, playout_nodes=20, horizon=4),
    ]


@pytest.mark.parametrize("agent", searchers(), ids=lambda agent: agent.name)
def test_rating_is_no_choice_and_names_allowed_actions(agent: PlannerAgent) -> None:
    assert isinstance(agent, RatingAgent)
    deal = Deal.from_number(25)
    (game,) = play_deals(agent, [deal])
    rated = play_episode(agent, deal)
    assert rated.actions == game.actions
    assert rated.policy is not None
    table = Game(deal)
    for action, favoured in zip(rated.actions, rated.policy.favoured, strict=True):
        assert favoured or not table.stock_count
        assert all(choice in table.legal_moves for choice, _ in favoured)
        table.push(action)


def test_the_planner_does_what_it_rates_highest() -> None:
    agent = PlannerAgent(nodes=60)
    env = QuaranteVoleursEnv(**agent.env_kwargs)
    choices = 0
    for number in range(4):
        observation, info = env.reset(seed=number)
        agent.reset(np.zeros(1, np.uint64))
        action = DRAW
        while env.state["stock_count"]:
            # In the midst of a plan it keeps to it; a search from there may see more.
            begins_plan = action == DRAW
            ratings = agent.rate(observation[None], info["action_mask"][None])[0]
            action = int(agent.act(observation[None], info["action_mask"][None])[0])
            assert not np.isfinite(ratings[info["action_mask"] == 0]).any()
            if begins_plan:
                assert ratings[action] == np.nanmax(ratings)
                choices += np.isfinite(ratings).sum() > 1
            observation, _, _, _, info = env.step(action)
    assert choices > 5


def rated_position(agent: PlannerAgent, game: Game) -> dict[str, float]:
    observation, mask = observe(game.state, plies_left=100, **agent.env_kwargs)
    (favoured,) = favoured_actions(agent, observation[None], mask[None])
    return {action_text(action): number for action, number in favoured}


@pytest.mark.parametrize(("agent", "won"), [*zip(searchers(), (104, 1.2), strict=True)])
def test_a_win_in_sight_is_rated_alone(agent: PlannerAgent, won: float) -> None:
    episode = read_transcript("won_by_greed")
    game = Game(episode.deal)
    for action in episode.actions[:-4]:
        game.push(action)
    assert len(game.legal_moves) > 1
    assert list(rated_position(agent, game).values()) == [won]


@pytest.mark.parametrize("agent", searchers(), ids=lambda agent: agent.name)
def test_nothing_is_rated_where_nothing_helps(agent: PlannerAgent) -> None:
    game = Game(21)
    for _ in range(64):
        game.draw()
    assert list(game.legal_moves) == ["t4>t7"]
    assert rated_position(agent, game) == {}


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
