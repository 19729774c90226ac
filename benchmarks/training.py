"""How fast `train.py` learns, beside the same algorithm on a `DummyVecEnv` of single environments.

    python benchmarks/training.py
    python benchmarks/training.py --config configs/quick.yaml --rounds 5 --publish

All train by the same config with the same network, one rollout and its update after the other in
turns, on the training deals. Printed are environment steps a second, and where the time goes.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any, Final

import click
import torch
from rich.console import Console
from rich.table import Table
from speed.docs import read_figures, update_page
from speed.machine import description
from speed.report import write_json
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecEnvWrapper, VecMonitor
from stable_baselines3.common.vec_env.base_vec_env import (
    VecEnvIndices,
    VecEnvObs,
    VecEnvStepReturn,
)

from agents.training.algorithms import algorithm_class, algorithm_kwargs, policy_class, resolve
from agents.training.config import Config, read_config
from agents.training.environments import MONITORED, RewardScale, make_training_env
from agents.training.errors import ConfigError
from qv_env import QuaranteVoleursEnv

ROOT: Final = Path(__file__).parent.parent
DOCS: Final = ROOT / "docs"
ROUNDS: Final = 5
KINDS: Final = {
    "native": "native vector env, one call a step",
    "dummy": "DummyVecEnv of single envs, sb3's own policy",
    "dummy_lean": "DummyVecEnv of single envs, our policy",
}
_STOCK_POLICY: Final = "MlpPolicy"
_BAR: Final = 3.0
_clock = time.perf_counter


class TimedEnv(VecEnvWrapper):
    """Adds up the seconds spent in the environment, masks included.

    Attributes:
        seconds: Seconds so far.
    """

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self.seconds = 0.0

    def reset(self) -> VecEnvObs:
        """Start games in the wrapped environment."""
        return self.venv.reset()

    def step_async(self, actions: Any) -> None:
        """Pass the actions on."""
        begin = _clock()
        self.venv.step_async(actions)
        self.seconds += _clock() - begin

    def step_wait(self) -> VecEnvStepReturn:
        """Step the wrapped environment."""
        begin = _clock()
        stepped = self.venv.step_wait()
        self.seconds += _clock() - begin
        return stepped

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method of the games, such as the one for their masks."""
        begin = _clock()
        answers: list[Any] = self.venv.env_method(method_name, *args, indices=indices, **kwargs)
        self.seconds += _clock() - begin
        return answers


class RolloutClock(BaseCallback):
    """Takes the time of rollouts, and of the environment in them.

    Attributes:
        rollout: Seconds of all rollouts so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rollout = 0.0
        self._begin = 0.0

    def _on_rollout_start(self) -> None:
        self._begin = _clock()

    def _on_rollout_end(self) -> None:
        self.rollout += _clock() - self._begin

    def _on_step(self) -> bool:
        return True


class Learner:
    """An algorithm with its environment, which learns a rollout at a time.

    Args:
        config: The run's config.
        venv: The environment, already wrapped for training.
    """

    def __init__(self, config: Config, venv: VecEnv) -> None:
        self._env = TimedEnv(venv)
        self._model = algorithm_class(config.algo)(
            policy_class(config), self._env, seed=config.seed, **algorithm_kwargs(config)
        )
        self._steps = config.n_envs * int(config.kwargs["n_steps"])

    def learn(self) -> dict[str, float]:
        """Make one rollout and its update; return nanoseconds a step of each part."""
        clock = RolloutClock()
        self._env.seconds = 0.0
        begin = _clock()
        self._model.learn(self._steps, clock, reset_num_timesteps=False)
        total = _clock() - begin
        parts = {
            "environment": self._env.seconds,
            "policy": clock.rollout - self._env.seconds,
            "update": total - clock.rollout,
        }
        return {name: 1e9 * seconds / self._steps for name, seconds in parts.items()}


def dummy_env(config: Config) -> VecEnv:
    """Return what `make_training_env` returns, on a `DummyVecEnv` of single environments."""
    keywords = config.env.model_dump()

    def make() -> Any:
        return QuaranteVoleursEnv(split="train", **keywords)

    single = [make] * config.n_envs
    venv: VecEnv = VecMonitor(DummyVecEnv(single), info_keywords=MONITORED)
    return RewardScale(venv, config.reward_scale) if config.reward_scale != 1.0 else venv


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--config", type=click.Path(path_type=Path), default=ROOT / "configs" / "quick.yaml",
    help="The config, YAML; configs/quick.yaml unless given.",
)  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=ROUNDS, show_default=True,
              help="Rollouts of each kind.")  # fmt: skip
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures.")
@click.option("--publish", is_flag=True, help="Write figures and table of the docs.")
def main(config: Path, rounds: int, json_file: Path | None, *, publish: bool) -> None:
    """Measure steps a second of training, and where the time goes."""
    try:
        settings = resolve(read_config(config))
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
    if "n_steps" not in settings.kwargs:
        raise click.UsageError(f"{config}: expected an algorithm with rollouts (n_steps)")
    data = measure(settings, rounds, config.name)
    show(data, Console(highlight=False))
    if json_file is not None:
        write_json(data, json_file)
    if publish:
        figures = DOCS / "data" / "training_speed.json"
        write_json(data, figures)
        update_page(DOCS / "performance.md", training=read_figures(figures))


def measure(config: Config, rounds: int, name: str) -> dict[str, Any]:
    """Return the medians of all rounds, as they go into the JSON file."""
    machine = description()
    torch.set_num_threads(config.torch_threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    learners = {
        "native": Learner(config, make_training_env(config)),
        "dummy": Learner(config.model_copy(update={"policy": _STOCK_POLICY}), dummy_env(config)),
        "dummy_lean": Learner(config, dummy_env(config)),
    }
    parts: dict[str, list[dict[str, float]]] = {kind: [] for kind in learners}
    for taken in range(rounds + 1):
        for kind, learner in learners.items():
            figures = learner.learn()
            if taken > 0:  # the first round compiles
                parts[kind].append(figures)
    speedups = {
        kind: [
            _rollout(slow) / _rollout(fast)
            for slow, fast in zip(parts[kind], parts["native"], strict=True)
        ]
        for kind in learners
        if kind != "native"
    }
    return {
        "machine": machine,
        "config": name,
        "games": config.n_envs,
        "rounds": rounds,
        "torch_threads": config.torch_threads,
        "bar": _BAR,
        "speedup_over": {kind: statistics.median(rounds) for kind, rounds in speedups.items()},
        "speedup_over_rounds": speedups,
        "nanoseconds_a_step": {
            kind: {part: statistics.median(each[part] for each in rows) for part in rows[0]}
            for kind, rows in parts.items()
        },
    }


def _rollout(parts: dict[str, float]) -> float:
    return parts["environment"] + parts["policy"]


def show(data: dict[str, Any], console: Console) -> None:
    """Print the table."""
    title = f"{data['config']}, {data['games']} games, microseconds a step"
    table = Table(
        "", "environment", "policy", "update", "rollout steps/s", "all steps/s", title=title
    )
    for kind, parts in data["nanoseconds_a_step"].items():
        rollout = _rollout(parts)
        table.add_row(
            KINDS[kind],
            *(f"{parts[part] / 1000:.2f}" for part in ("environment", "policy", "update")),
            f"{1e9 / rollout:,.0f}",
            f"{1e9 / (rollout + parts['update']):,.0f}",
        )
    console.print(table)
    for kind, ratio in data["speedup_over"].items():
        console.print(f"Rollouts are {ratio:.2f} times as fast as with {KINDS[kind]}.")


if __name__ == "__main__":
    main()
