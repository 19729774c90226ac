"""From the words of a person to an agent: a name, a run of ``train.py``, or a class."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from agents.agent import Agent, check_env_kwargs
from agents.greedy import GreedyAgent
from agents.planner import PlannerAgent, SamplerAgent
from agents.random_agent import RandomAgent

BUILT_IN: Final[dict[str, Callable[[], Agent]]] = {
    "greedy": GreedyAgent,
    "planner": PlannerAgent,
    "random": RandomAgent,
    "sampler": SamplerAgent,
}
KNOWN: Final = f"{', '.join(BUILT_IN)}, a run folder or model file of train.py, or module:Class"
MODEL_FILE: Final = "model.zip"
RUNS_FOLDER: Final = "runs"


def load_agent(spec: str, *, deterministic: bool | None = None) -> Agent:
    """Return the agent that a word names.

    Args:
        spec: ``random``, ``greedy``, a run folder with a ``model.zip`` in it, a model file, or
            ``module:Class`` for a class without required arguments that is an
            `agents.agent.Agent`; modules of the current folder are found too.
        deterministic: Whether a trained model plays its best action rather than drawing one with
            the policy's probabilities; None leaves it to the config of its run, or else plays the
            best. Other agents are what they are.

    Raises:
        ValueError: There is no such agent, or it is not one; the message is one line.
        OSError: A file cannot be read.
    """
    word = spec.strip()
    if word in BUILT_IN:
        return BUILT_IN[word]()
    path = Path(word)
    if word and path.exists():
        return _load_model(path, deterministic=deterministic)
    if ":" in word:
        return _load_class(word)
    raise ValueError(_why_unknown(word))


def _load_model(path: Path, *, deterministic: bool | None) -> Agent:
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
    return load_sb3_agent(file, name, deterministic=deterministic)


def _load_class(spec: str) -> Agent:
    module_name, _, class_name = spec.partition(":")
    found = getattr(_import(module_name, spec), class_name, None)
    if not isinstance(found, type):
        raise ValueError(f"agent {spec!r}: module {module_name} has no class {class_name!r}")
    try:
        agent: Any = found()
    except TypeError as error:
        raise ValueError(f"agent {spec!r} cannot be made without arguments: {error}") from None
    missing = [part for part in ("name", "env_kwargs", "reset", "act") if not hasattr(agent, part)]
    if missing:
        raise ValueError(f"{spec} is not an agent: it has no {', '.join(missing)}")
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
