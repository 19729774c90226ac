"""Trained models as agents: they keep to the mask, whatever their algorithm knows of masks."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from click.testing import CliRunner
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO

from agents.deal_lists import parse_deals
from agents.evaluate import Game, play_deals
from agents.loading import load, load_agent
from agents.results.result import read_result
from agents.sb3_agent import Sb3Agent, load_sb3_agent, rate_actions
from qv_env import QuaranteVoleursEnv
from qv_env.cli.group import qv

DEALS = parse_deals(["train:9"])
POLICY = {"net_arch": [16]}
MAKERS: dict[str, Callable[[Any], Any]] = {
    "MaskablePPO": lambda env: MaskablePPO("MlpPolicy", env, policy_kwargs=POLICY, seed=1),
    "PPO": lambda env: PPO("MlpPolicy", env, policy_kwargs=POLICY, seed=1, device="cpu"),
    "A2C": lambda env: A2C("MlpPolicy", env, policy_kwargs=POLICY, seed=1, device="cpu"),
    "DQN": lambda env: DQN("MlpPolicy", env, policy_kwargs=POLICY, seed=1, buffer_size=10),
    "sb3_contrib:QRDQN": lambda env: QRDQN(
        "MlpPolicy", env, policy_kwargs=POLICY, seed=1, buffer_size=10
    ),
}
by_algorithm = pytest.mark.parametrize("algo", MAKERS)


def agent_of(algo: str, *, deterministic: bool = True, **env_kwargs: Any) -> Sb3Agent:
    model = MAKERS[algo](QuaranteVoleursEnv(**env_kwargs))
    return Sb3Agent(model, algo, env_kwargs, deterministic=deterministic)


def without_time(games: list[Game]) -> list[Game]:
    return [game.untimed() for game in games]


def positions(rows: int, **env_kwargs: Any) -> tuple[Any, Any]:
    """Return observations and masks from random play."""
    env = QuaranteVoleursEnv(**env_kwargs)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=3)
    seen = []
    for _ in range(rows):
        seen.append((observation, info["action_mask"]))
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()
    return np.array([o for o, _ in seen]), np.array([m for _, m in seen])


@by_algorithm
def test_a_model_plays_legally(algo: str) -> None:
    games = play_deals(agent_of(algo), DEALS[:3])
    assert all(game.plies > 20 for game in games)


@by_algorithm
def test_numbers_do_not_depend_on_the_batch(algo: str) -> None:
    for deterministic in (True, False):
        runs = [
            without_time(
                play_deals(agent_of(algo, deterministic=deterministic), DEALS[:5], batch=b)
            )
            for b in (1, 3, 5)
        ]
        assert runs[0] == runs[1] == runs[2]


def test_rows_are_rated_alike_in_whatever_batch_and_on_however_many_threads() -> None:
    policy = {"net_arch": [256, 256]}
    model = MaskablePPO(
        "MlpPolicy", QuaranteVoleursEnv(observation="features"), policy_kwargs=policy, seed=1
    )
    observations, _ = positions(64, observation="features")
    threads = torch.get_num_threads()
    ratings = []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            for shift in (0, 1, 31):
                rolled = rate_actions(model, np.roll(observations, shift, axis=0))
                assert rolled is not None
                ratings.append(np.roll(rolled, -shift, axis=0))
    finally:
        torch.set_num_threads(threads)
    for other in ratings[1:]:
        np.testing.assert_array_equal(other, ratings[0])


@pytest.mark.parametrize("observation", ["cards", "features"])
def test_maskable_ppo_plays_as_its_own_predict(observation: str) -> None:
    agent = agent_of("MaskablePPO", observation=observation)
    observations, masks = positions(150, observation=observation)
    agent.reset(np.zeros(150, np.uint64))
    predicted, _ = agent.model.predict(observations, action_masks=masks != 0, deterministic=True)
    np.testing.assert_array_equal(agent.act(observations, masks), predicted)


@pytest.mark.parametrize("algo", ["PPO", "A2C", "DQN"])
def test_an_algorithm_without_masks_plays_as_predicted_where_all_is_allowed(algo: str) -> None:
    agent = agent_of(algo)
    observations, masks = positions(100)
    agent.reset(np.zeros(100, np.uint64))
    predicted, _ = agent.model.predict(observations, deterministic=True)
    np.testing.assert_array_equal(agent.act(observations, np.ones_like(masks)), predicted)
    legal = agent.act(observations, masks)
    assert masks[np.arange(100), legal].all()
    kept = masks[np.arange(100), predicted] != 0
    np.testing.assert_array_equal(legal[kept], predicted[kept])


def test_drawn_actions_follow_the_policys_probabilities() -> None:
    agent = agent_of("MaskablePPO", deterministic=False)
    observations, masks = positions(30)
    observation, mask = observations[-1:], masks[-1:]
    rows = 20_000
    agent.reset(np.arange(rows, dtype=np.uint64))
    actions = agent.act(np.repeat(observation, rows, 0), np.repeat(mask, rows, 0))
    tensor, _ = agent.model.policy.obs_to_tensor(observation)
    with torch.no_grad():
        masked = agent.model.policy.get_distribution(tensor, action_masks=mask != 0)
    expected = masked.distribution.probs[0].numpy()
    shares = np.bincount(actions, minlength=269) / rows
    np.testing.assert_allclose(shares, expected, atol=0.015)


class Predictor:
    """A model that exposes no ratings."""

    num_timesteps = 0

    class policy:  # noqa: N801 - the attribute's name in stable-baselines3
        @staticmethod
        def set_training_mode(mode: bool) -> None:
            del mode

        @staticmethod
        def obs_to_tensor(observations: Any) -> tuple[Any, bool]:
            return observations, True

    def predict(
        self,
        observations: Any,
        deterministic: bool,
        action_masks: Any,
    ) -> tuple[Any, None]:
        assert deterministic
        assert len(observations) == len(action_masks)
        return np.argmax(action_masks, axis=1), None


def test_a_model_without_ratings_is_asked_to_predict() -> None:
    agent = Sb3Agent(Predictor(), "predictor", {})
    assert play_deals(agent, DEALS[:2])[0].plies > 20


def saved_run(folder: Path, algo: str, config: dict[str, Any] | None) -> Path:
    """Save an untrained model as train.py does."""
    run = folder / "runs" / "first"
    run.mkdir(parents=True)
    env = (config or {}).get("env", {})
    MAKERS[algo](QuaranteVoleursEnv(**env)).save(run / "model.zip")
    if config is not None:
        (run / "config.yaml").write_text(yaml.safe_dump({"algo": algo, **config}))
    return run


@by_algorithm
def test_a_run_folder_is_an_agent(tmp_path: Path, algo: str) -> None:
    env = {"observation": "features", "mask": "canonical", "takebacks": False}
    run = saved_run(tmp_path, algo, {"env": {**env, "max_episode_steps": 50, "reward": "win"}})
    agent = load_agent(str(run))
    assert agent.name == "first"
    assert agent.env_kwargs == env
    fresh = agent_of(algo, **env)
    assert without_time(play_deals(agent, DEALS[:2])) == without_time(play_deals(fresh, DEALS[:2]))


@pytest.mark.parametrize(
    ("algo", "env"),
    [
        *((algo, {}) for algo in MAKERS),
        # The environment is told in the same way for all algorithms, so that two will do.
        *((algo, {"observation": "features"}) for algo in ("MaskablePPO", "DQN")),
        *((algo, {"stock": "open"}) for algo in ("MaskablePPO", "DQN")),
    ],
)
def test_a_lone_model_file_is_an_agent(tmp_path: Path, algo: str, env: dict[str, str]) -> None:
    model = tmp_path / "lone.zip"
    MAKERS[algo](QuaranteVoleursEnv(**env)).save(model)
    agent = load_agent(str(model))
    assert agent.name == "lone"
    assert isinstance(agent, Sb3Agent)
    assert type(agent.model).__name__ == algo.rpartition(":")[2]
    assert agent.env_kwargs == {"observation": "cards", **env}


def test_a_checkpoint_finds_the_config_of_its_run(tmp_path: Path) -> None:
    run = saved_run(tmp_path, "PPO", {"env": {"mask": "canonical"}})
    place = run / "checkpoints" / "000000001000"
    place.mkdir(parents=True)
    (run / "model.zip").rename(place / "model.zip")
    assert load_agent(str(place)).env_kwargs == {"mask": "canonical"}


def test_the_config_says_whether_actions_are_drawn(tmp_path: Path) -> None:
    run = saved_run(tmp_path, "PPO", {"env": {}, "deterministic": False})
    mask = np.ones((1, 269), np.int8)
    observations, _ = positions(1)

    def choices(*, deterministic: bool | None) -> set[int]:
        agent = load_sb3_agent(run / "model.zip", "first", deterministic=deterministic)
        agent.reset(np.zeros(1, np.uint64))
        return {int(agent.act(observations, mask)[0]) for _ in range(20)}

    assert len(choices(deterministic=None)) > 5
    assert len(choices(deterministic=True)) == 1
    assert load(str(run)).options == {"sample": True}  # as results files tell it
    assert load(str(run), deterministic=True).options == {"sample": False}


@pytest.mark.parametrize(("word", "drawn"), [("--best", False), ("--sample", True), ("", True)])
def test_the_command_can_force_either_way_of_choosing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, *, drawn: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    saved_run(tmp_path, "PPO", {"env": {}, "deterministic": False}).rename("run")
    words = ["evaluate", "--agent", "run", "--deals", "dev:1", "--results", "kept"]
    answer = CliRunner().invoke(qv, [*words, *word.split()], prog_name="qv")
    assert answer.exit_code == 0, answer.output
    name = f"run-{word.strip('-')}-dev-1" if word else "run-dev-1"
    result = read_result(tmp_path / "kept" / f"{name}.json")
    assert result.options == {"sample": drawn}
    assert word in result.command


def test_a_model_of_another_environment_is_refused(tmp_path: Path) -> None:
    run = saved_run(tmp_path, "PPO", {"env": {}})
    (run / "config.yaml").write_text(yaml.safe_dump({"env": {"observation": "features"}}))
    with pytest.raises(ValueError, match=r"shape \(248,\), which this environment of its config"):
        load_agent(str(run))


@pytest.mark.parametrize("text", ["[]", "env: [", "env: 3\n", "algo: Nope\n", "env: {mask: x}\n"])
def test_a_broken_config_is_told_in_a_line(tmp_path: Path, text: str) -> None:
    run = saved_run(tmp_path, "PPO", None)
    (run / "config.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"^[^\n]+\Z"):
        load_agent(str(run))


def test_an_archive_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(ValueError, match=r"is not a model file|cannot tell its algorithm"):
        load_agent(str(tmp_path / "other.zip"))
