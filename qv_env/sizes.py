"""How large the game is, in one place.

Everything that depends on a size asks here, so that tests and proofs can search shrunken games
exhaustively with the very kernels that play the full one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from qv_env import cards


class Sizes(NamedTuple):
    """The numbers that make a game.

    Attributes:
        suits: Number of suits; each has two foundations.
        ranks: Cards of one suit in one deck, ace to highest.
        columns: Columns of the tableau.
        column_cards: Cards dealt to each column.
    """

    suits: int
    ranks: int
    columns: int
    column_cards: int

    @property
    def deck(self) -> int:
        """Number of cards in the game."""
        return cards.COPIES * self.suits * self.ranks

    @property
    def foundations(self) -> int:
        """Number of foundations."""
        return cards.COPIES * self.suits

    @property
    def tableau(self) -> int:
        """Number of cards dealt to the tableau."""
        return self.columns * self.column_cards

    @property
    def stock(self) -> int:
        """Number of cards in the stock of a fresh deal."""
        return self.deck - self.tableau

    @property
    def column_limit(self) -> int:
        """The most cards a column can ever hold.

        All dealt cards but the top one can lie out of sequence; from there down the column runs
        in sequence, at most from the highest rank to the ace.
        """
        return self.column_cards - 1 + self.ranks

    @property
    def waste_pile(self) -> int:
        """Pile number of the waste; columns come before it."""
        return self.columns

    @property
    def stock_pile(self) -> int:
        """Pile number of the stock; foundations come between the waste and it."""
        return self.columns + 1 + self.foundations

    @property
    def actions(self) -> int:
        """Number of actions: draw, column moves, waste moves and take-backs."""
        return (
            1
            + self.columns * (self.columns - 1 + self.foundations)
            + (self.columns + self.foundations)
            + self.foundations * self.columns
        )


FULL: Final = Sizes(suits=cards.SUITS, ranks=cards.RANKS, columns=10, column_cards=4)
