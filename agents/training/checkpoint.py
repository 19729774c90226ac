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
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.vec_env import VecEnv

from agents.training.environments import env_snapshot, games_of, restore_env
from agents.training.errors import ConfigError, reason
from agents.training.run_folder import flush_to_disk

KEPT: Final = 2
_DIGITS: Final = 12
_MODEL: Final = "model.zip"
_STATE: Final = "state.pkl"
_REPLAY: Final = "replay_buffer.pkl"


def save_checkpoint(folder: Path, model: Any, *, replay_buffer: bool) -> Path:
    """Write a checkpoint of a model and its environment, and remove those it makes needless.

    These are older ones but the last, and those of more plies: a run that is there only now did
    not go on from them, because they are damaged.

    Args:
        folder: Where checkpoints lie.
        model: A stable-baselines3 model between two rollouts.
        replay_buffer: Whether to keep the replay buffer, where the model has one.

    Returns:
        The checkpoint's folder.
    """
    place = folder / f"{model.num_timesteps:0{_DIGITS}d}"
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
    if place.exists():
        shutil.rmtree(place)
    beside.rename(place)
    flush_to_disk(folder)
    found = checkpoints(folder)
    end = found.index(place) + 1
    for old in (*found[: max(end - KEPT, 0)], *found[end:]):
        shutil.rmtree(old, ignore_errors=True)
    return place


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, whole or damaged, that with most plies last."""
    return sorted(path for path in folder.glob("[0-9]*") if path.name.isdecimal())


def resume_from(
    folder: Path, algorithm: type[Any], make_env: Callable[[], VecEnv], say: Callable[[str], None]
) -> Any:
    """Return the model of the last checkpoint that can be loaded.

    Args:
        folder: Where checkpoints lie, one at least.
        algorithm: The model's class.
        make_env: Makes an environment like that of the run.
        say: Told, in a line, of every checkpoint that is passed over.

    Raises:
        ConfigError: None can be loaded, or the environment is not like that of the run.
    """
    for checkpoint in reversed(checkpoints(folder)):
        try:
            return load_checkpoint(checkpoint, algorithm, make_env())
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001 - damaged pickles raise whatever they like
            say(f"checkpoint {checkpoint} cannot be used ({reason(error)})")
    raise ConfigError(
        f"no checkpoint in {folder} can be used; put back a whole one, or train anew in another "
        "folder with --config and --run"
    )


def load_checkpoint(checkpoint: Path, algorithm: type[Any], env: VecEnv) -> Any:
    """Return the model of a checkpoint, acting in an environment made alike.

    Args:
        checkpoint: The checkpoint's folder.
        algorithm: The model's class.
        env: The environment to put back into the checkpoint's state.

    Raises:
        ConfigError: The environment has another number of games.
        Exception: A file is missing or damaged.
    """
    state = pickle.loads((checkpoint / _STATE).read_bytes())  # noqa: S301 - this run wrote it
    games = games_of(state["env"])
    if games != env.num_envs:
        raise ConfigError(
            f"n_envs: {checkpoint} was written with {games}, the config of the run says "
            f"{env.num_envs}; put {games} back, or train anew with --config"
        )
    model = algorithm.load(checkpoint / _MODEL, env=env, force_reset=False)
    if (checkpoint / _REPLAY).exists():
        model.load_replay_buffer(checkpoint / _REPLAY)
    restore_env(env, state["env"])
    _restore_random_states(model, state["random"])
    return model


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
