"""A whole position as text that parses back.

One line a place, ``name:`` and its cards from the bottom up, after the deal (which may be left
out), the score and the counter of moves. The stock's cards stand in the order of drawing, so that
the text shows what no player sees. A foundation is written as its top card. ::

    deal: FT1-N-AAAAAAV
    score: 10
    moves: 7
    t1: JH QD TH KD
    ...
    t10: JS 8H 5S
    w: 9C 4D
    f1: AS
    ...
    f8:
    stock: QC TC ... 9D
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env import engine
from qv_env.actions import pile_text
from qv_env.cards import (
    CARD_TYPES,
    COPIES,
    card_rank,
    card_suit,
    card_text,
    cards_text,
    parse_cards,
)
from qv_env.course import MOST_MOVES
from qv_env.deals import Deal, parse_deal
from qv_env.game.piles import columns_of, foundations_of, waste_of
from qv_env.sizes import FULL

_COLUMNS: Final = [pile_text(pile) for pile in range(FULL.columns)]
_FOUNDATIONS: Final = [pile_text(pile) for pile in range(FULL.waste_pile + 1, FULL.stock_pile)]
_WASTE: Final = pile_text(FULL.waste_pile)
_STOCK: Final = pile_text(FULL.stock_pile)
_PLACES: Final = [*_COLUMNS, _WASTE, *_FOUNDATIONS, _STOCK]
_COUNTERS: Final = ("score", "moves")
_DEAL: Final = "deal"
_SCORE_STEP: Final = 5


def position_text(state: Any, deal: Deal | None) -> str:
    """Return a state, and the deal it comes from where that is known, as text."""
    stock = state["stock"][FULL.stock - int(state["stock_count"]) :].tolist()
    lines = [] if deal is None else [f"{_DEAL}: {deal.code}"]
    lines += [f"{name}: {int(state[name])}" for name in _COUNTERS]
    lines += [f"{pile.place}: {pile}" for pile in (*columns_of(state), waste_of(state))]
    lines += [f"{pile.place}: {pile.top or ''}" for pile in foundations_of(state)]
    lines.append(f"{_STOCK}: {cards_text(stock)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def parse_position(text: str) -> tuple[Any, Deal | None]:
    """Return the state and the deal that a text describes.

    Raises:
        ValueError: A line is missing, unknown or wrong, the cards are not those of the game, a
            column is none that play can lead to, or the stock is not the deal's; one line.
    """
    lines = _read_lines(text)
    deal = parse_deal(lines[_DEAL]) if _DEAL in lines else None
    state = engine.new_state()
    for name in _COUNTERS:
        state[name] = _counter(name, lines[name])
    piles = {name: _cards(name, lines[name]) for name in _PLACES}
    for c, name in enumerate(_COLUMNS):
        _check_column(name, piles[name])
        state["heights"][c] = len(piles[name])
        state["columns"][c, : len(piles[name])] = piles[name]
    for f, name in enumerate(_FOUNDATIONS):
        state["foundations"][f] = _height(name, f % FULL.suits, piles[name])
    _lay_stock(state, piles[_STOCK], piles[_WASTE])
    _check_all_cards(state)
    if deal is not None and piles[_STOCK] != list(deal.order[FULL.deck - len(piles[_STOCK]) :]):
        raise ValueError(f"stock: these are not the last cards of the deal {deal.name}")
    engine.refresh_all(state)
    return state, deal


def _read_lines(text: str) -> dict[str, str]:
    lines: dict[str, str] = {}
    known = (_DEAL, *_COUNTERS, *_PLACES)
    for line in filter(str.strip, text.splitlines()):
        name, colon, rest = line.partition(":")
        name = name.strip().lower()
        if not colon or name not in known:
            raise ValueError(
                f"not a line of a position: {line.strip()!r}; expected a name of "
                f"{', '.join(known)} and a colon"
            )
        if name in lines:
            raise ValueError(f"{name} stands there twice")
        lines[name] = rest.strip()
    missing = [name for name in known if name not in lines and name != _DEAL]
    if missing:
        raise ValueError(f"the position has no line for {', '.join(missing)}")
    return lines


def _counter(name: str, text: str) -> int:
    step = _SCORE_STEP if name == "score" else 1
    if not (text.isascii() and text.isdigit()) or int(text) > MOST_MOVES or int(text) % step:
        kind = f"a multiple of {step}" if step > 1 else "a whole number"
        raise ValueError(f"{name}: expected {kind} in [0, {MOST_MOVES}], got {text!r}")
    return int(text)


def _cards(name: str, text: str) -> list[int]:
    try:
        return parse_cards(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _check_column(name: str, cards: list[int]) -> None:
    """Refuse a column that play cannot lead to, and that could outgrow its place in a state."""
    for level in range(FULL.column_cards, len(cards)):
        upper, lower = cards[level - 1], cards[level]
        if card_suit(upper) != card_suit(lower) or card_rank(upper) != card_rank(lower) + 1:
            raise ValueError(
                f"{name}: {card_text(lower)} cannot lie on {card_text(upper)}; only the lowest "
                f"{FULL.column_cards} cards of a column may lie out of sequence"
            )


def _height(name: str, suit: int, cards: list[int]) -> int:
    if len(cards) > 1:
        raise ValueError(f"{name}: a foundation is written as its top card alone")
    if cards and card_suit(cards[0]) != suit:
        raise ValueError(f"{name}: {card_text(cards[0])} is not of the foundation's suit")
    return card_rank(cards[0]) if cards else 0


def _lay_stock(state: Any, stock: list[int], waste: list[int]) -> None:
    if len(stock) + len(waste) > FULL.stock:
        raise ValueError(
            f"stock and waste hold at most {FULL.stock} cards together, "
            f"got {len(stock) + len(waste)}"
        )
    state["stock_count"], state["waste_count"] = len(stock), len(waste)
    state["waste"][: len(waste)] = waste
    state["stock"][FULL.stock - len(stock) :] = stock
    state["unseen"] = _counts(stock)


def _check_all_cards(state: Any) -> None:
    lying = [*state["columns"].ravel().tolist(), *state["waste"].tolist()]
    counts = _counts([code for code in lying if code]) + state["unseen"]
    for f, height in enumerate(state["foundations"].tolist()):
        counts[f % FULL.suits, :height] += 1
    wrong = [
        f"{card_text(code)} {count} times"
        for code, count in enumerate(counts.ravel().tolist(), start=1)
        if count != COPIES
    ]
    if wrong:
        raise ValueError(f"each card exists {COPIES} times; got {', '.join(wrong)}")


def _counts(codes: list[int]) -> Any:
    """Return how often each card is among some codes, shape ``(4, 13)``."""
    counts = np.bincount(np.array(codes, np.int64), minlength=CARD_TYPES + 1)
    return counts[1:].reshape(FULL.suits, FULL.ranks)
