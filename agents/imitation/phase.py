"""The part of a run in which a policy learns from the planner: checkpoints, metrics, progress.

All of its files lie in the folder ``imitation`` of the run:

```
state.pt          all that imitation needs to go on, written in one go
model.zip         the model as it was then, for ``qv evaluate --agent``
samples.bin       labelled positions; removed at the end
metrics.jsonl     one JSON object a line, with key ``step``: positions labelled
tensorboard/      the same numbers for TensorBoard
```
"""

from __future__ import annotations

import io
from contextlib import closing
from typing import Any, Final

import torch
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents.imitation.learning import SAMPLES, Imitation, restore_policy
from agents.training.config import Config, ImitationConfig
from agents.training.errors import ConfigError, reason
from agents.training.evaluation import quick_figures
from agents.training.metrics import open_logger
from agents.training.policies import LeanMaskablePolicy
from agents.training.progress import RunBar
from agents.training.run_folder import RunFolder, moved_into_place

_ROUNDS_BETWEEN_ROWS: Final = 10


def imitate(
    run: RunFolder, config: Config, settings: ImitationConfig, model: Any, console: Console
) -> None:
    """Let a new model learn from the planner, or go on with that, and end with its policy taught.

    Args:
        run: The run.
        config: Its config.
        settings: The config's section ``imitation``.
        model: A model that has not learnt by its algorithm yet.
        console: Where progress is shown.

    Raises:
        ConfigError: The policy cannot learn so, or the last state cannot be read.
        TrainingError: The loss is no finite number any more.
        OSError: The folder cannot be written to, or the disk is full.
    """
    if not isinstance(model.policy, LeanMaskablePolicy):
        raise ConfigError(
            "imitation needs a policy derived from agents.training.policies:LeanMaskablePolicy, "
            "such as agents.training.card_policy:CardPolicy"
        )
    folder = run.imitation
    folder.path.mkdir(exist_ok=True)
    state = _last_state(folder)
    model.imitation_timesteps = 0 if state is None else state["done"]
    if model.imitation_timesteps >= settings.n_timesteps:
        restore_policy(model.policy, state or {})
    else:
        _learn(run, config, settings, model, state, console)
    # From here on the policy plays as it did above. What is saved there is the policy before, so
    # that this is done once, however often the run goes on.
    model.policy.divide_ratings(settings.temperature)


def _learn(
    run: RunFolder,
    config: Config,
    settings: ImitationConfig,
    model: Any,
    state: dict[str, Any] | None,
    console: Console,
) -> None:
    folder = run.imitation
    try:
        imitation = Imitation(model.policy, config, settings, folder.path, state)
    except ValueError as error:
        raise ConfigError(f"{error}; {_anew(folder)}") from None
    left = settings.n_timesteps - imitation.done
    console.print(f"imitation in {folder.path}, positions to label: {left:,}")
    with (
        closing(open_logger(folder, imitation.done)) as logger,
        RunBar("imitation", settings.n_timesteps, console) as bar,
    ):
        _Phase(imitation, folder, config, settings, model, logger, console).run(bar)
    (folder.path / SAMPLES).unlink(missing_ok=True)


class _Phase:
    def __init__(
        self,
        imitation: Imitation,
        folder: RunFolder,
        config: Config,
        settings: ImitationConfig,
        model: Any,
        logger: Logger,
        console: Console,
    ) -> None:
        self._imitation = imitation
        self._folder = folder
        self._config = config
        self._settings = settings
        self._model = model
        self._logger = logger
        self._console = console

    def run(self, bar: RunBar) -> None:
        """Learn to the end."""
        imitation, settings = self._imitation, self._settings
        bar.begin(imitation.done)
        rounds = 0
        while imitation.done < settings.n_timesteps:
            before = imitation.done
            figures = imitation.round()
            rounds += 1
            bar.show(imitation.done, _text_of(figures))
            for key, value in figures.items():
                self._logger.record_mean(key, value)
            ended = imitation.done >= settings.n_timesteps
            if ended or _passed(before, imitation.done, self._config.eval_freq):
                self._evaluate()
            to_save = ended or _passed(before, imitation.done, self._config.save_freq)
            if to_save or rounds % _ROUNDS_BETWEEN_ROWS == 0:
                self._logger.dump(imitation.done)
            if to_save:
                self._save()

    def _evaluate(self) -> None:
        if not self._config.eval_freq:
            return
        figures = quick_figures(self._model, self._config)
        for name, value in figures.items():
            self._logger.record(f"eval/{name}", value)
        listed = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
        self._console.print(f"ply {self._imitation.done:,}: on dev deals {listed}")

    def _save(self) -> None:
        self._model.imitation_timesteps = self._imitation.done
        with moved_into_place(self._folder.model) as path:
            self._model.save(path)
        # PyTorch's own writer hides from its errors that the disk is full.
        content = io.BytesIO()
        torch.save(self._imitation.state(), content)
        with moved_into_place(self._folder.state) as path:
            path.write_bytes(content.getbuffer())


def _last_state(folder: RunFolder) -> dict[str, Any] | None:
    if not folder.state.is_file():
        return None
    try:
        # The run itself wrote it, and it holds NumPy's states beside tensors.
        state: dict[str, Any] = torch.load(folder.state, weights_only=False)
    except Exception as error:  # noqa: BLE001 - damaged files raise whatever they like
        raise ConfigError(
            f"{folder.state} cannot be used ({reason(error)}); {_anew(folder)}"
        ) from None
    return state


def _anew(folder: RunFolder) -> str:
    return f"remove {folder.path} to learn from the planner anew"


def _passed(before: int, now: int, every: int) -> bool:
    return every > 0 and now // every > before // every


def _text_of(figures: dict[str, float]) -> str:
    score, won = figures.get("rollout/score", 0.0), figures.get("rollout/win_rate", 0.0)
    return (
        f"as the planner {figures['imitation/accuracy']:.1%}, score {score:.0f}, won {won:.1%}, "
        f"{figures['time/plies_per_second']:,.0f} plies/s"
    )
