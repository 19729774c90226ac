"""Deals: their numbers and codes, the order of their cards, and the splits.

A deal number ``n`` in ``[0, 26^7)`` is written ``FT1-N-`` and seven letters, base 26 with A = 0.
The number starts the shuffle of `qv_env.shuffle`; `docs/deals.md` specifies all of it. A deal may
also be *explicit*: any order of the 104 cards, typed in.
"""

from __future__ import annotations

import dataclasses
import itertools
import operator
import re
from functools import cached_property
from string import ascii_uppercase
from typing import Final, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from qv_env import cards
from qv_env.shuffle import fill_deck, shuffle
from qv_env.sizes import FULL

PREFIX: Final = "FT1-N-"
LETTERS: Final = 7
BASE: Final = 26
DEALS: Final = BASE**LETTERS
_THREE_LETTERS_FIXED: Final = BASE ** (LETTERS - 3)

EXPLICIT_NAME: Final = "explicit deal"

_A: Final = ord("A")
# Vector environments name every deal that they begin, so codes are put together of larger pieces.
_THREE_LETTERS: Final = tuple(map("".join, itertools.product(ascii_uppercase, repeat=3)))
_TRIPLES: Final = len(_THREE_LETTERS)

_STOCK_LINE: Final = 16

SPLITS: Final[dict[str, range]] = {
    "train": range(DEALS - 2 * _THREE_LETTERS_FIXED),
    "dev": range(DEALS - 2 * _THREE_LETTERS_FIXED, DEALS - _THREE_LETTERS_FIXED),
    "test": range(DEALS - _THREE_LETTERS_FIXED, DEALS),
    "all": range(DEALS),
}


def deal_code(number: SupportsIndex) -> str:
    """Return the code of a deal number in ``[0, 26^7)``.

    >>> deal_code(0), deal_code(21), deal_code(26**7 - 1)
    ('FT1-N-AAAAAAA', 'FT1-N-AAAAAAV', 'FT1-N-ZZZZZZZ')

    Raises:
        ValueError: The number lies outside the range.
        TypeError: The number is not an integer.
    """
    rest = operator.index(number)
    if not 0 <= rest < DEALS:
        raise ValueError(f"a deal number must lie in [0, {DEALS - 1}], got {rest}")
    rest, last = divmod(rest, _TRIPLES)
    first, middle = divmod(rest, _TRIPLES)
    return f"{PREFIX}{chr(_A + first)}{_THREE_LETTERS[middle]}{_THREE_LETTERS[last]}"


def deal_number(code: str) -> int:
    """Return the deal number of a code; lower case and surrounding blanks are accepted.

    >>> deal_number("FT1-N-AAAAAAV"), deal_number(" ft1-n-zzzaaaa ")
    (21, 8031353200)

    Raises:
        ValueError: Prefix, length or a letter is wrong; the message says which.
        TypeError: It is not a text.
    """
    if not isinstance(code, str):
        raise TypeError(f"a deal code is a text such as {deal_code(21)}, got {code!r}")
    text = cards.ascii_upper(code.strip())
    if not text.startswith(PREFIX):
        raise ValueError(
            f"wrong prefix in deal code {code!r}: expected {PREFIX} and {LETTERS} letters"
        )
    letters = text.removeprefix(PREFIX)
    if len(letters) != LETTERS:
        raise ValueError(
            f"wrong length of deal code {code!r}: expected {LETTERS} letters after {PREFIX}, "
            f"got {len(letters)}"
        )
    number = 0
    for letter in letters:
        if not "A" <= letter <= "Z":
            raise ValueError(
                f"wrong letter {letter!r} in deal code {code!r}: expected letters A to Z"
            )
        number = BASE * number + ord(letter) - _A
    return number


def split_numbers(split: str) -> range:
    """Return the deal numbers of a split: ``train``, ``dev``, ``test`` or ``all``.

    >>> deal_code(split_numbers("test")[0]), len(split_numbers("dev"))
    ('FT1-N-ZZZAAAA', 456976)

    Raises:
        ValueError: There is no such split.
    """
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}; expected one of {', '.join(SPLITS)}")
    return SPLITS[split]


@dataclasses.dataclass(frozen=True)
class Deal:
    """An order of the 104 cards, as numbered by a code or typed in.

    Attributes:
        order: Card codes: 40 for the columns, four to each from left to right and bottom card
            first, then the 64 of the stock in the order of drawing.
        number: The deal number, or None for an explicit deal.

    Raises:
        ValueError: There are not 104 cards, or some card is not there twice.
    """

    order: tuple[int, ...]
    number: int | None = None

    def __post_init__(self) -> None:
        _check_order(self.order)

    @classmethod
    def from_number(cls, number: SupportsIndex) -> Self:
        """Return the deal with a number in ``[0, 26^7)``."""
        value = operator.index(number)
        deal_code(value)  # raises for numbers out of range
        deck = np.empty(FULL.deck, np.uint8)
        fill_deck(deck)
        shuffle(np.uint64(value), deck, 0)
        return cls(tuple(deck.tolist()), value)

    @classmethod
    def from_code(cls, code: str) -> Self:
        """Return the deal with a code such as ``FT1-N-AAAAAAV``."""
        return cls.from_number(deal_number(code))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return an explicit deal from its 104 cards as text; blanks and lines do not matter.

        >>> deal = Deal.from_number(21)
        >>> Deal.from_text(deal.text).order == deal.order
        True
        """
        return cls(tuple(cards.parse_cards(text)))

    @classmethod
    def from_tableau(cls, tableau: str, number: SupportsIndex) -> Self:
        """Return a deal with a known tableau and the other 64 cards shuffled by a number.

        Args:
            tableau: 40 cards, column by column, bottom card first.
            number: Where the shuffle starts, in ``[0, 2^64)``.
        """
        known = cards.parse_cards(tableau)
        if len(known) != FULL.tableau:
            raise ValueError(f"a tableau has {FULL.tableau} cards, got {len(known)}")
        _check_copies(known, exact=False)
        seed = operator.index(number)
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"the number of a shuffle must lie in [0, 2^64), got {seed}")
        rest = [c for c in _SORTED_TYPES for _ in range(cards.COPIES - known.count(c))]
        order = np.array(known + rest, np.uint8)
        shuffle(np.uint64(seed), order, FULL.tableau)
        return cls(tuple(order.tolist()))

    @cached_property
    def cards(self) -> npt.NDArray[np.uint8]:
        """The order as a read-only array, uint8 of shape ``(104,)``."""
        array = np.array(self.order, np.uint8)
        array.flags.writeable = False
        return array

    @property
    def code(self) -> str:
        """The code of a numbered deal; the 104 cards as one word for an explicit one.

        Either form can be given wherever a deal is asked for.
        """
        if self.number is not None:
            return deal_code(self.number)
        return cards.cards_text(self.order).replace(" ", "")

    @property
    def name(self) -> str:
        """What tables and pictures call the deal: its code, or ``explicit deal``."""
        return EXPLICIT_NAME if self.number is None else deal_code(self.number)

    @property
    def text(self) -> str:
        """The cards in lines: ten columns, bottom card first, then the stock, next card first."""
        lines = [self.order[i : i + FULL.column_cards] for i in range(0, FULL.tableau, 4)]
        lines += [
            self.order[i : i + _STOCK_LINE] for i in range(FULL.tableau, FULL.deck, _STOCK_LINE)
        ]
        return "\n".join(cards.cards_text(line) for line in lines)

    def __str__(self) -> str:
        return self.code


_MOST_NAMED: Final = 4  # wrong cards in a message
_SORTED_TYPES: Final = range(1, cards.CARD_TYPES + 1)


def parse_deal(value: SupportsIndex | str | Deal) -> Deal:
    """Return the deal meant by a number, a code, 104 cards as text, or a `Deal`.

    A number may be written in digits.

    >>> {parse_deal(value).number for value in (21, np.int64(21), "21", "ft1-n-aaaaaav")}
    {21}

    Raises:
        ValueError: The value has the right type but names no deal.
        TypeError: The value has another type.
    """
    if isinstance(value, Deal):
        return value
    if isinstance(value, str):
        digits = value.strip()
        if digits.isascii() and digits.isdigit():
            return Deal.from_number(_whole(digits))
        if re.match(r"\s*FT", value, re.IGNORECASE) or len(value.strip()) < FULL.deck:
            return Deal.from_code(value)
        return Deal.from_text(value)
    if isinstance(value, (bool, np.ndarray)) or not hasattr(value, "__index__"):
        raise TypeError(
            f"a deal is a number, a code such as {deal_code(21)}, 104 cards as text, or a Deal; "
            f"got {type(value).__name__}"
        )
    return Deal.from_number(value)


def _whole(digits: str) -> int:
    if len(digits.lstrip("0")) > len(str(DEALS)):  # Python refuses to convert very long numbers
        raise ValueError(f"a deal number must lie in [0, {DEALS - 1}], got {len(digits)} digits")
    return int(digits)


def _check_order(order: tuple[int, ...]) -> None:
    if len(order) != FULL.deck:
        raise ValueError(f"a deal has {FULL.deck} cards, got {len(order)}")
    _check_copies(list(order), exact=True)


def _check_copies(codes: list[int], *, exact: bool) -> None:
    counts = {code: codes.count(code) for code in _SORTED_TYPES}
    wrong = [
        code
        for code, count in counts.items()
        if count > cards.COPIES or (exact and count < cards.COPIES)
    ]
    if wrong:
        wrong.sort(key=lambda code: -counts[code])  # the repeated ones tell more than the missing
        named = [f"{cards.card_text(code)} {counts[code]} times" for code in wrong[:_MOST_NAMED]]
        more = len(wrong) - len(named)
        rest = f" and {more} more wrong" if more else ""
        raise ValueError(f"each card exists {cards.COPIES} times; got {', '.join(named)}{rest}")
