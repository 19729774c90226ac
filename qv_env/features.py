"""The `features` observation: public facts laid out for networks that see no structure.

Every entry is a uint8 with a fixed meaning and highest value; `FEATURES` lists the sections with
their index ranges, and dividing an observation by the space's ``high`` brings all of it into
[0, 1]. Cards are indexed by code - 1: suits in the order spades, hearts, diamonds, clubs, and in
each suit ace to king. "Blockers" of a card are the cards that lie on it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from qv_env.cards import CARD_TYPES, COPIES, NO_CARD, RANKS, SUITS
from qv_env.engine import NOTHING
from qv_env.jit import kernel, separate_kernel
from qv_env.lanes import LANES, copy_row
from qv_env.matching import write_matches
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
_STOCK_PILE = FULL.stock_pile
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


_NO_SLOT: Final = np.uint8(_LIMIT)
_NO_SLOT_BIT: Final = np.uint8(4)  # the only one that is set in `_NO_SLOT` and in no level
_IN_WASTE_UNIT: Final = np.uint8(16)
_IN_WASTE_BIT: Final = np.uint8(4)
_SUIT_OF: Final = np.array([max(card - 1, 0) // RANKS for card in range(CARD_TYPES + 1)], np.uint8)
_RANK_OF: Final = np.array([max(card - 1, 0) % RANKS for card in range(CARD_TYPES + 1)], np.uint8)
# The next card up and down in the suit of each card code; 0 for none.
_HIGHER: Final = np.array(
    [card + 1 if card % RANKS else 0 for card in range(CARD_TYPES + 1)], np.uint8
)
_LOWER: Final = np.array(
    [max(card - 1, 0) if card % RANKS != 1 else 0 for card in range(CARD_TYPES + 1)], np.uint8
)

# Suit and rank of each card code as ones among zeros; nothing but zeros for no card.
_ONE_HOTS: Final = np.array(
    [
        [
            card != NO_CARD and place in (_SUIT_OF[card], SUITS + _RANK_OF[card])
            for place in range(LANES)
        ]
        for card in range(CARD_TYPES + 1)
    ],
    np.uint8,
)

# What features need and a state does not hold, kept up to date move by move.
TABLES: Final = np.dtype(
    [
        # Blockers of each copy of each card that lies in a column, otherwise `_NO_SLOT`. Which of
        # the two copies of a card has which slot is a matter of who came first.
        ("blockers", np.uint8, (COPIES, CARD_TYPES)),
        # Bit ``level`` is the slot of the card at that level of the column.
        ("slots", np.uint16, (_COLUMNS,)),
        ("runs", np.uint8, (_COLUMNS,)),
        ("blocking", np.uint8, (_COLUMNS,)),
        # Place in the waste, from 1, of the upper copy of each foundation's next card; 0 for none.
        ("next_place", np.uint8, (_FOUNDATIONS,)),
        # Of each card, copies on foundations, and `_IN_WASTE_UNIT` for each copy in the waste.
        ("gone", np.uint8, (CARD_TYPES,)),
    ]
)


def write_features(game: Any, plies_left: int, out: Any) -> None:
    """Write the features of a state, from nothing but the state.

    Args:
        game: State record of the full game.
        plies_left: Plies until truncation.
        out: uint8 of shape ``(FEATURE_COUNT,)``; overwritten.
    """
    tables = np.empty(1, TABLES)[0]
    set_up_tables(game, tables)
    write_from_tables(game, tables, plies_left, out)


@separate_kernel
def set_up_tables(game: Any, tables: Any) -> None:
    """Work the tables of a state out, record of type `TABLES`, overwritten."""
    for card in range(CARD_TYPES):
        for slot in range(COPIES):
            tables["blockers"][slot, card] = _NO_SLOT
    for column in range(_COLUMNS):
        cards, height = game["columns"][column], game["heights"][column]
        tables["slots"][column] = 0
        tables["blocking"][column] = 0
        for level in range(height):
            _take_slot(tables, column, level, cards[level], height - 1 - level)
            tables["blocking"][column] += _blocks(cards, cards[level], level)
        tables["runs"][column] = _run(cards, height)
    for card in range(CARD_TYPES):
        tables["gone"][card] = 0
    for k in range(game["waste_count"]):
        tables["gone"][game["waste"][k] - 1] += _IN_WASTE_UNIT
    for f in range(_FOUNDATIONS):
        tables["next_place"][f] = _place_in_waste(game, game["wants"][_COLUMNS + 1 + f])
        for height in range(game["foundations"][f]):
            tables["gone"][RANKS * (f % SUITS) + height] += 1


@separate_kernel
def follow_move(game: Any, tables: Any, source: int, destination: int) -> None:
    """Bring the tables up to date after a legal move or draw; piles as for `engine.move`."""
    card = game["tops"][destination]
    if source < _COLUMNS:
        _leave_column(game, tables, source, card)
    if destination < _COLUMNS:
        _enter_column(game, tables, destination, card)
    tables["gone"][card - 1] += _gone_at(destination) - _gone_at(source)
    # A foundation whose next card has moved, or that waits for another card now, looks anew.
    for f in range(_FOUNDATIONS):
        pile = _COLUMNS + 1 + f
        if game["wants"][pile] == card or pile == source or pile == destination:
            tables["next_place"][f] = _place_in_waste(game, game["wants"][pile])


@kernel
def _gone_at(pile: int) -> int:
    """Return what a card in this pile adds to its entry of ``gone``."""
    if pile == _COLUMNS:
        return int(_IN_WASTE_UNIT)
    return int(_COLUMNS < pile < _STOCK_PILE)


@kernel
def _take_slot(tables: Any, column: int, level: int, card: int, blockers: int) -> None:
    slot = tables["blockers"][0, card - 1] != _NO_SLOT
    tables["blockers"][int(slot), card - 1] = blockers
    tables["slots"][column] |= np.uint16(int(slot) << level)


@kernel
def _leave_column(game: Any, tables: Any, column: int, card: int) -> None:
    """Follow a card that has been taken from the top of a column."""
    cards, height = game["columns"][column], game["heights"][column]
    slots, blockers = int(tables["slots"][column]), tables["blockers"]
    blockers[(slots >> height) & 1, card - 1] = _NO_SLOT
    tables["slots"][column] = np.uint16(slots & ~(1 << height))
    for level in range(height):
        blockers[(slots >> level) & 1, cards[level] - 1] -= 1
    tables["blocking"][column] -= _blocks(cards, card, height)
    tables["runs"][column] -= 1
    if tables["runs"][column] == 0:
        tables["runs"][column] = _run(cards, height)


@kernel
def _enter_column(game: Any, tables: Any, column: int, card: int) -> None:
    """Follow a card that has been laid on a column, which continues the sequence there."""
    cards, level = game["columns"][column], game["heights"][column] - 1
    slots, blockers = int(tables["slots"][column]), tables["blockers"]
    for below in range(level):
        blockers[(slots >> below) & 1, cards[below] - 1] += 1
    _take_slot(tables, column, level, card, 0)
    tables["blocking"][column] += _blocks(cards, card, level)
    tables["runs"][column] += 1


@kernel
def _run(cards: Any, height: int) -> int:
    """Return the length of the sequence at the top of a column."""
    if height == 0:
        return 0
    level = height - 1
    while level > 0 and cards[level - 1] == cards[level] + 1 and _RANK_OF[cards[level - 1]] > 0:
        level -= 1
    return height - level


@kernel
def _blocks(cards: Any, card: int, level: int) -> bool:
    """Return whether a card, at this level of a column, lies on a lower card of its suit."""
    ace = 1 + RANKS * _SUIT_OF[card]
    found = False
    for below in range(cards.shape[0]):
        found |= (below < level) & (ace <= cards[below]) & (cards[below] < card)
    return found


@kernel
def _place_in_waste(game: Any, card: int) -> Any:
    """Return the place, from 1, of a card's upper copy in the waste; 0 for none (uint8)."""
    place = np.uint8(0)
    for k in range(_STOCK):
        # Places only grow, so that the last one found is the highest.
        place = np.uint8(k + 1) if game["waste"][k] == card else place
    return place


@separate_kernel
def write_from_tables(game: Any, tables: Any, plies_left: int, out: Any) -> None:
    """Write the features of a state whose tables are up to date; see `write_features`."""
    # Each writes some zeros too many, over which the next, and what follows, is written.
    for pile in range(_COLUMNS + 1):
        _write_one_hot(game["tops"][pile], out, _TOP_ONE_HOT + _ONE_HOT * pile)
    count = game["waste_count"]
    below = game["waste"][count - 2] if count > 1 else NO_CARD
    _write_one_hot(below, out, _WASTE_ONE_HOT + _ONE_HOT)
    _write_cards(game, tables, out)
    write_matches(game, out, _WANTED, _GOES_UP, _HOST, _NEXT_TOP, _NEXT_WASTE)
    for column in range(_COLUMNS):
        height = game["heights"][column]
        out[_HEIGHT + column] = height
        out[_EMPTY + column] = height == 0
        out[_RUN + column] = tables["runs"][column]
        out[_BLOCKING + column] = tables["blocking"][column]
    _write_nexts(game, tables, out)
    empty = 0
    for column in range(_COLUMNS):
        empty += game["heights"][column] == 0
    out[_COUNTS] = empty
    out[_COUNTS + 1] = game["stock_count"]
    out[_COUNTS + 2] = count
    out[_COUNTS + 3] = min(game["score"] // _SCORE_UNIT, _SCORE_CAP)
    out[_COUNTS + 4] = min(plies_left, _PLIES_CAP)


@kernel
def _write_cards(game: Any, tables: Any, out: Any) -> None:
    """Write what there is of each card, and how often it is a top card."""
    first, second, gone = tables["blockers"][0], tables["blockers"][1], tables["gone"]
    # One loop without branches over single bytes, so that many cards are done at a time.
    for card in range(CARD_TYPES):
        in_waste = gone[card] >> _IN_WASTE_BIT
        up = gone[card] - in_waste * _IN_WASTE_UNIT
        in_columns = COPIES - (first[card] >> _NO_SLOT_BIT) - (second[card] >> _NO_SLOT_BIT)
        out[_UNSEEN + card] = COPIES - up - in_waste - in_columns
        out[_UP + card] = up
        out[_EXPOSED + card] = 0
        out[_BLOCKERS + card] = min(first[card], second[card])
        out[_IN_WASTE + card] = in_waste
    for pile in range(_COLUMNS + 1):
        card = game["tops"][pile]
        if card != NO_CARD:
            out[_EXPOSED + card - 1] += 1


@kernel
def _write_one_hot(card: int, out: Any, start: int) -> None:
    """Write suit and rank of a card, or of no card."""
    copy_row(_ONE_HOTS, card, out, start)


@kernel
def _write_nexts(game: Any, tables: Any, out: Any) -> None:
    """Write where the next card of each foundation lies."""
    foundations, places = game["foundations"], tables["next_place"]
    waste_count = game["waste_count"]
    # Loops that do one thing to all foundations, which are done all at a time.
    for f in range(_FOUNDATIONS):
        out[_FOUNDATION + f] = foundations[f]
    for f in range(_FOUNDATIONS):
        above = np.uint8(waste_count - places[f])
        out[_NEXT_IN_WASTE + f] = above if places[f] > 0 else np.uint8(_STOCK)
    for f in range(_FOUNDATIONS):
        card = game["wants"][_COLUMNS + 1 + f]
        whole = card == NOTHING
        entry = 0 if whole else card - 1
        out[_NEXT_BLOCKERS + f] = _LIMIT if whole else out[_BLOCKERS + entry]
        out[_NEXT_UNSEEN + f] = 0 if whole else out[_UNSEEN + entry]
