"""From the words of a person to an agent: a name, a run of ``train.py``, or a class."""

from __future__ import annotations

import difflib
import importlib
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.agent import Agent, check_env_kwargs
from agents.specs import agent_options, has_parameter, split_spec

BUILT_IN: Final = {
    "greedy": "agents.greedy:GreedyAgent",
    "planner": "agents.planner:PlannerAgent",
    "random": "agents.random_agent:RandomAgent",
    "sampler": "agents.planner:SamplerAgent",
    "solver": "agents.solver:SolverAgent",
}
"""The class of each agent that is called by a name, as ``module:Class``."""

KNOWN: Final = f"{', '.join(BUILT_IN)}, a run folder or model file of train.py, or module:Class"
MODEL_FILE: Final = "model.zip"
RUNS_FOLDER: Final = "runs"


class Loaded(NamedTuple):
    """An agent and what it was made with.

    Attributes:
        agent: The agent.
        options: All its options, those left out with their defaults; of a trained model
            ``sample``, whether it draws its actions.
    """

    agent: Agent
    options: dict[str, Any]


def load_agent(spec: str, *, deterministic: bool | None = None) -> Agent:
    """Return the agent that a word names; see `load`."""
    return load(spec, deterministic=deterministic).agent


def load(spec: str, *, deterministic: bool | None = None) -> Loaded:
    """Return the agent that a word names, and its options.

    Args:
        spec: One of `BUILT_IN`; a run folder with a ``model.zip`` in it; a model file; or
            ``module:Class`` for a class that is an `agents.agent.Agent`, in the current folder
            too. Names and classes may be followed by options, as in ``name:key=value,key=value``;
            see `agents.specs`.
        deterministic: Whether a trained model plays its best action rather than drawing one with
            the policy's probabilities; None leaves it to the config of its run, or else plays the
            best. Other agents are what they are.

    Raises:
        ValueError: There is no such agent, it is not one, or its options are wrong; the message
            is one line.
        OSError: A file cannot be read.
    """
    word = spec.strip()
    path = Path(word)
    if word and word not in BUILT_IN and path.exists():
        return _load_model(path, deterministic=deterministic)
    name, words = split_spec(word)
    if words and name not in BUILT_IN and Path(name).exists():
        raise ValueError(f"agent {word!r}: a trained model takes no options")
    kind = agent_class(name)
    options = agent_options(kind, words, name=name)
    return Loaded(_make(kind, options, name), options)


def has_option(spec: str, key: str) -> bool:
    """Return whether the agent that a word names has an option; trained models have none.

    Raises:
        ValueError: There is no such agent.
    """
    name, _ = split_spec(spec)
    return not Path(name).exists() and has_parameter(agent_class(name), key)


def agent_class(name: str) -> type:
    """Return the class that a name of `BUILT_IN` or ``module:Class`` stands for.

    Raises:
        ValueError: There is no such class; the message is one line.
    """
    if name in BUILT_IN:
        return _class(BUILT_IN[name])
    first, colon, _ = name.partition(":")
    if first in BUILT_IN:
        raise ValueError(f"agent {name!r}: options are written {first}:key=value")
    if not colon:
        raise ValueError(_why_unknown(name))
    return _class(name)


def _load_model(path: Path, *, deterministic: bool | None) -> Loaded:
    file = path / MODEL_FILE if path.is_dir() else path
    if not file.is_file():
        raise ValueError(f"{path} is not a finished run: it holds no {MODEL_FILE}")
    try:
        from agents.sb3_agent import load_sb3_agent
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{path} needs {error.name}, which is not installed; "
            "install the train extra: pip install 'qv-env[train]'"
        ) from None
    name = file.parent.resolve().name if file.name == MODEL_FILE else file.stem
    agent = load_sb3_agent(file, name, deterministic=deterministic)
    return Loaded(agent, {"sample": not agent.deterministic})


def _class(spec: str) -> type:
    module_name, _, class_name = spec.partition(":")
    found = getattr(_import(module_name, spec), class_name, None)
    if not isinstance(found, type):
        raise ValueError(f"agent {spec!r}: module {module_name} has no class {class_name!r}")
    return found


def _make(kind: type, options: dict[str, Any], name: str) -> Agent:
    try:
        agent: Any = kind(**options)
    except TypeError as error:
        raise ValueError(f"agent {name} cannot be made with its options: {error}") from None
    except ValueError as error:
        raise ValueError(f"agent {name}: {error}") from None
    missing = [part for part in ("name", "env_kwargs", "reset", "act") if not hasattr(agent, part)]
    if missing:
        raise ValueError(f"{name} is not an agent: it has no {', '.join(missing)}")
    check_env_kwargs(agent)
    checked: Agent = agent
    return checked


def _import(module_name: str, spec: str) -> Any:
    # An installed command does not look into the current folder, where a user's agent stands.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        return importlib.import_module(module_name)
    except (ImportError, ValueError) as error:
        raise ValueError(f"agent {spec!r}: cannot import {module_name!r}: {error}") from None


def _why_unknown(word: str) -> str:
    runs = sorted(str(folder.parent) for folder in Path(RUNS_FOLDER).glob(f"*/{MODEL_FILE}"))
    names = {name.lower(): name for name in (*BUILT_IN, *runs)}
    close = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.5)
    hint = f"; did you mean {names[close[0]]}?" if close else "."
    return f"unknown agent {word!r}{hint} Known agents: {KNOWN}"
