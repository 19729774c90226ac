"""Train an agent: one config in, one run folder out.

    python train.py --config configs/quick.yaml
    python train.py --config configs/quick.yaml --set n_timesteps=200000 env.mask=legal
    python train.py --resume runs/quick

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
    import torch
    from rich.console import Console

    from agents.training.algorithms import algorithm_class, algorithm_kwargs, policy_class, resolve
    from agents.training.callbacks import Checkpoints, Evaluation, FiniteCheck, ProgressBar
    from agents.training.checkpoint import latest_checkpoint, load_checkpoint
    from agents.training.config import Config, read_config
    from agents.training.environments import make_training_env
    from agents.training.errors import ConfigError, TrainingError
    from agents.training.evaluation import evaluate_and_draw, quick_figures
    from agents.training.metrics import open_logger
    from agents.training.run_folder import RunFolder, free_folder, moved_into_place
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
    try:
        if resume is not None:
            if config_file or settings or more_settings or folder:
                raise ConfigError("--resume takes everything from the run; give nothing else")
            run, config = reopened(resume)
        elif config_file is not None:
            config = resolve(read_config(config_file, (*settings, *more_settings)))
            run = RunFolder(folder or free_folder(RUNS, config_file.stem))
            run.create(config)
        else:
            raise ConfigError("give --config FILE to train, or --resume RUN to go on with a run")
    except ConfigError as error:
        raise WrongInput(str(error)) from None
    if run.finished:
        console.print(f"{run.path} is finished; nothing is left to train.")
        return
    try:
        train(run, config, console)
    except TrainingError as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        console.print(f"Stopped. Go on with: python train.py --resume {run.path}")
        raise SystemExit(130) from None


def reopened(path: Path) -> tuple[RunFolder, Config]:
    """Return a run that exists, and its config.

    Raises:
        ConfigError: The folder holds no run, or its config is not right any more.
    """
    run = RunFolder(path)
    if not run.config.is_file():
        raise ConfigError(f"{path} is no run: it holds no {run.config.name}")
    return run, resolve(read_config(run.config))


def train(run: RunFolder, config: Config, console: Console) -> None:
    """Train to the end, from the start or from the last checkpoint, and write the results.

    Raises:
        TrainingError: A loss or a weight is no finite number any more.
    """
    torch.set_num_threads(config.torch_threads)
    # `FiniteCheck` finds what this would find, without the cost of a check in every call.
    torch.distributions.Distribution.set_default_validate_args(False)
    model = make_model(run, config)
    done = model.num_timesteps
    console.print(f"{config.algo} in {run.path}: {config.n_timesteps - done:,} plies to train")
    with (
        closing(open_logger(run, done)) as logger,
        ProgressBar(config.n_timesteps, console) as bar,
    ):
        model.set_logger(logger)
        callbacks = [
            FiniteCheck(),
            Evaluation(config.eval_freq, lambda m: quick_figures(m, config), console.print),
            Checkpoints(config.save_freq, run, replay_buffer=config.save_replay_buffer),
            bar,
        ]
        interval = {} if config.log_interval is None else {"log_interval": config.log_interval}
        model.learn(
            max(config.n_timesteps - done, 0), callbacks, reset_num_timesteps=False, **interval
        )
    with moved_into_place(run.model) as path:
        model.save(path)
    evaluate_and_draw(run, model, config, console)


def make_model(run: RunFolder, config: Config) -> Any:
    """Return the model of the run's last checkpoint, or a new one."""
    env = make_training_env(config)
    checkpoint = latest_checkpoint(run.checkpoints)
    if checkpoint is not None:
        return load_checkpoint(checkpoint, algorithm_class(config.algo), env)
    return algorithm_class(config.algo)(
        policy_class(config), env, seed=config.seed, **algorithm_kwargs(config)
    )


if __name__ == "__main__":
    main()
