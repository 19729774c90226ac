"""When a game seems lost: the planner's judgement, for people who play."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.closure import search, workspace
from agents.search.moves import make_safe_moves
from agents.search.weights import load_weights
from qv_env.cards import DECK_SIZE
from qv_env.game import Game

NODES: Final = 5_000
_WARM_UP_DEAL: Final = 0  # of the train split


class PlannerOutlook:
    """Says by the planner's search when nothing helps; see `qv_env.web.advice.Outlook`.

    With cards left to draw there is always something to hope for. Without, a game is hopeless if
    the search finds no position with more cards on the foundations. It is a judgement, no proof:
    the search leaves moves out, and stops after 5,000 positions.
    """

    def __init__(self) -> None:
        self._room = workspace(NODES)
        self._weights = load_weights()
        self._actions = np.zeros(DECK_SIZE, np.int16)

    def prepare(self) -> None:
        """Search a deal, so that no person waits for the compilation."""
        state = Game(_WARM_UP_DEAL).state
        make_safe_moves(state, self._actions, 0)
        self._search(state)

    def is_hopeless(self, game: Game) -> bool:
        """Return whether the search finds nothing; False in a won game."""
        state = game.state
        before = _cards_up(state)
        if int(state["stock_count"]) > 0 or game.is_won:
            return False
        make_safe_moves(state, self._actions, 0)
        if _cards_up(state) > before:
            return False
        found = self._search(state)
        return bool((found["foundations"].sum(axis=1) <= before).all())

    def _search(self, state: Any) -> Any:
        """Return the positions that the search finds, as state records."""
        room = self._room[0]
        search(room, state, self._weights, NODES)
        return room["states"][: int(room["count"])]


def _cards_up(state: Any) -> int:
    return int(state["foundations"].sum())
