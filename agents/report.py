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
            ``score_share`` (of what a win is worth), ``foundation_cards``, ``plies``, ``seconds``,
            ``cpu_seconds`` (means a game, bootstrap intervals), each ``{"value", "low", "high"}``
            with null for an interval that the data do not give; ``paired``, null for the first
            agent, for others ``against``, its name, the mean differences, this agent less the
            first, and ``wins`` with the deals that ``only_ours`` and ``only_theirs`` won and the
            ``p_value`` of McNemar's exact test; ``games``, one object a deal with the fields of
            `agents.evaluate.Game`, but for the actions
=========== =====================================================================================

Times are measured and so never the same twice; all else is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.markup import escape
from rich.table import Table

from agents.comparison import AgentResult
from agents.evaluate import Game
from agents.figures import Pairing
from agents.results.provenance import source_commit, versions
from agents.statistics import CONFIDENCE, Estimate

_MILLISECONDS: Final = 1000
_PERCENT: Final = 100
_SMALLEST_P: Final = 0.0001

# Figure, heading, factor, decimals.
_COLUMNS: Final = (
    ("win_rate", "won (%)", _PERCENT, 1),
    ("score", "score", 1, 1),
    ("foundation_cards", "foundation\ncards", 1, 1),
    ("plies", "plies", 1, 0),
    ("truncated", "cut off\n(%)", _PERCENT, 0),
    ("cpu_seconds", "time\n(ms)", _MILLISECONDS, 2),
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
        "versions": versions(),
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
        pairings = [(result.name, result.against(baseline)) for result in others]
        tables.append(pairing_table(pairings, baseline.name))
    return tables


def pairing_table(pairings: Sequence[tuple[str, Pairing]], baseline: str) -> Table:
    """Return the table of how agents differ from another one.

    Args:
        pairings: The agents' names, and how each compares with the other one.
        baseline: The other one's name.
    """
    return _table(
        f"Difference from {baseline}, paired by deal; p by McNemar's exact test",
        [(name, pairing.differences) for name, pairing in pairings],
        sign="+",
        more={
            "only one\nwon": [f"{p.only_ours} : {p.only_theirs}" for _, p in pairings],
            "p": [p_text(p.p_value) for _, p in pairings],
        },
    )


def p_text(p_value: float) -> str:
    """Return a p-value to two significant digits, or that it is smaller than can matter.

    >>> p_text(0.0215), p_text(1e-9)
    ('0.021', '<0.0001')
    """
    return f"{p_value:.2g}" if p_value >= _SMALLEST_P else f"<{_SMALLEST_P:g}"


def pairing_json(pairing: Pairing) -> dict[str, Any]:
    """Return the differences of two agents as an object for `json.dumps`."""
    return {
        **_estimates_json(pairing.differences),
        "wins": {
            "only_ours": pairing.only_ours,
            "only_theirs": pairing.only_theirs,
            "p_value": pairing.p_value,
        },
    }


def _agent_json(result: AgentResult, baseline: AgentResult) -> dict[str, Any]:
    paired = None
    if result is not baseline:
        paired = {"against": baseline.name, **pairing_json(result.against(baseline))}
    return {
        "name": result.name,
        "env": dict(result.env_kwargs),
        **_estimates_json(result.figures),
        "paired": paired,
        "games": [_game_json(game) for game in result.games],
    }


def _game_json(game: Game) -> dict[str, Any]:
    fields = game._asdict()
    del fields["actions"]  # episode files hold them
    return fields


def _estimates_json(estimates: dict[str, Estimate]) -> dict[str, Any]:
    return {name: estimate._asdict() for name, estimate in estimates.items()}


def _table(
    title: str,
    rows: Sequence[tuple[str, dict[str, Estimate]]],
    *,
    sign: str = "",
    more: Mapping[str, Sequence[str]] | None = None,
) -> Table:
    """Return a table with a line an agent, its figures, and more columns by their headings."""
    columns = [column for column in _COLUMNS if column[0] in rows[0][1]]
    last = more or {}
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("agent", overflow="fold")
    for heading in (*(heading for _, heading, *_ in columns), *last):
        table.add_column(heading, justify="right", no_wrap=True)
    for k, (name, figures) in enumerate(rows):
        cells = [
            _cell(figures[figure], factor, decimals, sign)
            for figure, _, factor, decimals in columns
        ]
        table.add_row(escape(name), *cells, *(column[k] for column in last.values()))
    return table


def _cell(estimate: Estimate, factor: float, decimals: int, sign: str) -> str:
    """Return an estimate as two lines, its interval under it; signed where ``sign`` is a plus."""
    form = f"{sign}.{decimals}f"
    line = format(factor * estimate.value, form)
    if estimate.low is None or estimate.high is None:
        return f"{line}\n–"
    low, high = format(factor * estimate.low, form), format(factor * estimate.high, form)
    return f"{line}\n[dim]{low}…{high}[/dim]"
