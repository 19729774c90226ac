"""One evaluation from its order to its result, which can be stopped and continued on the way."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.agent import Agent
from agents.evaluate import DEFAULT_BATCH, Game
from agents.loading import Loaded
from agents.results.journal import ENDING, Journal
from agents.results.provenance import Source, hardware, versions
from agents.results.result import Board, Result, measured, result_text
from agents.workers import Recipe, play_over_processes, sample_words
from qv_env.deals import Deal
from qv_env.files import write_whole
from qv_env.settings import Settings

_DIGEST_BYTES: Final = 8

Progress = Callable[[Sequence[Game]], None]


class Order(NamedTuple):
    """What is to be evaluated.

    Attributes:
        recipe: How to make the agent.
        loaded: The agent as made in this process, with its options.
        agent_text: What names it on the command line, without folders of this machine.
        deals: The list of deals.
        deals_text: What the list is called, such as ``test:1000``.
        source: The code that plays, as it is when the order is given.
        seed: Fixes all chance in the agent's choices.
    """

    recipe: Recipe
    loaded: Loaded
    agent_text: str
    deals: Sequence[Deal]
    deals_text: str
    source: Source
    seed: int = 0

    @property
    def slug(self) -> str:
        """What files of this evaluation are called, without an ending."""
        parts = [self.agent_text, self.deals_text]
        if self.recipe.deterministic is not None:
            parts.insert(1, "best" if self.recipe.deterministic else "sample")
        if self.seed:
            parts.append(f"seed-{self.seed}")
        return re.sub(r"[^A-Za-z0-9_.]+", "-", "-".join(parts)).strip("-.")

    @property
    def command(self) -> str:
        """The command that makes the result again."""
        words = ["qv", "evaluate", "--agent", self.agent_text, "--deals", self.deals_text]
        words += ["--seed", str(self.seed), "--results", "results"]
        return shlex.join([*words, *sample_words(self.recipe.deterministic)])


def board_of(agent: Agent) -> Board:
    """Return the board that an agent belongs on: thoughtful if it sees the stock's order."""
    stock = agent.env_kwargs.get("stock", Settings.stock)
    return "thoughtful" if stock == "open" else "hidden"


def play(
    order: Order,
    *,
    journal: Path | None = None,
    batch: int = DEFAULT_BATCH,
    processes: int = 1,
    progress: Progress | None = None,
) -> list[Game]:
    """Return the games of an evaluation, in the order of the deals.

    Args:
        order: What to play.
        journal: Where games are written down as they end, and read from if they are there.
        batch: Most games that a process plays side by side.
        processes: How many processes share the deals.
        progress: Called with games that have ended, first with all those of the journal.

    Raises:
        ValueError, OSError: The journal cannot be used; see `Journal`.
        AgentError, WorkerError: See `agents.workers.play_over_processes`.
    """
    if journal is None:
        return _play(order, {}, None, batch=batch, processes=processes, progress=progress)
    with Journal(journal, _header(order)) as book:
        return _play(order, book.games, book, batch=batch, processes=processes, progress=progress)


def make_result(order: Order, games: Sequence[Game], *, processes: int) -> Result:
    """Return the result of an evaluation that has been played."""
    agent = order.loaded.agent
    return Result.model_validate(
        {
            "board": board_of(agent),
            "agent": order.agent_text,
            "name": agent.name,
            "options": _plain(order.loaded.options),
            "env": dict(agent.env_kwargs),
            "deals": order.deals_text,
            "count": len(order.deals),
            "seed": order.seed,
            "command": order.command,
            "commit": order.source.commit,
            "sources": order.source.digest,
            "versions": versions(),
            "hardware": hardware(),
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
            "processes": processes,
            **measured(games, getattr(agent, "training", {})),
        }
    )


def journal_path(folder: Path, order: Order) -> Path:
    """Return where the journal of an evaluation lies."""
    return folder / f"{order.slug}{ENDING}"


def save_result(folder: Path, order: Order, result: Result) -> Path:
    """Write a results file, remove the journal that led to it, and return the file's path."""
    path = folder / f"{order.slug}.json"
    write_whole(path, result_text(result))
    journal_path(folder, order).unlink(missing_ok=True)
    return path


def _play(
    order: Order,
    played: dict[str, Game],
    book: Journal | None,
    *,
    batch: int,
    processes: int,
    progress: Progress | None,
) -> list[Game]:
    games = dict(played)
    report = progress or (lambda _: None)
    if games:
        report(list(games.values()))
    left = [deal for deal in order.deals if deal.code not in games]
    least = getattr(order.loaded.agent, "rows_at_once", 1)
    for ended in play_over_processes(
        order.recipe, left, seed=order.seed, batch=batch, processes=processes, least=least
    ):
        if book is not None:
            book.add(ended)
        games |= {game.deal: game for game in ended}
        report(ended)
    return [games[deal.code] for deal in order.deals]


def _header(order: Order) -> dict[str, Any]:
    codes = "\n".join(deal.code for deal in order.deals)
    return {
        "agent": order.agent_text,
        "options": _plain(order.loaded.options),
        "deals": order.deals_text,
        "deals_digest": hashlib.blake2b(codes.encode(), digest_size=_DIGEST_BYTES).hexdigest(),
        "seed": order.seed,
        "sources": order.source.digest,
    }


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as JSON can hold them; what it cannot hold becomes text."""
    kinds = (str, int, float, bool, type(None))
    return {key: v if isinstance(v, kinds) else str(v) for key, v in options.items()}
