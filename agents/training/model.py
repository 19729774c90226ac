"""The model that a run trains: a new one, or that of the run's last checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import torch

from agents.training.algorithms import algorithm_class, algorithm_kwargs, policy_class
from agents.training.checkpoint import checkpoints, resume_from
from agents.training.config import Config
from agents.training.environments import make_training_env
from agents.training.errors import ConfigError, reason
from agents.training.evaluation import training_agent
from agents.training.run_folder import RunFolder

# What runs use of a model, beside the methods that `algorithm_class` looks for.
_USED: Final = ("num_timesteps", "policy", "action_space", "ep_info_buffer", "set_logger")


def prepare_torch(config: Config) -> None:
    """Set up PyTorch for this process; to be called before a model is made."""
    torch.set_num_threads(config.torch_threads)
    # `FiniteCheck` finds what this would find, without the cost of a check in every call.
    torch.distributions.Distribution.set_default_validate_args(False)


def new_model(config: Config) -> Any:
    """Return a model that has learnt nothing yet, and that evaluation can play with.

    Raises:
        ConfigError: The algorithm does not take the config, or is none that can be used here.
    """
    algorithm = algorithm_class(config.algo)
    try:
        model = algorithm(
            policy_class(config),
            make_training_env(config),
            seed=config.seed,
            **algorithm_kwargs(config),
        )
    except ConfigError:
        raise
    except Exception as error:  # algorithms check their arguments in their own ways
        raise ConfigError(f"{config.algo} does not take this config; {reason(error)}") from error
    _check_usable(model, config)
    return model


def model_of_run(run: RunFolder, config: Config, say: Callable[[str], None]) -> Any:
    """Return the model of the run's last whole checkpoint, or a new one where it has none.

    Args:
        run: The run to go on with.
        config: Its config.
        say: Told, in a line, of whatever is passed over or begun anew.

    Raises:
        ConfigError: No checkpoint can be used, or a new model would replace a trained one.
    """
    if checkpoints(run.checkpoints):
        return resume_from(
            run.checkpoints,
            algorithm_class(config.algo),
            lambda: make_training_env(config),
            say,
        )
    if run.model.exists() and config.n_timesteps > 0:
        raise ConfigError(
            f"{run.path} holds a trained {run.model.name} but no checkpoint to go on from; "
            "evaluate it with qv evaluate --agent, or train anew in another folder with --config "
            "and --run"
        )
    if not run.imitation.state.exists():
        say(f"{run.path} has no checkpoint; training starts anew, from ply 0")
    return new_model(config)


def _check_usable(model: Any, config: Config) -> None:
    """Raise a ConfigError unless training and evaluation know how to deal with a model."""
    missing = [name for name in _USED if not hasattr(model, name)]
    if missing:
        raise ConfigError(f"algo: models of {config.algo} have no {', '.join(missing)}")
    space = model.get_env().observation_space
    try:
        agent = training_agent(model, config, "new")
        agent.reset(np.zeros(1, np.uint64))
        masks = np.ones((1, model.action_space.n), np.int8)
        agent.act(np.zeros((1, *space.shape), space.dtype), masks)
    except Exception as error:  # a policy of a kind that `Sb3Agent` does not know
        raise ConfigError(
            f"algo: evaluation cannot play with a model of {config.algo}; {reason(error)}"
        ) from error
