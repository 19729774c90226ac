"""The parts of README and docs that boards are written to, between two marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from agents.boards import tables
from agents.boards.collection import PUBLISHED, Board, Ranking, read_boards
from agents.boards.curves import CURVES, PREFIX, read_curves
from agents.boards.seeds import recipes

README: Final = "README.md"
PAGE: Final = "docs/boards.md"
RESULTS: Final = "results"
PLOTS: Final = "docs/img/boards"

_BEGIN: Final = "<!-- boards: written by `make boards` from the files in results -->\n"
_END: Final = "<!-- /boards -->\n"
_RESULTS_FROM_PAGE: Final = "../results"
_PLOTS_FROM_PAGE: Final = "img/boards"
_PLOT_TEXTS: Final = {
    "wins": "Win rates with intervals",
    "scores": "Share of deals that reach a score",
    "time": "Win rate against time a game",
}


def pages(root: Path) -> dict[Path, str]:
    """Return README and the docs' page as the results files would have them, by path.

    Raises:
        ValueError: A results file is wrong, or a page has lost its marks; one line.
        OSError: A file cannot be read.
    """
    boards = read_boards(root / RESULTS)
    page = page_part(boards) + curves_part(root / RESULTS)
    parts = {README: readme_part(boards), PAGE: page}
    return {root / name: _replaced(root / name, part) for name, part in parts.items()}


def readme_part(boards: Sequence[Board]) -> str:
    """Return the boards in short: the published list, or else the first that there is."""
    parts = []
    for board in boards:
        ranking = board.rankings[0]
        parts.append(f"**{tables.title(board)}**, {deals_text(ranking)}:\n\n")
        parts.append(tables.short_table(ranking) + "\n")
    return "".join(parts)


def page_part(boards: Sequence[Board]) -> str:
    """Return the boards in full."""
    return "\n".join(part for board in boards for part in _board_parts(board))


def curves_part(results: Path) -> str:
    """Return the pictures of learning curves, or nothing where there are none."""
    found = read_curves(results)
    if not found:
        return ""
    lines = ["\n## Learning curves\n"]
    for recipe, tables_of_seeds in found.items():
        files = ", ".join(
            f"[seed {seed}]({_RESULTS_FROM_PAGE}/{CURVES}/{file.name})"
            for seed, file in sorted(tables_of_seeds.items())
        )
        lines.append(f"![Score and wins of {recipe}]({_PLOTS_FROM_PAGE}/{PREFIX}{recipe}.png)\n")
        lines.append(f"`{recipe}`, as tables: {files}\n")
    return "\n".join(lines)


def deals_text(ranking: Ranking) -> str:
    """Return what a list of deals is, in words."""
    split, _, count = ranking.deals.partition(":")
    published = ", the published list" if ranking.deals == PUBLISHED else ""
    return f"the first {int(count):,} {split} deals (`{ranking.deals}`{published})"


def _board_parts(board: Board) -> Iterator[str]:
    yield f"## {tables.title(board)}\n"
    for kind, text in _PLOT_TEXTS.items():
        yield f"![{text}]({_PLOTS_FROM_PAGE}/{board.name}-{kind}.svg)\n"
    for ranking in board.rankings:
        text = deals_text(ranking)
        yield f"### {tables.title(board)}: {text[0].upper()}{text[1:]}\n"
        yield tables.figures_table(ranking)
        yield "Deals (%) that end with at least so many foundations complete, and cards on them:\n"
        yield tables.milestones_table(ranking)
        if len(ranking.entries) > 1:
            yield "Each agent less the next one, deal by deal; p by McNemar's exact test:\n"
            yield tables.neighbours_table(ranking)
        found = recipes(ranking)
        if found:
            yield (
                "Learners over training seeds: means with Student's t intervals over seeds; "
                "differences from the baseline deal by deal, with intervals over deals:\n"
            )
            yield tables.seeds_table(found)
        yield "Where the figures come from:\n"
        yield tables.sources_table(ranking, _RESULTS_FROM_PAGE)


def _replaced(path: Path, part: str) -> str:
    """Return a page with another text between its marks."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError(
            f"{path.name} has no place for the boards, between {_BEGIN!r} and {_END!r}"
        )
    return f"{before}{begin}\n{part.strip()}\n\n{end}{after}"
