"""Train an agent: one config in, one run folder out.

    python train.py --config configs/quick.yaml
    python train.py --config configs/quick.yaml --set n_timesteps=200000 env.mask=legal
    python train.py --resume runs/quick

Where the config has a section ``imitation``, the policy learns from the planner before the
algorithm begins (`agents.imitation`).

A run may be stopped or killed at any moment; ``--resume`` goes on from its last checkpoint, with
the same schedules and the same total, to the same end. `agents.training.config` lists the keys of
a config, `agents.training.run_folder` the files of a run.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Any

try:
    import click
    from rich.console import Console

    from agents.expert import command
    from agents.imitation.phase import imitate
    from agents.training.algorithms import resolve
    from agents.training.callbacks import (
        Checkpoints,
        Evaluation,
        Figures,
        FiniteCheck,
        ProgressBar,
        ValueWarmUp,
    )
    from agents.training.config import Config, read_config
    from agents.training.errors import ConfigError, TrainingError
    from agents.training.evaluation import evaluate_and_draw, quick_figures
    from agents.training.metrics import hours_of, keep_until, open_logger
    from agents.training.model import model_of_run, new_model, prepare_torch
    from agents.training.progress import RunBar
    from agents.training.run_folder import RunFolder, free_folder, moved_into_place
    from qv_env.cli.output import print_tables
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] in ("agents", "qv_env"):
        raise
    sys.stderr.write(
        f'Training needs {missing.name}, which is not installed: pip install "qv-env[train]"\n'
    )
    raise SystemExit(2) from None

RUNS = Path("runs")


class WrongInput(click.ClickException):
    """A mistake in what was asked for: one line, and exit code 2."""

    exit_code = 2


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="The config, YAML.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE...",
    help="Change keys of the config; values are YAML, dots lead inwards: env.mask=legal.",
)  # fmt: skip
@click.argument("more_settings", nargs=-1, metavar="")
@click.option("--run", "folder", type=click.Path(path_type=Path), help="The run's folder.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with this run.")
def main(
    config_file: Path | None,
    settings: tuple[str, ...],
    more_settings: tuple[str, ...],
    folder: Path | None,
    resume: Path | None,
) -> None:
    """Train an agent by a config, or go on with a run that was stopped."""
    console = Console(highlight=False, soft_wrap=True)
    run: RunFolder | None = None
    try:
        if resume is not None:
            if config_file or settings or more_settings or folder:
                raise ConfigError("--resume takes everything from the run; give nothing else")
            run = RunFolder(resume)
            go_on(run, console)
        elif config_file is not None:
            mapping = read_config(config_file, (*settings, *more_settings))
            run = RunFolder(folder or free_folder(RUNS, config_file.stem))
            if command.is_expert(mapping):
                command.begin(run, mapping, console)
            else:
                begin(run, resolve(mapping), console)
        else:
            raise ConfigError("give --config FILE to train, or --resume RUN to go on with a run")
    except ConfigError as error:
        raise WrongInput(str(error)) from None
    except TrainingError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = error.filename or (run.path if run else "")
        raise click.ClickException(
            f"cannot write {where}: {error.strerror or error}; what the run has saved is whole: "
            f"when there is room, go on with: python train.py --resume {run.path if run else ''}"
        ) from None


def begin(run: RunFolder, config: Config, console: Console) -> None:
    """Train a new run from start to end.

    The model is made before the folder, so that a config that does not work leaves nothing behind.

    Raises:
        ConfigError: The config does not work, or the folder cannot be used.
        TrainingError: See `train`.
    """
    prepare_torch(config)
    model = new_model(config)
    run.create(config)
    with run.locked():
        train(run, config, model, console)


def go_on(run: RunFolder, console: Console) -> None:
    """Go on with a run from its last checkpoint to its end.

    Raises:
        ConfigError: The folder holds no run, or one that cannot go on.
        TrainingError: See `train`.
    """
    if not run.config.is_file():
        raise ConfigError(f"{run.path} is no run: it holds no {run.config.name}")
    mapping = read_config(run.config)
    if command.is_expert(mapping):
        command.go_on(run, mapping, console)
        return
    config = resolve(mapping)
    if run.finished:
        console.print(f"{run.path} is finished; nothing is left to train.")
        return
    prepare_torch(config)
    with run.locked():
        train(run, config, model_of_run(run, config, console.print), console)


def train(run: RunFolder, config: Config, model: Any, console: Console) -> None:
    """Train a model for what is left of the run, and write the results.

    Raises:
        TrainingError: A loss or a weight is no finite number any more.
    """
    try:
        if config.imitation is not None and model.num_timesteps == 0:
            imitate(run, config, config.imitation, model, console)
        if model.num_timesteps < config.n_timesteps:
            learn(run, config, model, console)
        else:
            console.print(f"{run.path} is trained; what is left is the evaluation")
            keep_until(run.metrics, model.num_timesteps)
        with moved_into_place(run.model) as path:
            model.save(path)
        evaluate_and_draw(run, model, config, console.print, print_tables)
    except KeyboardInterrupt:
        console.print(f"Stopped. Go on with: python train.py --resume {run.path}")
        raise SystemExit(130) from None


def learn(run: RunFolder, config: Config, model: Any, console: Console) -> None:
    """Let a model learn for the plies that are left.

    Raises:
        TrainingError: A loss or a weight is no finite number any more.
    """
    done = model.num_timesteps
    console.print(f"{config.algo} in {run.path}, plies to train: {config.n_timesteps - done:,}")
    with (
        closing(open_logger(run, done, hours_of(run.imitation.metrics))) as logger,
        RunBar("training", config.n_timesteps, console) as bar,
    ):
        model.set_logger(logger)
        callbacks = [
            FiniteCheck(),
            Figures(),
            Evaluation(config.eval_freq, lambda m: quick_figures(m, config), console.print),
            Checkpoints(config.save_freq, run, replay_buffer=config.save_replay_buffer),
            ProgressBar(bar),
        ]
        if config.imitation is not None:
            callbacks.append(ValueWarmUp(config.imitation.value_warmup))
        interval = {} if config.log_interval is None else {"log_interval": config.log_interval}
        model.learn(config.n_timesteps - done, callbacks, reset_num_timesteps=False, **interval)


if __name__ == "__main__":
    main()
