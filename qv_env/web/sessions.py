"""The games of all open pages: many at once, the idle ones dropped."""

from __future__ import annotations

import dataclasses
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

from qv_env.episodes.episode import LONGEST_NAME
from qv_env.game import Game

MOST_GAMES: Final = 200
IDLE_SECONDS: Final = 12 * 60 * 60
_ID_BYTES: Final = 12
PERSON: Final = "person"


@dataclasses.dataclass
class Session:
    """One page's game.

    Attributes:
        id: What the page calls it; it cannot be guessed.
        game: The game as it stands.
        revision: Counts the changes, so that a page that shows an older state is found out.
        used: When it was last asked for, in seconds of the store's clock.
        players: Who has made a move in this game.
    """

    id: str
    game: Game
    revision: int = 0
    used: float = 0.0
    players: set[str] = dataclasses.field(default_factory=set)

    def begin(self, game: Game, players: Iterable[str] = ()) -> None:
        """Put another game, in which some have made moves, in the place of this one."""
        self.game = game
        self.players = set(players)
        self.revision += 1

    @property
    def player(self) -> str:
        """Who played, as an episode file says it, which has room for so much."""
        names = " and ".join(self.by_name) or PERSON
        return names if len(names) <= LONGEST_NAME else f"{names[: LONGEST_NAME - 1]}…"

    @property
    def by_name(self) -> list[str]:
        """Who has made a move, the person first."""
        return sorted(self.players, key=lambda name: (name != PERSON, name))


class Sessions:
    """A store of sessions, the longest unused first.

    Args:
        most: Games kept; one more, and the longest unused is dropped.
        idle_seconds: How long an unused game is kept.
        clock: Seconds that only grow.
    """

    def __init__(
        self,
        *,
        most: int = MOST_GAMES,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, game: Game, players: Iterable[str] = ()) -> Session:
        """Keep a game, in which some have made moves, under a new id."""
        session_id = secrets.token_urlsafe(_ID_BYTES)
        session = Session(session_id, game, used=self._clock(), players=set(players))
        self._sessions[session.id] = session
        self._drop_idle()
        return session

    def find(self, session_id: str) -> Session | None:
        """Return the session of an id, which is now the last used; None if there is none."""
        self._drop_idle()
        session = self._sessions.get(session_id)
        if session is not None:
            session.used = self._clock()
            self._sessions.move_to_end(session_id)
        return session

    def clear(self) -> None:
        """Drop all games."""
        self._sessions.clear()

    def _drop_idle(self) -> None:
        oldest = self._clock() - self._idle_seconds
        while self._sessions:
            first = next(iter(self._sessions.values()))
            if len(self._sessions) <= self._most and first.used >= oldest:
                return
            del self._sessions[first.id]
