"""A trained model of stable-baselines3 or sb3-contrib as an agent.

Of the legal actions it plays the one its policy rates highest: the most probable one of an
actor-critic policy, the one of highest value of a Q-network. MaskablePPO does that by itself; PPO,
A2C and DQN know no masks, and what their own ``predict`` prefers may be illegal, so masking their
ratings is what makes them comparable. A model that exposes no ratings is asked to ``predict``.

A model file holds pickled Python objects: load only files you trust.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import torch
import yaml
from numpy.typing import NDArray
from stable_baselines3.common.save_util import load_from_zip_file

from agents.agent import ENV_KEYWORDS, ActionMasks, Actions, Observations, Rows, Seeds
from agents.chance import mix
from agents.training.algorithms import algorithm_class
from agents.training.metrics import hours_of
from qv_env import QuaranteVoleursEnv
from qv_env.jit import kernel

# Matrix products of one shape round every row alike, whichever games share the batch; in
# products of varying shapes the last bits of a rating depend on the shape.
ROWS_AT_ONCE: Final = 64

_FLOAT_BITS: Final = 53
_CONFIG: Final = "config.yaml"
_METRICS: Final = "metrics.jsonl"
_CONFIG_LEVELS: Final = 3


class Sb3Agent:
    """Plays by a trained policy.

    Attributes:
        name: What tables call it.
        env_kwargs: The environment it was trained in, as far as an agent may choose it.
        rows_at_once: Rows that cost no more than one.
        training: The ``steps`` it was trained for, where the model knows, those that the planner
            labelled among them, and the ``hours``, where its run tells.
    """

    def __init__(
        self,
        model: Any,
        name: str,
        env_kwargs: Mapping[str, Any],
        *,
        deterministic: bool = True,
        temperature: float = 1.0,
    ) -> None:
        """Wrap a model.

        Args:
            model: An algorithm with stable-baselines3's interface.
            name: What tables shall call the agent.
            env_kwargs: Some of `agents.agent.ENV_KEYWORDS`.
            deterministic: Whether to play the highest-rated action. Otherwise actions are drawn
                with the probabilities of the policy, or with the softmax of the values of a
                Q-network.
            temperature: What log-probabilities, or values, are divided by before actions are
                drawn; below 1 the policy is surer of itself than it has learnt to be.
        """
        self.rows_at_once = ROWS_AT_ONCE
        self.name = name
        self.env_kwargs = dict(env_kwargs)
        steps = getattr(model, "num_timesteps", None)
        if steps is not None:
            steps = int(steps) + int(getattr(model, "imitation_timesteps", 0))
        self.training: dict[str, float] = {} if steps is None else {"steps": steps}
        self.model = model
        self.deterministic = deterministic
        self.temperature = temperature
        self._seeds = np.zeros(0, np.uint64)
        self._plies = np.zeros(0, np.int64)
        model.policy.set_training_mode(False)

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        """Begin new games; see `agents.agent.Agent.reset`."""
        if rows is None:
            self._seeds = np.array(seeds, np.uint64)
            self._plies = np.zeros(len(seeds), np.int64)
        else:
            self._seeds[rows] = seeds
            self._plies[rows] = 0

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Choose an action for every row; see `agents.agent.Agent.act`."""
        actions: Actions = np.argmax(action_masks, axis=1).astype(np.int64)
        # Where one action is allowed there is nothing to ask the network.
        open_rows = np.flatnonzero(np.count_nonzero(action_masks, axis=1) > 1)
        for start in range(0, len(open_rows), ROWS_AT_ONCE):
            rows = open_rows[start : start + ROWS_AT_ONCE]
            padded = np.resize(rows, ROWS_AT_ONCE)
            chosen = self._choose(padded, observations[padded], action_masks[padded] != 0)
            actions[rows] = chosen[: len(rows)]
        self._plies += 1
        return actions

    @property
    def measure(self) -> Literal["probability", "value"]:
        """What `rate` gives: probabilities of an actor-critic policy, values of a Q-network."""
        return "probability" if hasattr(self.model.policy, "get_distribution") else "value"

    def rate(self, observations: Observations, action_masks: ActionMasks) -> NDArray[np.float64]:
        """Rate the allowed actions; see `agents.rating.RatingAgent.rate`.

        Probabilities are those among the allowed actions. A model that exposes no ratings rates
        nothing.
        """
        allowed = action_masks != 0
        ratings = rate_actions(self.model, observations)
        if ratings is None:
            return np.full(allowed.shape, np.nan)
        ratings = np.where(allowed, ratings, -np.inf)
        if self.measure == "probability":
            ratings = np.exp(ratings - ratings.max(axis=1, keepdims=True))
            ratings /= ratings.sum(axis=1, keepdims=True)
        rated: NDArray[np.float64] = np.where(allowed, ratings, np.nan)
        return rated

    def _choose(
        self, rows: Rows, observations: Observations, allowed: NDArray[np.bool_]
    ) -> Actions:
        ratings = rate_actions(self.model, observations)
        if ratings is None:
            return self._predict(observations, allowed)
        if not self.deterministic:
            noise = _gumbel(self._seeds[rows], self._plies[rows], ratings.shape[1])
            ratings = ratings + self.temperature * noise
        best: Actions = np.argmax(np.where(allowed, ratings, -np.inf), axis=1)
        return best

    def _predict(self, observations: Observations, allowed: NDArray[np.bool_]) -> Actions:
        takes_masks = "action_masks" in inspect.signature(self.model.predict).parameters
        masks = {"action_masks": allowed} if takes_masks else {}
        actions, _ = self.model.predict(observations, deterministic=self.deterministic, **masks)
        chosen: Actions = np.asarray(actions, np.int64)
        return chosen


@torch.no_grad()
def rate_actions(model: Any, observations: Observations) -> NDArray[np.float64] | None:
    """Return a model's ratings of all actions, float64 of shape ``(n, 269)``, or None.

    They are log-probabilities before masking for actor-critic policies, values for Q-networks, and
    mean values for quantile networks (QR-DQN). None means that the model exposes neither.
    """
    policy = model.policy
    tensor, _ = policy.obs_to_tensor(observations)
    if hasattr(policy, "get_distribution"):
        distribution = getattr(policy.get_distribution(tensor), "distribution", None)
        ratings = getattr(distribution, "logits", None)
    elif hasattr(policy, "q_net"):
        ratings = policy.q_net(tensor)
    elif hasattr(policy, "quantile_net"):
        ratings = policy.quantile_net(tensor).mean(dim=1)
    else:
        ratings = None
    return None if ratings is None else ratings.cpu().numpy().astype(np.float64)


def load_sb3_agent(path: Path, name: str, *, deterministic: bool | None = None) -> Sb3Agent:
    """Load a model file and the config of its run.

    The algorithm and the environment come from the ``config.yaml`` of the run, which lies beside
    the file or, for a checkpoint, two folders above. Without one, the algorithm is told from the
    policy, and the environment from the shape of its observations; the mask is then the legal one.

    Args:
        path: The model file.
        name: What tables shall call the agent.
        deterministic: See `Sb3Agent`; None takes what the config says, or else True.

    Raises:
        ValueError: It is no model, or it was not made for this environment; one line.
        OSError: The file cannot be read.
    """
    folder = _run_folder(path)
    config = {} if folder is None else _read_config(folder / _CONFIG)
    try:
        data, _, _ = load_from_zip_file(path, load_data=True, device="cpu")
    except (ValueError, KeyError, AttributeError, ModuleNotFoundError) as error:
        raise ValueError(f"{path} is not a model file: {_one_line(error)}") from None
    data = data or {}
    algorithm = algorithm_class(config["algo"]) if "algo" in config else _algorithm_of(data, path)
    env_kwargs = _env_kwargs(config, data, path)
    # Schedules and buffers of training play no part in play, and may not exist here.
    try:
        model = algorithm.load(path, device="cpu", custom_objects={"tensorboard_log": None})
    except (ValueError, KeyError, RuntimeError, TypeError) as error:
        raise ValueError(f"{path} cannot be loaded: {_one_line(error)}") from None
    if deterministic is None:
        deterministic = bool(config.get("deterministic", True))
    temperature = float(config.get("temperature", 1.0))
    agent = Sb3Agent(model, name, env_kwargs, deterministic=deterministic, temperature=temperature)
    hours = 0.0 if folder is None else hours_of(folder / _METRICS)
    if hours:
        agent.training["hours"] = hours
    return agent


def _run_folder(path: Path) -> Path | None:
    """Return the folder of the run that a model belongs to: that with a config, or None."""
    folders = path.resolve().parents[:_CONFIG_LEVELS]
    return next((folder for folder in folders if (folder / _CONFIG).is_file()), None)


def _read_config(file: Path) -> dict[str, Any]:
    try:
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{file} is not YAML: {_one_line(error)}") from None
    if not isinstance(config, dict) or not isinstance(config.get("env") or {}, dict):
        raise ValueError(f"{file} is not the config of a run")
    return config


def _algorithm_of(data: Mapping[str, Any], path: Path) -> Any:
    """Tell the algorithm of a model from its policy and its parameters."""
    module = getattr(data.get("policy_class"), "__module__", "")
    if "maskable" in module:
        return algorithm_class("MaskablePPO")
    if "dqn" in module:
        return algorithm_class("DQN" if "qrdqn" not in module else "sb3_contrib:QRDQN")
    if "n_epochs" in data:
        return algorithm_class("PPO")
    if "gae_lambda" in data:
        return algorithm_class("A2C")
    raise ValueError(
        f"{path}: cannot tell its algorithm; put a config.yaml with its algo beside it"
    )


def _env_kwargs(config: Mapping[str, Any], data: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the environment keywords of a model, checked against its observation space."""
    given = config.get("env") or {}
    kwargs = {key: given[key] for key in ENV_KEYWORDS if key in given}
    shape = getattr(data.get("observation_space"), "shape", None)
    choices = [kwargs] if kwargs else _ENVIRONMENTS
    for choice in choices:
        if QuaranteVoleursEnv(**choice).observation_space.shape == shape:
            return dict(choice)
    raise ValueError(
        f"{path} was trained on observations of shape {shape}, which this environment"
        f"{' of its config.yaml' if kwargs else ''} does not give"
    )


_ENVIRONMENTS: Final[list[dict[str, Any]]] = [
    {"observation": "cards"},
    {"observation": "features"},
    {"observation": "cards", "stock": "open"},
]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _gumbel(seeds: Seeds, plies: NDArray[np.int64], actions: int) -> NDArray[np.float64]:
    """Return standard Gumbel noise, shape ``(n, actions)``; the largest sum with it is a sample.

    Source: Gumbel, "Statistical theory of extreme values and some practical applications", 1954;
    as a sampling method known as the Gumbel-max trick.
    """
    uniform = np.empty((len(seeds), actions))
    _fill_uniform(seeds, plies, uniform)
    noise: NDArray[np.float64] = -np.log(-np.log(uniform))
    return noise


@kernel
def _fill_uniform(seeds: Any, plies: Any, uniform: Any) -> None:
    """Fill an array with numbers in (0, 1) that depend on seed, ply and column alone."""
    for row in range(uniform.shape[0]):
        stream = mix(seeds[row], plies[row])
        for action in range(uniform.shape[1]):
            bits = mix(stream, action) >> np.uint64(64 - _FLOAT_BITS)
            uniform[row, action] = (np.float64(bits) + 0.5) / 2.0**_FLOAT_BITS
