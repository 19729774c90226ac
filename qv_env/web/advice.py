"""What the page asks of an agent, as an interface: this package knows no agents.

Whoever starts the server may hand it an `Adviser`, which speaks for one agent, and an `Outlook`,
which tells when nothing is to be hoped for any more.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from qv_env.game import Game


class AdviceError(RuntimeError):
    """An agent failed; the message is one line."""


class Advice(NamedTuple):
    """What an agent would do in a position.

    Attributes:
        actions: The actions that it would make from here, up to the next draw; at least one.
        measure: What the numbers are: probabilities, or values in a unit of the agent's own; None
            for an agent that does not rate its choices.
        favoured: The best-rated actions with their numbers, best first; empty without a measure,
            and where the agent rates nothing or was not asked to.
    """

    actions: tuple[int, ...]
    measure: Literal["probability", "value"] | None
    favoured: tuple[tuple[int, float], ...]


class Adviser(Protocol):
    """Speaks for an agent. It is called on one thread, never twice at the same time."""

    @property
    def name(self) -> str:
        """The agent's name."""
        ...

    @property
    def sees_stock(self) -> bool:
        """Whether the agent is shown the order of the stock."""
        ...

    def prepare(self) -> None:
        """Do what else the first advice would wait for, such as compiling; it may fail."""
        ...

    def advise(self, game: Game, *, rated: bool = True) -> Advice:
        """Say what the agent would do in a game that has a legal move; the game is not changed.

        Args:
            game: The game.
            rated: Whether the agent's numbers are wanted, which may take as long as the choice.

        Raises:
            AdviceError: The agent failed.
        """
        ...


class Outlook(Protocol):
    """Judges games, on the same thread as the adviser."""

    def prepare(self) -> None:
        """Do what else the first judgement would wait for, such as compiling."""
        ...

    def is_hopeless(self, game: Game) -> bool:
        """Return whether no moves were found that help, and no card is left to draw."""
        ...
