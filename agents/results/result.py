"""A results file: one agent on one list of deals, with all that reproduces it.

One JSON object, one key a line and one game a line:

============= ====================================================================================
key           value
============= ====================================================================================
format        ``qv-env result``
version       1
board         ``hidden``, or ``thoughtful`` for an agent that sees the order of the stock
agent         the agent as it is named on the command line, options included
name          what the agent calls itself
options       every option with its value, defaults included
env           the environment keywords that the agent asked for
deals         the list of deals, such as ``test:1000``
count         how many deals that are
seed          the seed of the agent's choices
command       the command that makes the file again
commit        the commit of the source tree, ``-dirty`` where the code that plays differs from it
sources       a digest of the code that plays
versions      Python's and the packages' versions, by name
hardware      system, machine, processor and cores
date          when the evaluation ended, UTC
processes     how many processes shared the games
confidence    0.95, that of all intervals
budget        what the agent used: ``nodes_a_ply`` and ``playouts_a_ply``, means where it counts
              them, and ``training_steps`` and ``training_hours`` where it was trained; else null
win_rate ...  the figures of `agents.figures.figures`, each ``{"value", "low", "high"}``
milestones    `agents.figures.milestones`: rates of games that end with at least so many
              ``foundations`` complete, or so many ``foundation_cards``
columns       the names of the columns of ``games``
games         one list a deal, in the order of the list
counts        what the agent counted for each game, by name; as many numbers as there are games
wins          for every deal won, its code and the actions as text (`agents.results.rows`)
============= ====================================================================================

Times, date and hardware are measured. All else is the same whenever the command is run, as long as
the agent's budget is not a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from agents.evaluate import Game
from agents.figures import figures, milestones
from agents.results.rows import FIELDS, decode_actions, encode_actions
from agents.statistics import CONFIDENCE, Estimate

FORMAT: Final = "qv-env result"
VERSION: Final = 1
BOARDS: Final = ("hidden", "thoughtful")

Board = Literal["hidden", "thoughtful"]
Count = Annotated[int, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Figure(_Model):
    """An estimate and its interval."""

    value: float
    low: float | None
    high: float | None


class Budget(_Model):
    """What an agent used, as far as it says so."""

    nodes_a_ply: float | None = None
    playouts_a_ply: float | None = None
    training_steps: Count | None = None
    training_hours: float | None = None


class Milestones(_Model):
    """Rates of games that end with at least so many foundations complete, or cards on them."""

    foundations: dict[str, Figure]
    foundation_cards: dict[str, Figure]


class Result(_Model):
    """The contents of a results file."""

    format: Literal["qv-env result"] = FORMAT
    version: Literal[1] = VERSION
    board: Board
    agent: str
    name: str
    options: dict[str, Any]
    env: dict[str, Any]
    deals: str
    count: Annotated[int, Field(ge=1)]
    seed: Count
    command: str
    commit: str | None
    sources: str
    versions: dict[str, str]
    hardware: dict[str, Any]
    date: str
    processes: Annotated[int, Field(ge=1)]
    confidence: float = CONFIDENCE
    budget: Budget
    win_rate: Figure
    truncated: Figure
    score: Figure
    score_share: Figure
    foundation_cards: Figure
    plies: Figure
    seconds: Figure
    cpu_seconds: Figure
    milestones: Milestones
    columns: list[str]
    games: list[list[Any]]
    counts: dict[str, list[int]]
    wins: dict[str, str]

    @model_validator(mode="after")
    def _check_rows(self) -> Self:
        if self.columns != list(FIELDS):
            raise ValueError(f"columns must be {', '.join(FIELDS)}")
        if len(self.games) != self.count:
            raise ValueError(f"count is {self.count} and there are {len(self.games)} games")
        if any(len(row) != len(FIELDS) for row in self.games):
            raise ValueError(f"every game must have {len(FIELDS)} entries")
        if any(len(column) != self.count for column in self.counts.values()):
            raise ValueError("counts must have an entry a game")
        won = {game.deal for game in self.rows if game.won}
        if won != set(self.wins):
            raise ValueError("wins must name the deals that were won, and no others")
        return self

    @cached_property
    def rows(self) -> list[Game]:
        """The games, in the order of the deals; the actions of lost ones are empty."""
        rows = []
        for k, row in enumerate(self.games):
            fields = dict(zip(self.columns, row, strict=True))
            counts = {name: column[k] for name, column in self.counts.items()}
            actions = decode_actions(self.wins.get(fields["deal"], ""))
            rows.append(Game(**fields, counts=counts, actions=actions))
        return rows


def measured(games: Sequence[Game], training: Mapping[str, Any]) -> dict[str, Any]:
    """Return all entries of a result that come from its games.

    Args:
        games: In the order of the deals.
        training: What the agent says of its training; see `agents.agent.Agent`.
    """
    estimates = {name: estimate._asdict() for name, estimate in figures(games).items()}
    names = sorted({name for game in games for name in game.counts})
    return {
        "budget": _budget(games, training),
        **estimates,
        "milestones": {
            kind: {count: rate._asdict() for count, rate in rates.items()}
            for kind, rates in milestones(games).items()
        },
        "columns": list(FIELDS),
        "games": [[getattr(game, name) for name in FIELDS] for game in games],
        "counts": {name: [game.counts.get(name, 0) for game in games] for name in names},
        "wins": {game.deal: encode_actions(game.actions) for game in games if game.won},
    }


def _budget(games: Sequence[Game], training: Mapping[str, Any]) -> dict[str, Any]:
    plies = sum(game.plies for game in games)
    budget: dict[str, Any] = {}
    for name in ("nodes", "playouts"):
        counted = all(name in game.counts for game in games)
        total = sum(game.counts.get(name, 0) for game in games)
        budget[f"{name}_a_ply"] = total / plies if counted else None
    budget["training_steps"] = training.get("steps")
    budget["training_hours"] = training.get("hours")
    return budget


def result_text(result: Result) -> str:
    """Return a result as JSON with one key a line, one game a line and one win a line."""
    lines = []
    for name, value in result.model_dump(mode="json").items():
        if name in ("games", "wins") and value:
            lines.append(f"{json.dumps(name)}: {_opened(value)}")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _opened(value: list[Any] | dict[str, str]) -> str:
    """Return a list or an object as JSON, one entry a line."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(entry) for entry in value) + "\n]"
    entries = (f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def read_result(path: Path) -> Result:
    """Return the result that a file holds.

    Raises:
        ValueError: The file holds no right result; the message is one line that names it.
        OSError: The file cannot be read.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # no text, no JSON, or such as no program writes
        raise ValueError(f"{path} is not whole JSON; expected a results file") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{path} is not a results file of qv evaluate --results")
    try:
        return Result.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{path}: {where + ': ' if where else ''}{reason}") from None


def estimate(figure: Figure) -> Estimate:
    """Return a figure of a file as the estimate that it was."""
    return Estimate(figure.value, figure.low, figure.high)
