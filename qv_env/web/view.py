"""What a page is told of a game: positions and plies as plain data for JSON.

A page sees what a player sees: of the stock only the number of its cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qv_env.actions import ACTIONS, parse_action, pile_text
from qv_env.cards import card_text
from qv_env.game import Game
from qv_env.game.piles import columns_of, foundations_of, waste_of
from qv_env.history import UNDO, operation_number, operation_text
from qv_env.replay import Replay
from qv_env.sizes import FULL


def position_view(state: Any) -> dict[str, Any]:
    """Return a position as a page's board takes it.

    Args:
        state: A state record of the full game.

    Returns:
        ``piles``, the cards of each place but the stock from the bottom up, as text without
        blanks (``"t1": "JHQDTHKD"``); and the numbers ``stock``, ``score`` and ``moves``.

    >>> from qv_env import Game
    >>> view = position_view(Game(21).state)
    >>> view["piles"]["t1"], view["piles"]["w"], view["stock"]
    ('JHQDTHKD', '', 64)
    """
    piles = (*columns_of(state), waste_of(state), *foundations_of(state))
    return {
        "piles": {pile.place: "".join(map(str, pile)) for pile in piles},
        "stock": int(state["stock_count"]),
        "score": int(state["score"]),
        "moves": int(state["moves"]),
    }


def ply_views(replay: Replay) -> list[dict[str, Any]]:
    """Return the operations of a replay, one for each step between two of its positions.

    Returns:
        For each ply ``move``, its text; ``from`` and ``to``, the places that the card left and
        came to; ``card``, the card as two letters; and ``gain``, the score's change.
    """
    done: list[int] = []
    views = []
    for before, after, operation in zip(
        replay.states, replay.states[1:], replay.actions, strict=False
    ):
        if operation == UNDO:
            undone = ACTIONS[done.pop()]
            source, destination = undone.destination, undone.source
        else:
            done.append(operation)
            source, destination = ACTIONS[operation].source, ACTIONS[operation].destination
        views.append(
            {
                "move": operation_text(operation),
                "from": pile_text(source),
                "to": pile_text(destination),
                "card": _moved_card(before, after, source, destination),
                "gain": int(after["score"]) - int(before["score"]),
            }
        )
    return views


def favoured_views(favoured: Sequence[tuple[int, float]]) -> list[dict[str, Any]]:
    """Return actions with numbers as a page shows them: ``move``, ``from``, ``to``, ``number``.

    An undo has no places.

    >>> favoured_views([(0, 0.75)])
    [{'move': 'draw', 'number': 0.75, 'from': 'stock', 'to': 'w'}]
    """
    views: list[dict[str, Any]] = []
    for operation, number in favoured:
        view: dict[str, Any] = {"move": operation_text(operation), "number": number}
        if operation != UNDO:
            action = ACTIONS[operation]
            view |= {"from": pile_text(action.source), "to": pile_text(action.destination)}
        views.append(view)
    return views


def game_view(game: Game) -> dict[str, Any]:
    """Return a person's game as the page of ``qv play`` takes it.

    Returns:
        ``position`` (`position_view`); ``deal``, its name, and ``code``; ``legal``, the legal moves
        as text; ``undoable`` and ``redoable``, how many operations; ``last``, the last move that
        stands, or None; ``won`` and ``stuck``; and ``operations``, all that was done, as numbers.
    """
    undoable = game.undoable
    return {
        "position": position_view(game.state),
        "deal": game.deal.name if game.deal else None,
        "code": game.code,
        "legal": list(game.legal_moves),
        "undoable": len(undoable),
        "redoable": len(game.redoable),
        "last": move_view("push", undoable[-1]) if undoable else None,
        "won": game.is_won,
        "stuck": game.is_stuck,
        "operations": [operation_number(text) for text in game.operations],
    }


def move_view(deed: str, move: str) -> dict[str, Any]:
    """Return what was done and the move that it came to, with the places of that move.

    >>> move_view("tap", "draw")
    {'do': 'tap', 'move': 'draw', 'from': 'stock', 'to': 'w'}
    """
    action = ACTIONS[parse_action(move)]
    places = {"from": pile_text(action.source), "to": pile_text(action.destination)}
    return {"do": deed, "move": move, **places}


def _moved_card(before: Any, after: Any, source: int, destination: int) -> str:
    """Return the card that lay on top of the source, or came from the stock."""
    state, pile = (after, destination) if source == FULL.stock_pile else (before, source)
    return card_text(int(state["tops"][pile]))
