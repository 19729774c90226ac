"""What may stand in a training config, and what is said about everything else."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("stable_baselines3")
pytest.importorskip("pydantic")

from stable_baselines3 import PPO
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from agents.expert.command import is_expert
from agents.expert.config import ExpertConfig
from agents.training.algorithms import algorithm_class, algorithm_kwargs, policy_class, resolve
from agents.training.config import read_config
from agents.training.errors import ConfigError
from agents.training.networks import ScaledTrunk
from agents.training.ranges import RANGES

CONFIGS = Path(__file__).parent.parent / "configs"
BASE: dict[str, Any] = {"algo": "MaskablePPO", "n_timesteps": 1000}


class HalfAnAlgorithm:
    def learn(self) -> None: ...


class PPOOfMine(PPO):
    """A user's own algorithm."""


class TakesAnything(PPO):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_the_configs_of_the_repository_are_right(path: Path) -> None:
    mapping = read_config(path)
    if is_expert(mapping):
        ExpertConfig(**mapping)
        return
    config = resolve(mapping)
    algorithm_kwargs(config)
    policy_class(config)


def test_a_resolved_config_names_every_default_and_resolves_to_itself() -> None:
    config = resolve(BASE)
    mapping = config.as_mapping()
    assert mapping["n_epochs"] == 10
    assert mapping["env"]["mask"] == "legal"
    assert resolve(yaml.safe_load(yaml.safe_dump(mapping))) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_step": 8}, "unknown key n_step; did you mean n_steps?"),
        ({"seeed": 1}, "unknown key seeed; did you mean seed?"),
        ({"zzz": 1}, "unknown key zzz; docs/training.md lists the keys of a run"),
        ({"env": {"masks": "legal"}}, "unknown key env.masks; did you mean mask?"),
        ({"env": {"split": "test"}}, "unknown key env.split; known keys: illegal, mask, max_ep"),
        ({"normalize": {"norm_rewards": True}}, "normalize.norm_rewards; did you mean norm_reward"),
        ({"env": {"mask": "all"}}, "env: mask must be one of 'legal', 'canonical'; got 'all'"),
        ({"env": {"takebacks": 3}}, "env.takebacks: should be a valid boolean, got 3"),
        ({"env": 3}, "env: should be a valid dictionary or instance of EnvConfig, got 3"),
        ({"batch_size": "big"}, "batch_size: should be a valid integer, got 'big'"),
        ({"batch_size": 2.5}, "batch_size: should be a valid integer, got a number with a fract"),
        ({"gamma": "high"}, "gamma: should be a valid number, got 'high'"),
        ({"n_epochs": True}, "n_epochs: should be a number, got True"),
        ({"n_envs": True}, "n_envs: should be a number"),
        ({"n_envs": 0}, "n_envs: should be greater than or equal to 1, got 0"),
        ({"n_timesteps": None}, "n_timesteps: should be a valid integer, got None"),
        ({"learning_rate": "lin_fast"}, "learning_rate: expected a number or lin_NUMBER"),
        ({"policy_kwargs": 3}, "policy_kwargs: should be a valid dictionary, got 3"),
        ({"policy_kwargs": {"activation_fn": "rel"}}, "policy_kwargs.activation_fn: expected relu"),
        (
            {"policy_kwargs": {"features_extractor_class": "agents.training.networks:Nothing"}},
            "policy_kwargs.features_extractor_class: agents.training.networks has no class Nothing",
        ),
        ({"normalize": {"norm_obs": True}}, "normalize.norm_obs: observations have fixed bounds"),
        ({"eval_deals": "dve:20"}, "eval_deals: no split is called 'dve'; did you mean dev?"),
        ({"algo": "PPPO"}, "algo: expected MaskablePPO, PPO, A2C, DQN or module:Class, got 'PPPO'"),
        ({"algo": 3}, "algo: expected MaskablePPO"),
        ({"algo": "nowhere:PPO"}, "algo: cannot import nowhere"),
        ({"algo": f"{__name__}:HalfAnAlgorithm"}, "HalfAnAlgorithm has no predict, save, load"),
        ({"algo": "DQN", "n_epochs": 4}, "unknown key n_epochs"),
        ({"algo": ":PPO"}, "algo: cannot import : ValueError"),
        ({"algo": ".near:PPO"}, "algo: cannot import .near: TypeError"),
        ({"policy": "os:path"}, "policy: os has no class path"),
        ({"seed": 2**32}, "seed: should be less than 4294967296, got 4294967296"),
        ({"torch_threads": 100_000}, "torch_threads: should be less than or equal to 1024"),
        ({"batch_size": 0}, "batch_size: should be at least 1, got 0"),
        ({"n_steps": 0}, "n_steps: should be at least 1, got 0"),
        ({"n_epochs": 0}, "n_epochs: should be at least 1, got 0"),
        ({"gamma": 2}, "gamma: should be from 0 to 1, got 2"),
        ({"gamma": float("nan")}, "gamma: should be from 0 to 1, got nan"),
        ({"learning_rate": -1}, "learning_rate: should be more than 0, got -1"),
        ({"learning_rate": "lin_-1"}, "learning_rate: should be more than 0, got -1"),
        ({"learning_rate": "lin_inf"}, "learning_rate: should be more than 0, got inf"),
        ({"algo": "DQN", "train_freq": 0}, "train_freq: should be at least 1, got 0"),
        ({"algo": "DQN", "train_freq": [0, "step"]}, "train_freq: should be at least 1, got (0"),
        (
            {"algo": "DQN", "n_envs": 2, "train_freq": [1, "episode"]},
            "train_freq: [1, episode] learns after whole games, which works with n_envs: 1 only",
        ),
        ({"algo": "DQN", "train_freq": [1, "game"]}, "train_freq: expected a number, [N, step] or"),
        ({"n_timesteps": 0}, "n_timesteps should be at least 1, unless there is imitation"),
        ({"temperature": 0}, "temperature: should be greater than 0, got 0"),
        ({"imitation": {"n_timesteps": 9}}, "imitation needs env.observation: cards"),
        ({"imitation": {}}, "imitation.n_timesteps: field required"),
        ({"algo": "DQN", "tau": 0}, "tau: should be above 0 to 1, got 0"),
    ],
)
def test_mistakes_are_one_line_that_says_what_is_wrong(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve({**BASE, **change})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_several_mistakes_are_named_together() -> None:
    with pytest.raises(ConfigError, match=r"n_envs: .*; seed: "):
        resolve({**BASE, "n_envs": 0, "seed": -1})


def test_words_become_objects() -> None:
    kwargs = algorithm_kwargs(
        resolve(
            {
                **BASE,
                "learning_rate": "lin_1e-3",
                "clip_range": "0.1",
                "batch_size": 64.0,
                "policy_kwargs": {
                    "activation_fn": "relu",
                    "features_extractor_class": "agents.training.networks:ScaledTrunk",
                    "net_arch": [8],
                },
            }
        )
    )
    schedule = kwargs["learning_rate"]
    assert isinstance(schedule, LinearSchedule)
    assert [schedule(1.0), schedule(0.5), schedule(0.0)] == pytest.approx([1e-3, 5e-4, 0.0])
    assert kwargs["clip_range"] == 0.1
    assert kwargs["batch_size"] == 64
    assert isinstance(kwargs["batch_size"], int)
    assert kwargs["policy_kwargs"] == {
        "activation_fn": nn.ReLU,
        "features_extractor_class": ScaledTrunk,
        "net_arch": [8],
    }


def test_the_ends_of_ranges_are_allowed() -> None:
    edges = {"gamma": 0, "gae_lambda": 1.0, "batch_size": 1, "ent_coef": 0, "clip_range_vf": None}
    assert algorithm_kwargs(resolve({**BASE, **edges})).items() >= edges.items()
    edges = {"tau": 1.0, "gradient_steps": -1, "learning_starts": 0, "exploration_final_eps": 0}
    assert algorithm_kwargs(resolve({**BASE, "algo": "DQN", **edges})).items() >= edges.items()


def test_every_range_is_of_an_argument_that_exists() -> None:
    known: set[str] = set()
    for algo in ("MaskablePPO", "PPO", "A2C", "DQN"):
        known |= inspect.signature(algorithm_class(algo)).parameters.keys()
    assert RANGES.keys() <= known


def test_a_class_of_the_users_own() -> None:
    config = resolve({**BASE, "algo": f"{__name__}:PPOOfMine", "n_epochs": 2})
    assert algorithm_class(config.algo) is PPOOfMine
    assert algorithm_kwargs(config)["n_epochs"] == 2
    with pytest.raises(ConfigError, match="did you mean n_epochs"):
        resolve({**BASE, "algo": f"{__name__}:PPOOfMine", "n_epoch": 2})
    free = resolve({**BASE, "algo": f"{__name__}:TakesAnything", "n_epoch": 2})
    assert algorithm_kwargs(free) == {"n_epoch": 2}


def test_dqn_takes_lists_for_tuples() -> None:
    config = resolve({**BASE, "algo": "DQN", "train_freq": [4, "step"]})
    assert algorithm_kwargs(config)["train_freq"] == (4, "step")


def test_files_and_settings(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("n_timesteps: 1e6\nlearning_rate: 3e-4\nenv: {mask: canonical}\n")
    mapping = read_config(
        file, ["env.takebacks=false", "policy_kwargs.net_arch=[8, 8]", "gamma=1", "seed=2"]
    )
    assert mapping == {
        "n_timesteps": 1e6,
        "learning_rate": 3e-4,
        "env": {"mask": "canonical", "takebacks": False},
        "policy_kwargs": {"net_arch": [8, 8]},
        "gamma": 1,
        "seed": 2,
    }
    assert resolve(mapping).n_timesteps == 1_000_000


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("gamma", "a setting is written key=value"),
        ("=1", "a setting is written key=value"),
        ("a..b=1", "a setting is written key=value"),
        ("gamma=[", "setting gamma: not YAML"),
        ("n_timesteps.x=1", "setting n_timesteps.x: n_timesteps is not a mapping"),
    ],
)
def test_malformed_settings(tmp_path: Path, setting: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("n_timesteps: 10\n")
    with pytest.raises(ConfigError) as caught:
        read_config(file, [setting])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [("a: [", "is not YAML"), ("- 1\n", "must hold a mapping"), ("", "must hold a mapping")],
)
def test_malformed_files(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(content)
    with pytest.raises(ConfigError, match=message):
        read_config(file)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read config .*: No such file"):
        read_config(tmp_path / "none.yaml")
