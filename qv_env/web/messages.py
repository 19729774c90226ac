"""What pages may ask of the server, validated."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from qv_env.episodes.episode import Name
from qv_env.history import UNDO

_LONGEST_DEAL: Final = 400  # 104 cards with blanks between them, and some to spare
_LONGEST_PLACE: Final = 8
_MOST_OPERATIONS: Final = 20_000
_MOST_PLAYERS: Final = 16

Place = Annotated[str, Field(max_length=_LONGEST_PLACE)]
DealText = Annotated[str, Field(max_length=_LONGEST_DEAL)]
Operation = Annotated[int, Field(ge=0, le=UNDO)]
Operations = Annotated[list[Operation], Field(max_length=_MOST_OPERATIONS)]
Players = Annotated[list[Annotated[Name, Field(min_length=1)]], Field(max_length=_MOST_PLAYERS)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Dealing(_Message):
    """What a game begins from."""

    deal: DealText | None = None
    """What to deal, as `qv_env.deals.parse_deal` reads it; None for the server's choice."""
    operations: Operations = []
    """What was done in it already, for a page that gives a game back; 269 undoes."""
    players: Players = []
    """Who did that, as the game's view had it."""


class NewGame(_Dealing):
    """A page asks for a game of its own, be it new or one that the server no longer has."""


class _Deed(_Message):
    revision: int | None = None
    """The revision that the page shows; if it is not the game's, nothing is done."""


class Push(_Deed):
    """Make a move."""

    do: Literal["push"]
    move: Annotated[str, Field(max_length=2 * _LONGEST_PLACE)]


class Tap(_Deed):
    """Do what a tap or a double click on a place does."""

    do: Literal["tap", "double_tap"]
    place: Place


class Drop(_Deed):
    """Do what dragging a card does."""

    do: Literal["drop"]
    source: Place
    target: Place
    auto: bool = False


class Plain(_Deed):
    """Undo, redo, deal the same cards again, or let the agent play one move."""

    do: Literal["undo", "redo", "restart", "agent"]


class DealAnew(_Deed, _Dealing):
    """Begin another game on the same page, or go back to its last one."""

    do: Literal["deal"]


Deed = Annotated[Push | Tap | Drop | Plain | DealAnew, Field(discriminator="do")]

NEW_GAME: Final = TypeAdapter(NewGame)
DEED: Final[TypeAdapter[Push | Tap | Drop | Plain | DealAnew]] = TypeAdapter(Deed)
