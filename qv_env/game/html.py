"""A game as a piece of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from qv_env.game.piles import Card, Foundation

if TYPE_CHECKING:
    from qv_env.game.table import Table

_TABLE: Final = "border-collapse:separate;border-spacing:4px 1px;font-family:monospace"
_CARD: Final = (
    "background:#fff;border:1px solid #777;border-radius:3px;min-width:2.6em;padding:0 3px;"
    "text-align:center;color:"
)
_NO_CARD: Final = "border:1px dashed #999;border-radius:3px;min-width:2.6em;text-align:center"
_BLACK, _RED = "#000", "#c01020"


def table_html(table: Table) -> str:
    """Return the table as HTML without scripts or anything loaded from elsewhere.

    It shows what a player sees: of the stock only the number of its cards.
    """
    facts = [table.deal.name] if table.deal else []
    facts += [f"score {table.score}", f"moves {table.moves}", f"stock {table.stock_count}"]
    facts += ["won"] if table.is_won else ["stuck"] if table.is_stuck else []
    rows = [
        _row(_heading(pile.place) for pile in table.foundations),
        _row(_foundation_cell(pile) for pile in table.foundations),
        _row(_heading(pile.place) for pile in table.columns),
        *(
            _row(_cell(card) if card else "<td></td>" for card in level)
            for level in zip_longest(*(pile or (None,) for pile in table.columns))
        ),
    ]
    return (
        f"<div><div>{' &middot; '.join(facts)}</div>"
        f'<table style="{_TABLE}">{"".join(rows)}</table>'
        f'<table style="{_TABLE}">{"".join(_waste_rows(table))}</table></div>'
    )


def _waste_rows(table: Table) -> Iterator[str]:
    """Yield the waste in rows that are as long as the row of columns above them."""
    length = len(table.columns)
    for start in range(0, max(len(table.waste), 1), length):
        heading = _heading(table.waste.place if start == 0 else "")
        yield _row((heading, *map(_cell, table.waste[start : start + length])))


def _row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _heading(place: str) -> str:
    return f"<th>{place}</th>"


def _cell(card: Card) -> str:
    return f'<td style="{_CARD}{_RED if card.is_red else _BLACK}">{card.symbol}</td>'


def _foundation_cell(pile: Foundation) -> str:
    if pile.top is not None:
        return _cell(pile.top)
    return f'<td style="{_NO_CARD}">{pile.wants.symbol[-1] if pile.wants else ""}</td>'
