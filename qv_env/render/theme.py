"""The colours of a picture."""

from __future__ import annotations

from typing import Final, NamedTuple

Colour = tuple[int, int, int]


class Theme(NamedTuple):
    """Colours as red, green and blue in [0, 255].

    Attributes:
        suits: One colour for each suit: spades, hearts, diamonds, clubs.
        table: The cloth at its lightest, at the top of the picture.
        table_dark: The cloth at its darkest, at the bottom.
        groove: Outlines of empty places.
        header: The strip at the top.
        label: Names of places and of figures.
        figure: The figures themselves.
        paper: A card's face.
        edge: A card's outline.
        back: A card's back.
        back_line: The pattern on it.
        accent: The ring around the card that moved last, and court cards' crowns.
    """

    suits: tuple[Colour, Colour, Colour, Colour]
    table: Colour = (52, 116, 92)
    table_dark: Colour = (34, 84, 68)
    groove: Colour = (116, 168, 146)
    header: Colour = (22, 50, 43)
    label: Colour = (164, 203, 187)
    figure: Colour = (255, 255, 255)
    paper: Colour = (253, 252, 247)
    edge: Colour = (150, 152, 146)
    back: Colour = (46, 84, 138)
    back_line: Colour = (122, 158, 206)
    accent: Colour = (240, 180, 41)


_BLACK: Final = (32, 36, 40)
_RED: Final = (200, 32, 44)

TWO_COLOURS: Final = Theme(suits=(_BLACK, _RED, _RED, _BLACK))
# Those of the pages, which every kind of colour vision tells apart.
FOUR_COLOURS: Final = Theme(suits=((22, 25, 29), (201, 42, 0), (43, 58, 208), (0, 125, 92)))
