"""The `features` observation: public facts laid out for networks that see no structure.

Every entry is a uint8 with a fixed meaning and highest value; `FEATURES` lists the sections with
their index ranges, and dividing an observation by the space's ``high`` brings all of it into
[0, 1]. Cards are indexed by code - 1: suits in the order spades, hearts, diamonds, clubs, and in
each suit ace to king. "Blockers" of a card are the cards that lie on it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from qv_env.cards import CARD_TYPES, COPIES, RANKS, SUITS
from qv_env.jit import kernel, separate_kernel
from qv_env.sizes import FULL


class Feature(NamedTuple):
    """One section of the observation.

    Attributes:
        name: What it is called.
        start: Index of its first entry.
        size: Number of entries.
        high: Highest value of each entry; the lowest is 0.
        meaning: What each entry says.
    """

    name: str
    start: int
    size: int
    high: int
    meaning: str


_COLUMNS = FULL.columns
_FOUNDATIONS = FULL.foundations
_STOCK = FULL.stock
_LIMIT = FULL.column_limit
_ONE_HOT = SUITS + RANKS
_PLIES_CAP: Final = 255
_SCORE_UNIT: Final = 5
_SCORE_CAP: Final = 255

_SECTIONS = (
    ("top_one_hot", _COLUMNS * _ONE_HOT, 1, "per column: suit (4) and rank (13) of its top card"),
    ("waste_one_hot", 2 * _ONE_HOT, 1, "suit and rank of the waste's top card, and of the next"),
    ("column_height", _COLUMNS, _LIMIT, "cards in the column"),
    ("column_empty", _COLUMNS, 1, "whether the column is empty"),
    ("column_run", _COLUMNS, RANKS, "length of the sequence at the top of the column"),
    ("column_blocking", _COLUMNS, _LIMIT, "cards that lie on a lower card of their suit"),
    ("column_wanted", _COLUMNS, COPIES, "how often the card it accepts is in play as a top card"),
    ("goes_up", _COLUMNS + 1, 1, "whether the top of the column, or the waste, fits a foundation"),
    ("finds_host", _COLUMNS + 1, COPIES, "other columns whose top accepts that top card"),
    ("foundation_height", _FOUNDATIONS, RANKS, "cards on the foundation"),
    ("next_on_top", _FOUNDATIONS, COPIES, "the foundation's next card: copies on top of a column"),
    ("next_on_waste", _FOUNDATIONS, 1, "... whether it is the waste's top card"),
    ("next_blockers", _FOUNDATIONS, _LIMIT, "... fewest blockers in a column; 16 if in none"),
    ("next_in_waste", _FOUNDATIONS, _STOCK, "... fewest blockers in the waste; 64 if not there"),
    ("next_unseen", _FOUNDATIONS, COPIES, "... copies still in the stock"),
    ("unseen", CARD_TYPES, COPIES, "per card: copies still in the stock"),
    ("up", CARD_TYPES, COPIES, "per card: copies on foundations"),
    ("exposed", CARD_TYPES, COPIES, "per card: copies on top of a column or the waste"),
    ("blockers", CARD_TYPES, _LIMIT, "per card: fewest blockers in a column; 16 if in none"),
    ("in_waste", CARD_TYPES, COPIES, "per card: copies in the waste"),
    ("empty_columns", 1, _COLUMNS, "number of empty columns"),
    ("stock_count", 1, _STOCK, "cards in the stock"),
    ("waste_count", 1, _STOCK, "cards in the waste"),
    ("score", 1, _SCORE_CAP, "score divided by 5, at most 255"),
    ("plies_left", 1, _PLIES_CAP, "plies left, at most 255"),
)


def _with_starts() -> tuple[Feature, ...]:
    features = []
    start = 0
    for name, size, high, meaning in _SECTIONS:
        features.append(Feature(name, start, size, high, meaning))
        start += size
    return tuple(features)


FEATURES: Final = _with_starts()
FEATURE_COUNT: Final = sum(feature.size for feature in FEATURES)

_START = {feature.name: feature.start for feature in FEATURES}
_TOP_ONE_HOT: Final = _START["top_one_hot"]
_WASTE_ONE_HOT: Final = _START["waste_one_hot"]
_HEIGHT: Final = _START["column_height"]
_EMPTY: Final = _START["column_empty"]
_RUN: Final = _START["column_run"]
_BLOCKING: Final = _START["column_blocking"]
_WANTED: Final = _START["column_wanted"]
_GOES_UP: Final = _START["goes_up"]
_HOST: Final = _START["finds_host"]
_FOUNDATION: Final = _START["foundation_height"]
_NEXT_TOP: Final = _START["next_on_top"]
_NEXT_WASTE: Final = _START["next_on_waste"]
_NEXT_BLOCKERS: Final = _START["next_blockers"]
_NEXT_IN_WASTE: Final = _START["next_in_waste"]
_NEXT_UNSEEN: Final = _START["next_unseen"]
_UNSEEN: Final = _START["unseen"]
_UP: Final = _START["up"]
_EXPOSED: Final = _START["exposed"]
_BLOCKERS: Final = _START["blockers"]
_IN_WASTE: Final = _START["in_waste"]
_COUNTS: Final = _START["empty_columns"]


@separate_kernel
def write_features(game: Any, plies_left: int, out: Any) -> None:
    """Write the features of a state.

    Args:
        game: State record of the full game.
        plies_left: Plies until truncation.
        out: uint8 of shape ``(FEATURE_COUNT,)``; overwritten.
    """
    for k in range(_UNSEEN):
        out[k] = 0
    for card in range(CARD_TYPES):
        out[_UNSEEN + card] = game["unseen"][card // RANKS, card % RANKS]
        out[_UP + card] = 0
        out[_EXPOSED + card] = 0
        out[_BLOCKERS + card] = _LIMIT
        out[_IN_WASTE + card] = 0
    for f in range(_FOUNDATIONS):
        below = RANKS * (f % SUITS)
        for height in range(game["foundations"][f]):
            out[_UP + below + height] += 1
    _write_waste(game, out)
    for column in range(_COLUMNS):
        _write_column(game, column, out)
    for pile in range(_COLUMNS + 1):
        _write_prospects(game, pile, out)
    for f in range(_FOUNDATIONS):
        _write_next(game, f, out)
    empty = 0
    for column in range(_COLUMNS):
        empty += game["heights"][column] == 0
    out[_COUNTS] = empty
    out[_COUNTS + 1] = game["stock_count"]
    out[_COUNTS + 2] = game["waste_count"]
    out[_COUNTS + 3] = min(game["score"] // _SCORE_UNIT, _SCORE_CAP)
    out[_COUNTS + 4] = min(plies_left, _PLIES_CAP)


@kernel
def _write_one_hot(card: int, out: Any, start: int) -> None:
    out[start + (card - 1) // RANKS] = 1
    out[start + SUITS + (card - 1) % RANKS] = 1


@kernel
def _write_waste(game: Any, out: Any) -> None:
    count = game["waste_count"]
    for k in range(count):
        out[_IN_WASTE + game["waste"][k] - 1] += 1
    if count > 0:
        _write_one_hot(game["waste"][count - 1], out, _WASTE_ONE_HOT)
        out[_EXPOSED + game["waste"][count - 1] - 1] += 1
    if count > 1:
        _write_one_hot(game["waste"][count - 2], out, _WASTE_ONE_HOT + _ONE_HOT)


@kernel
def _write_column(game: Any, column: int, out: Any) -> None:
    cards, height = game["columns"][column], game["heights"][column]
    out[_HEIGHT + column] = height
    out[_EMPTY + column] = height == 0
    if height == 0:
        return
    top = cards[height - 1]
    _write_one_hot(top, out, _TOP_ONE_HOT + _ONE_HOT * column)
    out[_EXPOSED + top - 1] += 1
    run, in_run = 1, True
    for level in range(height - 1, -1, -1):
        card = cards[level]
        blockers = height - 1 - level
        out[_BLOCKERS + card - 1] = min(out[_BLOCKERS + card - 1], blockers)
        if level < height - 1 and in_run:
            in_run = (card - 1) % RANKS > 0 and cards[level + 1] == card - 1
            run += in_run
        for lower in range(level):
            other = cards[lower]
            if (other - 1) // RANKS == (card - 1) // RANKS and other < card:
                out[_BLOCKING + column] += 1
                break
    out[_RUN + column] = run


@kernel
def _write_prospects(game: Any, pile: int, out: Any) -> None:
    """Write where the top card of a column or the waste can go, and what would come to it."""
    tops, wants = game["tops"], game["wants"]
    card = tops[pile]
    if card == 0:
        return
    for f in range(_COLUMNS + 1, _COLUMNS + 1 + _FOUNDATIONS):
        out[_GOES_UP + pile] |= wants[f] == card
    hosts = 0
    for column in range(_COLUMNS):
        hosts += column != pile and wants[column] == card
    out[_HOST + pile] = min(hosts, COPIES)
    if pile < _COLUMNS:
        wanted = 0
        for source in range(_COLUMNS + 1):
            wanted += tops[source] == wants[pile]
        out[_WANTED + pile] = min(wanted, COPIES)


@kernel
def _write_next(game: Any, f: int, out: Any) -> None:
    """Write where the next card of a foundation lies."""
    height = game["foundations"][f]
    out[_FOUNDATION + f] = height
    out[_NEXT_BLOCKERS + f] = _LIMIT
    out[_NEXT_IN_WASTE + f] = _STOCK
    if height == RANKS:
        return
    card = 1 + RANKS * (f % SUITS) + height
    count = game["waste_count"]
    for column in range(_COLUMNS):
        out[_NEXT_TOP + f] += game["tops"][column] == card
    out[_NEXT_WASTE + f] = game["tops"][_COLUMNS] == card
    out[_NEXT_BLOCKERS + f] = out[_BLOCKERS + card - 1]
    for k in range(count):
        if game["waste"][k] == card:
            out[_NEXT_IN_WASTE + f] = count - 1 - k
    out[_NEXT_UNSEEN + f] = out[_UNSEEN + card - 1]
