"""Checkpoints: all that a run needs to go on as if it had never been stopped.

A checkpoint is a folder named after the plies trained so far, with

- ``model.zip``: networks, optimizer, step counter, schedules, and the last observations;
- ``state.pkl``: the games themselves with their streams of deals, the running statistics of the
  wrappers, and the states of all random number generators;
- ``replay_buffer.pkl``: for off-policy algorithms, unless the config says otherwise.

It is written beside its place and moved there when it is complete. It is taken between an update
and the next rollout, where nothing else is going on; a run resumed from it on the same machine and
versions makes the same updates as one that was never stopped.
"""

from __future__ import annotations

import pickle
import random
import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.vec_env import VecEnv

from agents.training.environments import env_snapshot, restore_env
from agents.training.run_folder import flush_to_disk

KEPT: Final = 2
_DIGITS: Final = 12
_MODEL: Final = "model.zip"
_STATE: Final = "state.pkl"
_REPLAY: Final = "replay_buffer.pkl"


def save_checkpoint(folder: Path, model: Any, *, replay_buffer: bool) -> Path:
    """Write a checkpoint of a model and its environment; older ones but the last are removed.

    Args:
        folder: Where checkpoints lie.
        model: A stable-baselines3 model between two rollouts.
        replay_buffer: Whether to keep the replay buffer, where the model has one.

    Returns:
        The checkpoint's folder.
    """
    place = folder / f"{model.num_timesteps:0{_DIGITS}d}"
    if place.exists():
        return place  # the checkpoint that this run was resumed from
    beside = folder / ".writing"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    model.save(beside / _MODEL)
    if replay_buffer and hasattr(model, "replay_buffer"):
        model.save_replay_buffer(beside / _REPLAY)
    state = {"random": _random_states(model), "env": env_snapshot(model.get_env())}
    (beside / _STATE).write_bytes(pickle.dumps(state))
    for file in beside.iterdir():
        flush_to_disk(file)
    beside.rename(place)
    flush_to_disk(folder)
    for old in _checkpoints(folder)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return place


def latest_checkpoint(folder: Path) -> Path | None:
    """Return the checkpoint with most plies, or None where there is none."""
    found = _checkpoints(folder)
    return found[-1] if found else None


def load_checkpoint(checkpoint: Path, algorithm: type[Any], env: VecEnv) -> Any:
    """Return the model of a checkpoint, acting in an environment made alike.

    Args:
        checkpoint: The checkpoint's folder.
        algorithm: The model's class.
        env: The environment to put back into the checkpoint's state.
    """
    model = algorithm.load(checkpoint / _MODEL, env=env, force_reset=False)
    if (checkpoint / _REPLAY).exists():
        model.load_replay_buffer(checkpoint / _REPLAY)
    state = pickle.loads((checkpoint / _STATE).read_bytes())  # noqa: S301 - this run wrote it
    restore_env(env, state["env"])
    _restore_random_states(model, state["random"])
    return model


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("[0-9]*") if (path / _STATE).exists())


def _random_states(model: Any) -> dict[str, Any]:
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(),  # noqa: NPY002 - stable-baselines3 draws from it
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "actions": model.action_space.np_random.bit_generator.state,
    }


def _restore_random_states(model: Any, states: dict[str, Any]) -> None:
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])  # noqa: NPY002 - as above
    torch.set_rng_state(states["torch"])
    if states["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(states["cuda"])
    model.action_space.np_random.bit_generator.state = states["actions"]
