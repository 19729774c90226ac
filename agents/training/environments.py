"""The environment that a config asks for, wrapped for training."""

from __future__ import annotations

from typing import Any, Final

from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor, VecNormalize
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from agents.sb3_vec_env import QuaranteVoleursSB3VecEnv
from agents.training.config import Config
from agents.training.idle_limit import IdleLimit

MONITORED: Final = ("score", "foundation_cards", "is_success")
_MONITOR_STATE: Final = ("episode_count", "episode_returns", "episode_lengths")
_NORMALIZE_STATE: Final = ("ret_rms", "returns")


class RewardScale(VecEnvWrapper):
    """Multiplies rewards; scores in tens are large for a value network's first steps.

    Args:
        venv: The environment to wrap.
        factor: What rewards are multiplied with.
    """

    def __init__(self, venv: VecEnv, factor: float) -> None:
        super().__init__(venv)
        self._factor = factor

    def reset(self) -> VecEnvObs:
        """Start games in the wrapped environment."""
        return self.venv.reset()

    def step_wait(self) -> VecEnvStepReturn:
        """Step the wrapped environment and scale the rewards."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards * self._factor, dones, infos


def make_training_env(config: Config) -> VecEnv:
    """Return the environment of a config; its monitor sees rewards as they are, unscaled."""
    games = QuaranteVoleursSB3VecEnv(config.n_envs, split="train", **config.env.model_dump())
    venv: VecEnv = games if config.idle_limit is None else IdleLimit(games, config.idle_limit)
    venv = VecMonitor(venv, info_keywords=MONITORED)
    if config.reward_scale != 1.0:
        venv = RewardScale(venv, config.reward_scale)
    if config.normalize is not None:
        venv = VecNormalize(venv, **config.normalize.model_dump())
    return venv


def env_snapshot(venv: VecEnv) -> dict[str, Any]:
    """Return all that decides how a training environment goes on, for `restore_env`."""
    snapshot: dict[str, Any] = {}
    layer = venv
    while isinstance(layer, VecEnvWrapper):
        if isinstance(layer, VecMonitor):
            snapshot["monitor"] = {name: getattr(layer, name) for name in _MONITOR_STATE}
        if isinstance(layer, VecNormalize):
            snapshot["normalize"] = {name: getattr(layer, name) for name in _NORMALIZE_STATE}
        if isinstance(layer, IdleLimit):
            snapshot["idle"] = layer.get_state()
        layer = layer.venv
    snapshot["games"] = _native(layer).vector_env.get_state()
    return snapshot


def games_of(snapshot: dict[str, Any]) -> int:
    """Return how many games were played side by side where a snapshot was taken."""
    return len(snapshot["monitor"]["episode_returns"])


def restore_env(venv: VecEnv, snapshot: dict[str, Any]) -> None:
    """Let a training environment, made alike, go on where `env_snapshot` was taken."""
    layer = venv
    while isinstance(layer, VecEnvWrapper):
        if isinstance(layer, VecMonitor):
            vars(layer).update(snapshot["monitor"])
        if isinstance(layer, VecNormalize):
            vars(layer).update(snapshot["normalize"])
        if isinstance(layer, IdleLimit):
            layer.set_state(snapshot["idle"])
        layer = layer.venv
    _native(layer).vector_env.set_state(snapshot["games"])


def _native(venv: VecEnv) -> QuaranteVoleursSB3VecEnv:
    if not isinstance(venv, QuaranteVoleursSB3VecEnv):
        raise TypeError(f"expected a QuaranteVoleursSB3VecEnv, got {type(venv).__name__}")
    return venv
