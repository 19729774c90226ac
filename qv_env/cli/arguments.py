"""What a user names on the command line: deals, agents, paths."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from qv_env.cli.errors import FailureError

if TYPE_CHECKING:
    from agents.loading import Loaded
    from qv_env.deals import Deal
    from qv_env.episodes import Episode
    from qv_env.replay import Replay


def parse_deals(specs: Sequence[str]) -> list[Deal]:
    """Return the deals that some words name together; see `agents.deal_lists.parse_deals`."""
    from agents.deal_lists import parse_deals

    return parse_deals(specs)


def parse_deal(text: str) -> Deal:
    """Return the deal that a word names; see `qv_env.deals.parse_deal`."""
    from qv_env import deals

    return deals.parse_deal(text)


sample_option = click.option(
    "--sample/--best",
    default=None,
    help="Whether trained models draw their actions by their probabilities, or play the best. "
    "Default: as the config of their run says, or else the best.",
)


def deterministic(*, sample: bool | None) -> bool | None:
    """Return what `agents.loading.load` calls the choice between --best and --sample."""
    return None if sample is None else not sample


def load_agent(spec: str, *, sample: bool | None) -> Loaded:
    """Return the agent that a word names, computing on one thread.

    Args:
        spec: See `agents.loading.load`.
        sample: Whether a trained model draws its actions by their probabilities; None leaves it
            to the config of its run.

    Raises:
        ValueError: The word names no agent; the message says why.
    """
    from agents.loading import load

    loaded = load(spec, deterministic=deterministic(sample=sample))
    if "torch" in sys.modules:  # loaded with the agent
        import torch

        torch.set_num_threads(1)
    return loaded


def read_verified(path: Path) -> tuple[Episode, Replay]:
    """Return the episode of a file and its replay.

    Raises:
        ValueError: The file holds no right episode; the message is one line.
        FailureError: The game breaks the rules or is not as the file says.
        OSError: The file cannot be read.
    """
    from qv_env.episodes import read_episode, verify

    episode = read_episode(path)
    try:
        return episode, verify(episode)
    except ValueError as error:
        raise FailureError(f"{path}: {error}") from None


def portable(text: str) -> str:
    """Return an absolute path relative to the current folder, or its name; other texts as is."""
    path = Path(text)
    if not path.is_absolute():
        return text
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else path.name
