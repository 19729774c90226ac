"""A comparison of agents as a table for people and as JSON for programs.

The JSON object:

=========== =====================================================================================
key         value
=========== =====================================================================================
command     the command that makes the same file again
commit      the commit of the source tree, with ``-dirty`` after it where files differ from it;
            null where the package was installed otherwise
versions    Python's and the packages' versions, by name
seed        the seed of the agents' choices
deals       what the deals were asked for by, as list of texts
confidence  0.95, that of all intervals
agents      one object an agent, in the order of the table:
            ``name``; ``env``, the environment keywords it asked for;
            ``win_rate``, ``truncated`` (rates in [0, 1], Wilson intervals), ``score``,
            ``foundation_cards``, ``plies``, ``seconds`` (means a game, bootstrap intervals), each
            ``{"value", "low", "high"}`` with null for an interval that the data do not give;
            ``paired``, null for the first agent, for others ``against``, its name, and the mean
            differences, this agent less the first; ``games``, one object a deal with the fields
            of `agents.evaluate.Game`, but for the actions
=========== =====================================================================================

``seconds`` is measured and so never the same twice; all else is.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.markup import escape
from rich.table import Table

from agents.comparison import AgentResult
from agents.evaluate import Game
from agents.statistics import CONFIDENCE, Estimate

_PACKAGES: Final = {
    "qv_env": "qv-env",
    "gymnasium": "gymnasium",
    "numpy": "numpy",
    "numba": "numba",
    "scipy": "scipy",
    "torch": "torch",
    "stable_baselines3": "stable-baselines3",
    "sb3_contrib": "sb3-contrib",
}
_MILLISECONDS: Final = 1000
_PERCENT: Final = 100

# Figure, heading, factor, decimals.
_COLUMNS: Final = (
    ("win_rate", "won (%)", _PERCENT, 1),
    ("score", "score", 1, 1),
    ("foundation_cards", "foundation\ncards", 1, 1),
    ("plies", "plies", 1, 0),
    ("truncated", "cut off\n(%)", _PERCENT, 0),
    ("seconds", "time\n(ms)", _MILLISECONDS, 2),
)


def comparison_json(
    results: Sequence[AgentResult], *, command: str, seed: int, deals: Sequence[str]
) -> dict[str, Any]:
    """Return a comparison as an object for `json.dumps`; see the table above.

    Args:
        results: The agents, the one that the others are compared with first.
        command: The command that makes it again.
        seed: The seed of the agents' choices.
        deals: What the deals were asked for by.
    """
    return {
        "command": command,
        "commit": source_commit(),
        "versions": _versions(),
        "seed": seed,
        "deals": list(deals),
        "confidence": CONFIDENCE,
        "agents": [_agent_json(result, results[0]) for result in results],
    }


def comparison_tables(results: Sequence[AgentResult], *, title: str) -> list[Table]:
    """Return the table of figures and, for two agents or more, that of paired differences."""
    tables = [_table(title, [(result.name, result.figures) for result in results])]
    baseline, *others = results
    if others:
        rows = [(result.name, result.differences(baseline)) for result in others]
        tables.append(_table(f"Difference from {baseline.name}, paired by deal", rows, sign="+"))
    return tables


def source_commit() -> str | None:
    """Return the commit of the source tree this file belongs to, or None where there is none."""
    root = Path(__file__).resolve().parent.parent
    top = _git(root, "rev-parse", "--show-toplevel")
    # Installed into some other project's environment, the package is not part of that project.
    if top is None or Path(top).resolve() != root:
        return None
    commit = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{commit}-dirty" if commit and changes else commit


def _agent_json(result: AgentResult, baseline: AgentResult) -> dict[str, Any]:
    differences = _estimates_json(result.differences(baseline))
    return {
        "name": result.name,
        "env": dict(result.env_kwargs),
        **_estimates_json(result.figures),
        "paired": None if result is baseline else {"against": baseline.name, **differences},
        "games": [_game_json(game) for game in result.games],
    }


def _game_json(game: Game) -> dict[str, Any]:
    fields = game._asdict()
    del fields["actions"]  # episode files hold them
    return fields


def _estimates_json(estimates: dict[str, Estimate]) -> dict[str, Any]:
    return {name: estimate._asdict() for name, estimate in estimates.items()}


def _table(title: str, rows: Sequence[tuple[str, dict[str, Estimate]]], *, sign: str = "") -> Table:
    columns = [column for column in _COLUMNS if column[0] in rows[0][1]]
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("agent", overflow="fold")
    for _, heading, *_ in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, figures in rows:
        cells = [
            _cell(figures[figure], factor, decimals, sign)
            for figure, _, factor, decimals in columns
        ]
        table.add_row(escape(name), *cells)
    return table


def _cell(estimate: Estimate, factor: float, decimals: int, sign: str) -> str:
    """Return an estimate as two lines, its interval under it; signed where ``sign`` is a plus."""
    form = f"{sign}.{decimals}f"
    line = format(factor * estimate.value, form)
    if estimate.low is None or estimate.high is None:
        return f"{line}\n–"
    low, high = format(factor * estimate.low, form), format(factor * estimate.high, form)
    return f"{line}\n[dim]{low}…{high}[/dim]"


def _versions() -> dict[str, str]:
    """Return the versions of Python and of those packages that are loaded."""
    loaded = {name for module, name in _PACKAGES.items() if module in sys.modules}
    versions = {"python": platform.python_version()}
    for name in sorted(loaded):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # run from a source tree without installation
            continue
    return versions


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "-C", str(folder), *arguments]
    # The arguments are all written in this file.
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return answer.stdout.strip() if answer.returncode == 0 else None
