"""Boards as Markdown tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

from agents.boards.collection import Board, Entry, Ranking
from agents.boards.seeds import BASELINE, Recipe
from agents.figures import CARD_MILESTONES, FOUNDATION_MILESTONES, pair
from agents.report import p_text
from agents.results.result import Figure, Result
from agents.statistics import Estimate

_PERCENT: Final = 100
_SIGNIFICANT: Final = 3
_COMMIT_DIGITS: Final = 7

_TITLES: Final = {"hidden": "Hidden stock", "thoughtful": "Thoughtful (open stock)"}

Column = tuple[str, Callable[[Result], str]]
"""A heading, and what stands under it for a result."""


def title(board: Board) -> str:
    """Return what headings call a board."""
    return _TITLES[board.name]


def short_table(ranking: Ranking) -> str:
    """Return a ranking with the figures that matter most."""
    columns: list[Column] = [
        ("won (%)", lambda result: share(result.win_rate)),
        ("score (% of a win)", lambda result: share(result.score_share)),
        ("foundation cards", lambda result: number(result.foundation_cards, 1)),
        ("time a game (s)", lambda result: seconds(result.cpu_seconds.value)),
    ]
    return _ranking_table(ranking, columns)


def figures_table(ranking: Ranking) -> str:
    """Return a ranking with all figures, and the budgets that any of its agents has."""
    columns: list[Column] = [
        ("won (%)", lambda result: share(result.win_rate)),
        ("score", lambda result: number(result.score, 0)),
        ("score (% of a win)", lambda result: share(result.score_share)),
        ("foundation cards", lambda result: number(result.foundation_cards, 1)),
        ("plies", lambda result: f"{result.plies.value:.0f}"),
        ("cut off (%)", lambda result: f"{_PERCENT * result.truncated.value:.1f}"),
        ("time a game (s)", lambda result: seconds(result.cpu_seconds.value)),
    ]
    budgets: list[Column] = [
        ("nodes a ply", lambda result: amount(result.budget.nodes_a_ply)),
        ("playouts a ply", lambda result: amount(result.budget.playouts_a_ply)),
        ("plies of training", lambda result: amount(result.budget.training_steps)),
        ("hours of training", lambda result: amount(result.budget.training_hours)),
    ]
    for name, cell in budgets:
        if any(cell(entry.result) for entry in ranking.entries):
            columns.append((name, cell))
    return _ranking_table(ranking, columns)


def milestones_table(ranking: Ranking) -> str:
    """Return the shares of deals that end with so many foundations complete, and cards."""
    heading = [
        "agent",
        *(f"≥ {n} {'foundation' if n == 1 else 'foundations'}" for n in FOUNDATION_MILESTONES),
        *(f"≥ {n} cards" for n in CARD_MILESTONES),
    ]
    rows = []
    for entry in ranking.entries:
        reached = entry.result.milestones
        rates = [reached.foundations[str(n)] for n in FOUNDATION_MILESTONES]
        rates += [reached.foundation_cards[str(n)] for n in CARD_MILESTONES]
        cells = [f"{_PERCENT * rate.value:.1f}" for rate in rates]
        rows.append([_name(entry), *cells])
    return _table(heading, rows)


def neighbours_table(ranking: Ranking) -> str:
    """Return how each agent differs from the next one below it, on the same deals."""
    heading = ["agent", "less", "won (points)", "won by one only", "p", "score"]
    rows = []
    for better, worse in itertools.pairwise(ranking.entries):
        pairing = pair(better.result.rows, worse.result.rows, ("win_rate", "score"))
        rows.append(
            [
                _name(better),
                _name(worse),
                _estimate(pairing.differences["win_rate"], _PERCENT, 1, sign="+"),
                f"{pairing.only_ours} : {pairing.only_theirs}",
                p_text(pairing.p_value),
                _estimate(pairing.differences["score"], 1, 0, sign="+"),
            ]
        )
    return _table(heading, rows)


def seeds_table(found: Sequence[Recipe]) -> str:
    """Return means and intervals over training seeds, and each seed's gain on the baseline."""
    heading = [
        "recipe", "seeds", "won (%)", "score", "hours of training",
        f"score less `{BASELINE}`, each seed",
    ]  # fmt: skip
    rows = [
        [
            f"`{recipe.name}`",
            ", ".join(map(str, recipe.seeds)),
            _estimate(recipe.win_rate, _PERCENT, 1),
            _estimate(recipe.score, 1, 0),
            amount(recipe.hours),
            "; ".join(_estimate(gain, 1, 0, sign="+") for gain in recipe.less_baseline),
        ]
        for recipe in found
    ]
    return _table(heading, rows)


def sources_table(ranking: Ranking, folder: str) -> str:
    """Return where each result comes from.

    Args:
        ranking: The results.
        folder: The way to the folder of results, as links shall have it.
    """
    heading = ["file", "command", "commit", "date", "processor"]
    rows = [
        [
            f"[{entry.file}]({folder}/{entry.file})",
            f"`{entry.result.command}`",
            _commit(entry),
            entry.result.date,
            f"{entry.result.hardware['processor']}, {entry.result.hardware['cores']} cores",
        ]
        for entry in ranking.entries
    ]
    return _table(heading, rows)


def share(figure: Figure) -> str:
    """Return a rate or share in percent, with its interval."""
    return _estimate(Estimate(figure.value, figure.low, figure.high), _PERCENT, 1)


def number(figure: Figure, decimals: int) -> str:
    """Return a mean with its interval."""
    return _estimate(Estimate(figure.value, figure.low, figure.high), 1, decimals)


def seconds(value: float) -> str:
    """Return a time to two significant digits.

    >>> seconds(0.000517), seconds(12.34)
    ('0.00052', '12')
    """
    return f"{float(f'{value:.1e}'):.{_decimals(value)}f}"


def amount(value: float | None) -> str:
    """Return a count or a mean to three significant digits, or nothing.

    >>> amount(1234567), amount(2.5), amount(None)
    ('1,230,000', '2.5', '')
    """
    if value is None:
        return ""
    rounded = float(f"{value:.{_SIGNIFICANT}g}")
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,}"


def _decimals(value: float) -> int:
    exponent = int(f"{value:e}".partition("e")[2])
    return max(0, 1 - exponent)


def _estimate(estimate: Estimate, factor: float, decimals: int, *, sign: str = "") -> str:
    form = f"{sign}.{decimals}f"
    value = format(factor * estimate.value, form)
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({factor * estimate.low:{form}} … {factor * estimate.high:{form}})"


def _commit(entry: Entry) -> str:
    commit = entry.result.commit
    if commit is None:
        return "–"
    plain, _, dirty = commit.partition("-")
    return f"{plain[:_COMMIT_DIGITS]}{'-' if dirty else ''}{dirty}"


def _name(entry: Entry) -> str:
    return f"`{entry.label}`"


def _ranking_table(ranking: Ranking, columns: Sequence[Column]) -> str:
    rows = [[_name(e), *(cell(e.result) for _, cell in columns)] for e in ranking.entries]
    return _table(["agent", *(heading for heading, _ in columns)], rows)


def _table(heading: Sequence[str], rows: Sequence[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
