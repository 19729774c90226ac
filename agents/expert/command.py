"""Expert iteration as ``train.py`` runs it: in a run folder, from its config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError
from rich.console import Console

from agents.expert.config import ExpertConfig
from agents.expert.iteration import Iteration
from agents.training.config import explain
from agents.training.errors import ConfigError, TrainingError
from agents.training.run_folder import RunFolder

ALGO: Final = "expert"


def is_expert(mapping: Mapping[str, Any]) -> bool:
    """Return whether a config asks for expert iteration."""
    return mapping.get("algo") == ALGO


def begin(run: RunFolder, mapping: Mapping[str, Any], console: Console) -> None:
    """Do all rounds in a new folder.

    Raises:
        ConfigError: The config is wrong, or the folder cannot be used.
        TrainingError: A loss is no number any more, or a file cannot be written.
    """
    config = _parse(mapping)
    run.create(config)
    _iterate(run, config, console)


def go_on(run: RunFolder, mapping: Mapping[str, Any], console: Console) -> None:
    """Do the rounds that are left; see `begin`."""
    config = _parse(mapping)
    if Iteration(run.path, config, console).finished:
        console.print(f"{run.path} is finished; nothing is left to train.")
        return
    _iterate(run, config, console)


def _parse(mapping: Mapping[str, Any]) -> ExpertConfig:
    try:
        return ExpertConfig(**mapping)
    except ValidationError as error:
        raise ConfigError(explain(error, ExpertConfig)) from None


def _iterate(run: RunFolder, config: ExpertConfig, console: Console) -> None:
    with run.locked():
        try:
            Iteration(run.path, config, console).run()
        except OSError as error:
            reason = f"{run.path}: {error.strerror or error}"
            raise TrainingError(f"{reason}; --resume goes on from what is saved") from None
        except KeyboardInterrupt:
            console.print(f"Stopped. Go on with: python train.py --resume {run.path}")
            raise SystemExit(130) from None
