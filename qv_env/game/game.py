"""`Game`, a game for people."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from qv_env import engine
from qv_env.actions import DRAW, action_text, pile_text
from qv_env.course import Course
from qv_env.deals import Deal, parse_deal, split_numbers
from qv_env.game import placing
from qv_env.game.moves import Move, Place, UnnumberedPairError, action_of, pile_of
from qv_env.game.position import parse_position
from qv_env.game.table import Table
from qv_env.history import UNDO, UNDO_TEXT, operation_text
from qv_env.refusals import NOTHING_TO_REDO, pair_refusal_text, refusal_text
from qv_env.sizes import FULL

if TYPE_CHECKING:
    from qv_env.episodes import Episode

_REDO_TEXT = "redo"


class RefusedError(ValueError):
    """A move is against the rules, or nothing is there to undo or redo; nothing has changed.

    Attributes:
        move: What was refused, as text.
        reason: The broken rule in one sentence, the one that `Game.why_not` and the environments'
            ``info["refused"]`` give as well.
    """

    def __init__(self, move: str, reason: str) -> None:
        super().__init__(f"{move}: {reason}")
        self.move = move
        self.reason = reason

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (self.move, self.reason)


class Game(Table):
    """A game of Quarante Voleurs as a person plays it.

    Places are named as a player counts them: columns ``t1`` to ``t10``, the waste ``w``,
    foundations ``f1`` to ``f8``, and the ``stock``. A move is ``draw`` or ``SOURCE>DESTINATION``;
    wherever one is asked for, an action number or a pair of places will do as well.

    >>> game = Game("FT1-N-AAAAAAV")
    >>> game.columns[0]
    Pile('t1: JH QD TH KD')
    >>> list(game.legal_moves)
    ['draw', 't4>t7']
    >>> game.push("draw")
    'draw'
    >>> game.waste.top, game.stock_count, game.score, game.moves
    (Card('5D'), 63, 0, 1)

    Args:
        deal: A deal number, a code, 104 cards as text, a `qv_env.Deal`, or the text of a whole
            position (`position`). None deals a random number of the train split.

    Raises:
        ValueError: The value names no deal and no position; the message says why.
        TypeError: The value has another type.
    """

    def __init__(self, deal: SupportsIndex | str | Deal | None = None) -> None:
        from_position = isinstance(deal, str) and ":" in deal
        if isinstance(deal, str) and from_position:
            start, known_deal = parse_position(deal)
        else:
            known_deal = _random_deal() if deal is None else parse_deal(deal)
            start = engine.new_state()
            engine.deal(start, known_deal.cards)
        super().__init__(Course(start), known_deal)
        self._from_position = from_position
        self._redoable: list[int] = []
        self._operations: list[int] = []

    @classmethod
    def from_episode(cls, episode: Episode) -> Self:
        """Return the game that an episode tells, at its end, with its last 100 plies to undo.

        Raises:
            RefusedError: A ply is against the rules.
        """
        game = cls(episode.deal)
        for operation in episode.actions:
            if operation == UNDO:
                game.undo()
            else:
                game.push(operation)
        return game

    # What can be done.

    def push(self, move: Move) -> str:
        """Make a move and return it as text.

        Args:
            move: A text such as ``t3>f2`` or ``draw``, a pair of places such as ``("t3", "f2")``
                (names or pile numbers), or an action number in [0, 268].

        Raises:
            RefusedError: The move is against the rules; its ``reason`` says which.
            ValueError: It is no move at all.

        >>> game = Game(21)
        >>> game.push(("t4", "t7"))
        't4>t7'
        >>> game.push("t1>t2")
        Traceback (most recent call last):
        qv_env.game.game.RefusedError: t1>t2: A column is built in one suit.
        """
        action = self._allowed(move)
        self._make(action)
        self._redoable.clear()
        return action_text(action)

    def draw(self) -> str:
        """Turn one card of the stock over; short for ``push("draw")``."""
        return self.push(DRAW)

    def undo(self) -> str:
        """Undo the last operation, a move or a draw, and return it as text.

        Cards and score are as they were before it; the counter `moves` stays. The last 100
        operations can be undone.

        Raises:
            RefusedError: Nothing is left to undo.

        >>> game = Game(21)
        >>> game.push("t4>t7"), game.undo(), game.moves, game == Game(21)
        ('t4>t7', 't4>t7', 1, False)
        >>> game.undo()
        Traceback (most recent call last):
        qv_env.game.game.RefusedError: undo: There is nothing to undo.
        """
        refusal = self._course.refusal(UNDO)
        if refusal != engine.LEGAL:
            raise RefusedError(UNDO_TEXT, refusal_text(refusal))
        undone = self._course.make(UNDO)
        self._operations.append(UNDO)
        self._redoable.append(undone)
        return action_text(undone)

    def redo(self) -> str:
        """Make the operation that was undone last again and return it as text.

        What was undone is forgotten when another move is made.

        Raises:
            RefusedError: Nothing is left to redo.

        >>> game = Game(21)
        >>> game.draw(), game.undo(), game.redo(), game.stock_count, game.moves
        ('draw', 'draw', 'draw', 63, 2)
        """
        if not self._redoable:
            raise RefusedError(_REDO_TEXT, refusal_text(NOTHING_TO_REDO))
        action = self._redoable.pop()
        self._make(action)
        return action_text(action)

    @property
    def undoable(self) -> tuple[str, ...]:
        """The operations that can be undone, at most 100, the oldest first."""
        return tuple(map(action_text, self._course.last_operations()))

    @property
    def redoable(self) -> tuple[str, ...]:
        """The operations that can be redone, the next one last."""
        return tuple(map(action_text, self._redoable))

    @property
    def operations(self) -> tuple[str, ...]:
        """All that was done since the game began: moves, and ``undo``; a redo is a move.

        >>> game = Game(21)
        >>> game.draw(), game.undo(), game.redo(), game.operations
        ('draw', 'draw', 'draw', ('draw', 'undo', 'draw'))
        """
        return tuple(map(operation_text, self._operations))

    # What the app's gestures do; `qv_env.game.placing` has the order of preference.

    def tap(self, place: Place) -> str:
        """Do what a tap on the top card of a place does, and return the move as text.

        A column's card goes to the leftmost foundation that accepts it. The waste's card does so
        too or, failing that, goes to the leftmost column that accepts it, empty ones included.
        The stock turns a card over.

        Raises:
            RefusedError: Nothing accepts the card, there is none, or the place is a foundation.

        >>> game = Game("FT1-N-AAAAAAV")
        >>> game.tap("stock")
        'draw'
        >>> game.tap("t10")
        Traceback (most recent call last):
        qv_env.game.game.RefusedError: tap t10: A foundation is built upwards from the ace...
        """
        source = pile_of(place)
        return self._send("tap", source, placing.tap_target(self._course.state, source))

    def double_tap(self, place: Place) -> str:
        """Do what a double click on the top card of a place does, and return the move as text.

        The card goes to the leftmost foundation that accepts it; failing that, to the longest
        column that accepts it, the leftmost of equally long ones; failing that, to the leftmost
        empty column. The stock turns a card over.

        Raises:
            RefusedError: As for `tap`.

        >>> Game("FT1-N-AAAAAAV").double_tap("t4")
        't4>t7'
        """
        source = pile_of(place)
        target = placing.double_tap_target(self._course.state, source)
        return self._send("double tap", source, target)

    def drop(self, source: Place, place: Place, *, auto: bool = False) -> str:
        """Do what dragging a place's top card to another place does, and return the move as text.

        Args:
            source: Where the card is taken.
            place: Where it is dropped.
            auto: Automatic placement: wherever the card is dropped, but for its own place, it goes
                where `double_tap` sends it; the card of a foundation goes to a column.

        Raises:
            RefusedError: The move is against the rules; the card lies where it was.

        >>> Game("FT1-N-AAAAAAV").drop("t4", "t1", auto=True)
        't4>t7'
        """
        start, end = pile_of(source), pile_of(place)
        if auto and start not in (end, FULL.stock_pile):
            return self._send("drop", start, placing.best_target(self._course.state, start))
        return self.push((start, end))

    # What can be kept.

    def episode(self, agent: str | None = None) -> Episode:
        """Return what was done since the deal as an episode for a file; undos are part of it.

        Args:
            agent: Who played.

        Raises:
            ValueError: The game began from a position, so that its first moves are not known.

        >>> game = Game(21)
        >>> game.draw(), game.episode("me").actions
        ('draw', (0,))
        """
        from qv_env.episodes import EpisodeSettings, make_episode

        if self._from_position or self._deal is None:
            raise ValueError(
                "the game began from a position; only a game from its deal on makes an episode"
            )
        settings = EpisodeSettings(undo=UNDO in self._operations, max_episode_steps=None)
        return make_episode(self._deal, self._operations, agent=agent, settings=settings)

    def copy(self) -> Self:
        """Return a game that goes its own way from here, with the same undos and redos."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._course = self._course.copy()
        twin._redoable = self._redoable.copy()
        twin._operations = self._operations.copy()
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def _allowed(self, move: Move) -> int:
        """Return the action of a move that is not refused."""
        try:
            action = action_of(move)
        except UnnumberedPairError as error:
            text = f"{error.source}>{error.destination}"
            reason = pair_refusal_text(error.source, error.destination)
            raise RefusedError(text, reason) from None
        refusal = self._course.refusal(action)
        if refusal != engine.LEGAL:
            raise RefusedError(action_text(action), refusal_text(refusal))
        return action

    def _make(self, action: int) -> None:
        self._course.make(action)
        self._operations.append(action)

    def _send(self, gesture: placing.Gesture, source: int, target: int) -> str:
        """Move a card to a pile that accepts it, or raise if there is none."""
        if target == placing.NOWHERE or self.is_won:
            reason = placing.why_nowhere(self._course.state, source, gesture)
            raise RefusedError(f"{gesture} {pile_text(source)}", refusal_text(reason))
        return self.push((source, target))


def _random_deal() -> Deal:
    numbers = split_numbers("train")
    return Deal.from_number(numbers[random.SystemRandom().randrange(len(numbers))])
