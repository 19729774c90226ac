"""`Table`: what lies on the table, and what the rules say about it."""

from __future__ import annotations

from typing import Any

from qv_env import engine
from qv_env.actions import pile_text
from qv_env.course import Course
from qv_env.deals import Deal
from qv_env.game import placing
from qv_env.game.html import table_html
from qv_env.game.moves import LegalMoves, Move, Place, UnnumberedPairError, action_of, pile_of
from qv_env.game.piles import Foundation, Pile, columns_of, foundations_of, waste_of
from qv_env.game.position import position_text
from qv_env.refusals import pair_refusal_text, refusal_text


class Table:
    """The readable half of `qv_env.Game`, which changes nothing.

    Args:
        course: The game in progress; what is read is always its present state.
        deal: The deal, where it is known.
    """

    def __init__(self, course: Course, deal: Deal | None) -> None:
        self._course = course
        self._deal = deal

    @property
    def deal(self) -> Deal | None:
        """The deal, or None if the game began from a position that names none."""
        return self._deal

    @property
    def code(self) -> str | None:
        """The deal's code; an explicit deal's 104 cards in one word; None without a deal.

        >>> from qv_env import Game

        >>> Game(21).code
        'FT1-N-AAAAAAV'
        """
        return None if self._deal is None else self._deal.code

    @property
    def state(self) -> Any:
        """A copy of the state record (`qv_env.engine`), such as `qv_env.render` takes."""
        return self._course.state.copy()

    @property
    def columns(self) -> tuple[Pile, ...]:
        """The ten columns from left to right, as they are now.

        >>> from qv_env import Game

        >>> [str(column.top) for column in Game(21).columns]
        ['KD', 'JH', '9C', 'QS', '8S', '8D', 'KS', '2C', '6S', '6H']
        """
        return columns_of(self._course.state)

    @property
    def waste(self) -> Pile:
        """The waste as it is now; its top is the card drawn last that has not been played."""
        return waste_of(self._course.state)

    @property
    def foundations(self) -> tuple[Foundation, ...]:
        """The eight foundations from left to right, as they are now.

        >>> from qv_env import Game

        >>> Game(21).foundations[1].wants
        Card('AH')
        """
        return foundations_of(self._course.state)

    @property
    def stock_count(self) -> int:
        """How many cards are left to draw."""
        return int(self._course.state["stock_count"])

    @property
    def score(self) -> int:
        """The app's score."""
        return int(self._course.state["score"])

    @property
    def moves(self) -> int:
        """Moves and draws made; an undo does not lower it, a redo counts once more.

        It stops at 65,535.
        """
        return int(self._course.state["moves"])

    @property
    def is_won(self) -> bool:
        """Whether all 104 cards lie on the foundations."""
        return bool(engine.is_won(self._course.state))

    @property
    def is_stuck(self) -> bool:
        """Whether no move is legal though the game is not won; an undo may help."""
        return not self.is_won and not self.legal_moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves, found when they are asked for; none in a won game.

        >>> from qv_env import Game

        >>> game = Game(21)
        >>> bool(game.legal_moves), len(game.legal_moves), "t1>f1" in game.legal_moves
        (True, 2, False)
        >>> game.legal_moves
        <LegalMoves: draw, t4>t7>
        """
        return LegalMoves(self._course)

    def targets(self, source: Place) -> tuple[str, ...]:
        """Return the places that accept the top card of a place: columns, then foundations.

        The stock's card goes to ``w``. There are none for an empty place or in a won game.

        >>> from qv_env import Game

        >>> Game("FT1-N-AAAAAAV").targets("t4")
        ('t7',)
        """
        pile = pile_of(source)
        if self.is_won:
            return ()
        return tuple(map(pile_text, placing.accepting(self._course.state, pile)))

    def why_not(self, move: Move) -> str | None:
        """Return the rule that forbids a move in one sentence, or None if it is legal.

        Raises:
            ValueError: It is no move at all.

        >>> from qv_env import Game

        >>> game = Game("FT1-N-AAAAAAV")
        >>> game.why_not("w>t1"), game.why_not("draw")
        ('There is no card to move there.', None)
        >>> game.why_not(("f1", "f2"))
        'Cards never move from a foundation to a foundation.'
        """
        try:
            refusal = self._course.refusal(action_of(move))
        except UnnumberedPairError as error:
            return pair_refusal_text(error.source, error.destination)
        return None if refusal == engine.LEGAL else refusal_text(refusal)

    @property
    def position(self) -> str:
        """The whole position as text, from which `Game` makes an equal game.

        It has the order of the stock, which no player sees, and says nothing of what can be
        undone; `qv_env.game.position` describes it.

        >>> from qv_env import Game

        >>> game = Game(21)
        >>> Game(game.position) == game
        True
        """
        return position_text(self._course.state, self._deal)

    def __eq__(self, other: object) -> bool:
        """Whether deal, cards, score and counter of moves are equal; undos do not count."""
        if not isinstance(other, Table):
            return NotImplemented
        same_state = self._course.state.tobytes() == other._course.state.tobytes()
        return same_state and self._deal == other._deal

    __hash__ = None  # type: ignore[assignment]  # a game changes, so it cannot be a key

    def __str__(self) -> str:
        from qv_env.render import render_text

        return render_text(self._course.state, deal=self._deal.name if self._deal else "")

    def __repr__(self) -> str:
        name = self._deal.name if self._deal else "a position"
        return f"<Game of {name}: score {self.score}, {self.moves} moves>"

    def _repr_html_(self) -> str:
        return table_html(self)
