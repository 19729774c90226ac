"""Cards and piles as objects that read well."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Final

from qv_env.actions import pile_text
from qv_env.cards import (
    NO_CARD,
    RANK_LETTERS,
    RANKS,
    SUIT_NAMES,
    card_code,
    card_rank,
    card_suit,
    card_text,
    parse_card,
)
from qv_env.sizes import FULL

_SYMBOLS: Final = "♠♥♦♣"
_RED: Final = ("hearts", "diamonds")


@dataclasses.dataclass(frozen=True)
class Card:
    """A card, which both of its copies are.

    Attributes:
        code: Its code in [1, 52], as in `qv_env.cards`.

    >>> ten = Card.parse("TD")
    >>> ten, str(ten), ten.suit, ten.rank, ten.symbol, ten.is_red
    (Card('TD'), 'TD', 'diamonds', 10, '10♦', True)

    Raises:
        ValueError: There is no card of that code.
    """

    code: int

    def __post_init__(self) -> None:
        card_text(self.code)  # raises for codes out of range

    @classmethod
    def parse(cls, text: str) -> Card:
        """Return the card written as rank and suit, such as ``AS`` or ``td``."""
        return cls(parse_card(text))

    @property
    def suit(self) -> str:
        """``spades``, ``hearts``, ``diamonds`` or ``clubs``."""
        return SUIT_NAMES[card_suit(self.code)]

    @property
    def rank(self) -> int:
        """1 for an ace to 13 for a king."""
        return card_rank(self.code)

    @property
    def symbol(self) -> str:
        """The card as a person writes it: ``A♠``, ``10♦``."""
        letter = RANK_LETTERS[self.rank - 1]
        return ("10" if letter == "T" else letter) + _SYMBOLS[card_suit(self.code)]

    @property
    def is_red(self) -> bool:
        """Whether the suit is hearts or diamonds."""
        return self.suit in _RED

    def __str__(self) -> str:
        return card_text(self.code)

    def __repr__(self) -> str:
        return f"Card({card_text(self.code)!r})"


class Pile(tuple[Card, ...]):  # noqa: SLOT001  # a tuple with an attribute can have no slots
    """The cards of a place from the bottom up, as they lie at one moment.

    Attributes:
        place: The place's name, such as ``t3`` or ``w``.

    >>> pile = Pile("t3", [40, 39])
    >>> pile, pile.top, len(pile), str(pile)
    (Pile('t3: AC KD'), Card('KD'), 2, 'AC KD')
    """

    place: str

    def __new__(cls, place: str, codes: Iterable[int]) -> Pile:
        """Make a pile of card codes, bottom card first."""
        pile = super().__new__(cls, [Card(code) for code in codes])
        pile.place = place
        return pile

    def __getnewargs__(self) -> tuple[str, list[int]]:
        return self.place, [card.code for card in self]

    @property
    def top(self) -> Card | None:
        """The card that can move, or None in an empty place."""
        return self[-1] if self else None

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.place}: {self}')".replace(": ')", ":')")


class Foundation(Pile):
    """A pile of one suit from the ace upwards.

    >>> pile = Foundation("f2", [14, 15])
    >>> pile, pile.suit, pile.wants
    (Foundation('f2: AH 2H'), 'hearts', Card('3H'))
    """

    @property
    def suit(self) -> str:
        """The foundation's suit, which it has when it is empty too."""
        return SUIT_NAMES[self._suit]

    @property
    def wants(self) -> Card | None:
        """The next card it takes, or None when it is full."""
        if len(self) == RANKS:
            return None
        return Card(card_code(self._suit, len(self) + 1))

    @property
    def _suit(self) -> int:
        return (int(self.place[1:]) - 1) % FULL.suits


def columns_of(state: Any) -> tuple[Pile, ...]:
    """Return the ten columns of a state record, from left to right."""
    return tuple(
        Pile(pile_text(c), state["columns"][c, :height].tolist())
        for c, height in enumerate(state["heights"].tolist())
    )


def waste_of(state: Any) -> Pile:
    """Return the waste of a state record."""
    return Pile(pile_text(FULL.waste_pile), state["waste"][: state["waste_count"]].tolist())


def foundations_of(state: Any) -> tuple[Foundation, ...]:
    """Return the eight foundations of a state record, from left to right."""
    piles = []
    for f, height in enumerate(state["foundations"].tolist()):
        first = NO_CARD + 1 + RANKS * (f % FULL.suits)
        cards = range(first, first + height)
        piles.append(Foundation(pile_text(FULL.waste_pile + 1 + f), cards))
    return tuple(piles)
