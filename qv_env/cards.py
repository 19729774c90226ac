"""What a card is: suit, rank, code and text.

A card *code* is a small integer: 0 means "no card", and ``1 + 13 * suit + (rank - 1)`` is a card,
with suits numbered spades 0, hearts 1, diamonds 2, clubs 3 and ranks ace 1 to king 13. The next
lower card of the same suit is therefore always ``code - 1``. The two copies of a card share one
code, since the game never tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase, ascii_uppercase
from typing import Final

SUITS: Final = 4
RANKS: Final = 13
COPIES: Final = 2
CARD_TYPES: Final = SUITS * RANKS
DECK_SIZE: Final = COPIES * CARD_TYPES

NO_CARD: Final = 0

SUIT_LETTERS: Final = "SHDC"
SUIT_NAMES: Final = ("spades", "hearts", "diamonds", "clubs")
RANK_LETTERS: Final = "A23456789TJQK"


def card_code(suit: int, rank: int) -> int:
    """Return the code, in [1, 52], of the card with this suit (0 to 3) and rank (1 to 13).

    >>> card_code(suit=0, rank=1), card_code(suit=3, rank=13)
    (1, 52)
    """
    if not 0 <= suit < SUITS:
        raise ValueError(f"suit must lie in [0, {SUITS - 1}], got {suit}")
    if not 1 <= rank <= RANKS:
        raise ValueError(f"rank must lie in [1, {RANKS}], got {rank}")
    return 1 + RANKS * suit + rank - 1


def card_suit(code: int) -> int:
    """Return the suit, in [0, 3], of a card code in [1, 52]."""
    return (_checked(code) - 1) // RANKS


def card_rank(code: int) -> int:
    """Return the rank, in [1, 13], of a card code in [1, 52]."""
    return (_checked(code) - 1) % RANKS + 1


def card_text(code: int) -> str:
    """Return a card as two letters, rank then suit.

    >>> card_text(1), card_text(23), card_text(52)
    ('AS', 'TH', 'KC')
    """
    return RANK_LETTERS[card_rank(code) - 1] + SUIT_LETTERS[card_suit(code)]


def ascii_upper(text: str) -> str:
    """Return a text with a to z as capitals; other letters stay as they are.

    Some of those have capitals among A to Z, and would be taken for what they are not.

    >>> ascii_upper("as \u017f")
    'AS \u017f'
    """
    return text.translate(_CAPITALS)


def parse_card(text: str) -> int:
    """Return the code of a card written as rank and suit, in either case.

    >>> parse_card("td"), card_text(parse_card("QH"))
    (36, 'QH')

    Raises:
        ValueError: The text is not a rank letter followed by a suit letter.
    """
    letters = ascii_upper(text.strip())
    if letters not in _CODE_BY_TEXT:
        raise ValueError(
            f"not a card: {text!r}; expected a rank of {RANK_LETTERS} and a suit of "
            f"{SUIT_LETTERS}, such as AS or TD"
        )
    return _CODE_BY_TEXT[letters]


def parse_cards(text: str) -> list[int]:
    """Return the codes of cards written one after another; blanks between them are optional.

    >>> parse_cards("AS 2s  TDKC")
    [1, 2, 36, 52]

    Raises:
        ValueError: A pair of letters is not a card; the message says which one.
    """
    letters = "".join(text.split())
    codes = []
    for start in range(0, len(letters), 2):
        try:
            codes.append(parse_card(letters[start : start + 2]))
        except ValueError as error:
            raise ValueError(f"card {start // 2 + 1}: {error}") from None
    return codes


def cards_text(codes: Iterable[int]) -> str:
    """Return cards as text separated by single blanks.

    >>> cards_text([1, 36])
    'AS TD'
    """
    return " ".join(card_text(code) for code in codes)


def _checked(code: int) -> int:
    if not 1 <= code <= CARD_TYPES:
        raise ValueError(f"a card code must lie in [1, {CARD_TYPES}], got {code}")
    return code


_CAPITALS: Final = str.maketrans(ascii_lowercase, ascii_uppercase)
_CODE_BY_TEXT: Final = {card_text(code): code for code in range(1, CARD_TYPES + 1)}
