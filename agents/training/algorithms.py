"""From the words of a config to an algorithm's class and its keyword arguments.

Any class with the interface of a stable-baselines3 algorithm will do: its constructor's signature
says which keyword arguments exist and of what type they are.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Final, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from agents.training.config import Config, explain, parse_config
from agents.training.errors import ConfigError, reason
from agents.training.ranges import check_range

ALGORITHMS: Final = {
    "MaskablePPO": "sb3_contrib:MaskablePPO",
    "PPO": "stable_baselines3:PPO",
    "A2C": "stable_baselines3:A2C",
    "DQN": "stable_baselines3:DQN",
}
ACTIVATIONS: Final[dict[str, type[nn.Module]]] = {
    "relu": nn.ReLU,
    "tanh": nn.Tanh,
    "elu": nn.ELU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "leaky_relu": nn.LeakyReLU,
}

# Arguments that the run itself sets.
_RUNS_OWN: Final = {"self", "policy", "env", "seed", "tensorboard_log", "verbose"}
_LINEAR: Final = "lin_"
_SCHEDULES: Final = ("learning_rate", "clip_range", "clip_range_vf")


def load_class(name: str, what: str) -> type[Any]:
    """Return the class that ``module:Class`` names.

    Raises:
        ConfigError: There is no such module or class; the message begins with ``what``.
    """
    module_name, colon, class_name = name.partition(":")
    if not colon:
        raise ConfigError(f"{what}: expected module:Class, got {name!r}")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # noqa: BLE001 - a module may raise anything while it is loaded
        raise ConfigError(f"{what}: cannot import {module_name}: {reason(error)}") from None
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        raise ConfigError(f"{what}: {module_name} has no class {class_name}")
    return found


def algorithm_class(algo: object) -> type[Any]:
    """Return the algorithm's class by its short name or as ``module:Class``.

    Raises:
        ConfigError: There is no such class, or it does not look like an algorithm.
    """
    if not isinstance(algo, str) or (algo not in ALGORITHMS and ":" not in algo):
        names = ", ".join(ALGORITHMS)
        raise ConfigError(f"algo: expected {names} or module:Class, got {algo!r}")
    found = load_class(ALGORITHMS.get(algo, algo), "algo")
    missing = [name for name in ("learn", "predict", "save", "load") if not hasattr(found, name)]
    if missing:
        raise ConfigError(f"algo: {algo} has no {', '.join(missing)}; it is not an algorithm")
    return found


def resolve(mapping: Mapping[str, Any]) -> Config:
    """Check a config against its algorithm and fill in what the algorithm takes by default.

    Raises:
        ConfigError: A key is unknown, a value is of the wrong type or out of range, or a class does
            not exist.
    """
    algorithm = algorithm_class(mapping.get("algo", Config.model_fields["algo"].default))
    parameters = _parameters(algorithm)
    config = parse_config(mapping, None if _takes_any(algorithm) else parameters)
    algorithm_kwargs(config)
    policy_class(config)
    defaults = {
        name: parameter.default
        for name, parameter in parameters.items()
        if isinstance(parameter.default, bool | int | float | str)
    }
    return config.model_copy(update={"kwargs": {**defaults, **config.kwargs}})


def algorithm_kwargs(config: Config) -> dict[str, Any]:
    """Return the keyword arguments for the algorithm's class, checked and built.

    Raises:
        ConfigError: A value is of the wrong type or out of range.
    """
    algorithm = algorithm_class(config.algo)
    hints = _type_hints(algorithm)
    kwargs = {}
    for key, value in config.kwargs.items():
        built = _build(key, value)
        kwargs[key] = _checked(key, built, hints.get(key, Any))
        check_range(key, kwargs[key])
    _check_train_freq(kwargs.get("train_freq"), config.n_envs)
    return kwargs


def _check_train_freq(value: object, n_envs: int) -> None:
    """Raise a ConfigError where off-policy algorithms would stop in the midst of training."""
    if not isinstance(value, tuple | list):
        return
    units = ("step", "episode")
    if len(value) != len(units) or value[1] not in units:
        raise ConfigError(
            f"train_freq: expected a number, [N, step] or [N, episode]; got {list(value)!r}"
        )
    if value[1] == "episode" and n_envs > 1:
        raise ConfigError(
            f"train_freq: [{value[0]}, episode] learns after whole games, which works with "
            f"n_envs: 1 only; got n_envs: {n_envs}; use [{value[0]}, step], or n_envs: 1"
        )


def policy_class(config: Config) -> Any:
    """Return the policy as the algorithm's class takes it: its name, or a class.

    Raises:
        ConfigError: It is written ``module:Class``, and there is no such class.
    """
    return load_class(config.policy, "policy") if ":" in config.policy else config.policy


def _parameters(algorithm: type[Any]) -> dict[str, inspect.Parameter]:
    named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return {
        name: parameter
        for name, parameter in inspect.signature(algorithm).parameters.items()
        if parameter.kind in named and name not in _RUNS_OWN and not name.startswith("_")
    }


def _takes_any(algorithm: type[Any]) -> bool:
    kinds = [p.kind for p in inspect.signature(algorithm).parameters.values()]
    return inspect.Parameter.VAR_KEYWORD in kinds


def _type_hints(algorithm: type[Any]) -> dict[str, Any]:
    try:
        return get_type_hints(algorithm.__init__)
    except (NameError, TypeError):  # names that exist for type checkers only
        return {}


def _build(key: str, value: Any) -> Any:
    """Turn the words of a config file into objects: schedules, classes, activations."""
    if key in _SCHEDULES and isinstance(value, str):
        return _schedule(key, value)
    if key.endswith("_class") and isinstance(value, str):
        return load_class(value, key)
    if key == "policy_kwargs" and isinstance(value, Mapping):
        return {name: _build_policy_kwarg(name, part) for name, part in value.items()}
    return value


def _build_policy_kwarg(name: str, value: Any) -> Any:
    if name.endswith("_class") and isinstance(value, str):
        return load_class(value, f"policy_kwargs.{name}")
    if name == "activation_fn" and isinstance(value, str):
        if value not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise ConfigError(f"policy_kwargs.activation_fn: expected {known}; got {value!r}")
        return ACTIVATIONS[value]
    return value


def _schedule(key: str, text: str) -> Any:
    """Return a number, or for ``lin_X`` a schedule that falls from X to 0 over the run."""
    try:
        number = float(text.removeprefix(_LINEAR))
    except ValueError:
        raise ConfigError(f"{key}: expected a number or {_LINEAR}NUMBER, got {text!r}") from None
    check_range(key, number)
    return LinearSchedule(number, 0.0, 1.0) if text.startswith(_LINEAR) else number


def _checked(key: str, value: Any, annotation: Any) -> Any:
    if isinstance(value, bool) and annotation in (int, float):
        raise ConfigError(f"{key}: should be a number, got {value!r}")
    try:
        adapter = TypeAdapter(
            dict[str, annotation], config=ConfigDict(arbitrary_types_allowed=True)
        )
        return adapter.validate_python({key: value})[key]
    except ValidationError as error:
        raise ConfigError(explain(error)) from None
