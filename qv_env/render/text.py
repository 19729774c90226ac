"""A state as text: one screenful that a person reads at a glance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any, Final

from qv_env.cards import NO_CARD, RANK_LETTERS, SUIT_LETTERS
from qv_env.render.status import foundation_total, game_status

WASTE_CARDS_SHOWN: Final = 16

_SUIT_SYMBOLS: Final = "\u2660\u2665\u2666\u2663"
_SUIT_COLOURS: Final = ("", "\x1b[31m", "\x1b[31m", "")
_FOUR_SUIT_COLOURS: Final = ("", "\x1b[31m", "\x1b[34m", "\x1b[32m")
_RESET: Final = "\x1b[0m"
_EMPTY: Final = "--"
_CELL: Final = 4  # characters from one column to the next; "t10" needs three


class _CardWriter:
    """Writes cards in one style; every text it returns is two characters wide on the screen."""

    def __init__(self, *, ranks: int, colour: bool, four_colours: bool, symbols: bool) -> None:
        self._ranks = ranks
        self._letters = _SUIT_SYMBOLS if symbols else SUIT_LETTERS
        colours = _FOUR_SUIT_COLOURS if four_colours else _SUIT_COLOURS
        self._colours = colours if colour else ("",) * len(colours)

    def card(self, code: int) -> str:
        """Return a card, such as ``TD``, or two dashes where there is none."""
        if code == NO_CARD:
            return _EMPTY
        suit, rank = divmod(code - 1, self._ranks)
        return self._tinted(RANK_LETTERS[rank], suit)

    def foundation(self, suit: int, height: int) -> str:
        """Return a foundation's top card, or a dash and the suit it waits for."""
        return self._tinted("-" if height == 0 else RANK_LETTERS[height - 1], suit)

    def _tinted(self, rank: str, suit: int) -> str:
        text = rank + self._letters[suit]
        colour = self._colours[suit]
        return f"{colour}{text}{_RESET}" if colour else text


def render_text(
    state: Any,
    *,
    deal: str = "",
    colour: bool = False,
    four_colours: bool = False,
    symbols: bool = False,
    waste_cards: int = WASTE_CARDS_SHOWN,
) -> str:
    """Return a state as lines of text, without a line break at the end.

    Cards are rank and suit (``TD`` is the ten of diamonds). Columns run downwards, so that the top
    card of each, the one that can move, is its lowest line. The waste runs from left to right with
    its top card in brackets. An empty foundation shows a dash and the suit that it waits for.
    Places are labelled as in action texts: ``t1`` to ``t10`` and ``f1`` to ``f8``.

    Args:
        state: A state record of any sizes; it is read, never changed.
        deal: The deal's code, for the first line.
        colour: Whether to print red suits in red, with ANSI escape codes.
        four_colours: Whether colours tell all four suits apart (diamonds blue, clubs green).
        symbols: Whether suits are written as Unicode symbols instead of the letters S H D C.
        waste_cards: How many cards of the waste to show at most, at least 1, counted from its top.

    Raises:
        ValueError: `waste_cards` is not positive.
    """
    if waste_cards < 1:
        raise ValueError(f"waste_cards must be at least 1, got {waste_cards}")
    ranks = state["unseen"].shape[1]
    writer = _CardWriter(ranks=ranks, colour=colour, four_colours=four_colours, symbols=symbols)
    blocks = (
        [_summary(state, deal)],
        [_stock_and_waste(state, writer, waste_cards)],
        _foundations(state, writer),
        _columns(state, writer),
    )
    return "\n\n".join("\n".join(block) for block in blocks)


def _summary(state: Any, deal: str) -> str:
    deck = int(state["foundations"].shape[0]) * int(state["unseen"].shape[1])
    facts = [f"deal {deal}"] if deal else []
    facts += [
        f"score {int(state['score'])}",
        f"moves {int(state['moves'])}",
        f"foundations {foundation_total(state)}/{deck}",
    ]
    status = game_status(state)
    if status:
        facts.append(f"** {status} **")
    return "   ".join(facts)


def _stock_and_waste(state: Any, writer: _CardWriter, limit: int) -> str:
    count = int(state["waste_count"])
    text = f"stock {int(state['stock_count'])}   waste {count}"
    if count == 0:
        return text
    shown = [writer.card(code) for code in state["waste"][:count].tolist()[-limit:]]
    shown[-1] = f"[{shown[-1]}]"
    if count > limit:
        shown.insert(0, "..")
    return f"{text}: {' '.join(shown)}"


def _foundations(state: Any, writer: _CardWriter) -> list[str]:
    suits, heights = state["unseen"].shape[0], state["foundations"].tolist()
    labels = [f"f{number}" for number in range(1, len(heights) + 1)]
    tops = [writer.foundation(f % suits, height) for f, height in enumerate(heights)]
    return [_row(labels), _row(tops)]


def _columns(state: Any, writer: _CardWriter) -> list[str]:
    heights = state["heights"].tolist()
    labels = [f"t{number}" for number in range(1, len(heights) + 1)]
    piles = [
        [writer.card(code) for code in pile[:height]] or [_EMPTY]
        for pile, height in zip(state["columns"].tolist(), heights, strict=True)
    ]
    return [_row(labels), *(_row(cells) for cells in zip_longest(*piles, fillvalue=""))]


def _row(cells: Iterable[str]) -> str:
    """Join cells so that each starts `_CELL` characters after the one before it."""
    # Escape codes take no room on the screen, so str.ljust would pad coloured cells too little.
    return "".join(cell + " " * (_CELL - _screen_width(cell)) for cell in cells).rstrip()


def _screen_width(cell: str) -> int:
    if _RESET not in cell:
        return len(cell)
    return 2  # only cards are coloured, and a card is a rank and a suit
