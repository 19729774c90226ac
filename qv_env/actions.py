"""The 269 actions: what each number means, and its text.

Action 0 draws. The others are the (source, destination) pairs that are legal in some state,
ordered by source and then by destination:

========= ============ ============================ ====================================
actions   source       destinations, in this order  text
========= ============ ============================ ====================================
0         stock        the waste                    ``draw``
1-170     column 1-10  the 9 other columns, then    ``t3>t7``, ``t3>f2``
                       foundations 1-8 (17 each)
171-188   waste        columns 1-10, foundations    ``w>t7``, ``w>f2``
                       1-8
189-268   foundation   columns 1-10 (10 each)       ``f6>t10``
          1-8
========= ============ ============================ ====================================

Text counts from 1, as a player does: ``t1`` is the leftmost column and ``f1`` the leftmost
foundation (spades, hearts, diamonds, clubs, and the same four again).

In kernels a place is a *pile* number: columns ``0 .. 9``, the waste ``10``, foundations
``11 .. 18``, and the stock ``19``.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from qv_env.sizes import FULL, Sizes

DRAW: Final = 0


class Action(NamedTuple):
    """One row of the action table.

    Attributes:
        number: The action, in [0, 268].
        source: Pile number of the place the card leaves.
        destination: Pile number of the place the card goes to.
        text: The move as a player writes it, such as ``t3>f2``.
    """

    number: int
    source: int
    destination: int
    text: str


def pile_text(pile: int, sizes: Sizes = FULL) -> str:
    """Return a pile's name: ``t1``.. for columns, ``w``, ``f1``.. for foundations, ``stock``.

    >>> pile_text(0), pile_text(10), pile_text(11), pile_text(19)
    ('t1', 'w', 'f1', 'stock')
    """
    if not 0 <= pile <= sizes.stock_pile:
        raise ValueError(f"a pile number must lie in [0, {sizes.stock_pile}], got {pile}")
    if pile < sizes.columns:
        return f"t{pile + 1}"
    if pile == sizes.waste_pile:
        return "w"
    if pile == sizes.stock_pile:
        return "stock"
    return f"f{pile - sizes.waste_pile}"


def parse_pile(text: str) -> int:
    """Return the number of a pile by its name; case and blanks around it do not matter.

    >>> parse_pile("t1"), parse_pile(" F8 "), parse_pile("stock")
    (0, 18, 19)

    Raises:
        ValueError: There is no such place.
    """
    name = text.strip().lower()
    if name not in _PILE_BY_TEXT:
        raise ValueError(
            f"not a place: {text!r}; columns are t1-t10, foundations f1-f8, the waste is w, "
            "and the stock is stock"
        )
    return _PILE_BY_TEXT[name]


def action_table(sizes: Sizes = FULL) -> tuple[Action, ...]:
    """Return every action of a game of these sizes, in order of their numbers."""
    columns = range(sizes.columns)
    foundations = range(sizes.waste_pile + 1, sizes.stock_pile)
    pairs = [(sizes.stock_pile, sizes.waste_pile)]
    for source in columns:
        pairs += [(source, column) for column in columns if column != source]
        pairs += [(source, foundation) for foundation in foundations]
    pairs += [(sizes.waste_pile, pile) for pile in (*columns, *foundations)]
    pairs += [(foundation, column) for foundation in foundations for column in columns]
    return tuple(
        Action(number, source, destination, _move_text(source, destination, sizes))
        for number, (source, destination) in enumerate(pairs)
    )


def _move_text(source: int, destination: int, sizes: Sizes) -> str:
    if source == sizes.stock_pile:
        return "draw"
    return f"{pile_text(source, sizes)}>{pile_text(destination, sizes)}"


ACTIONS: Final = action_table()
NUM_ACTIONS: Final = len(ACTIONS)

_PILE_BY_TEXT: Final = {pile_text(pile): pile for pile in range(FULL.stock_pile + 1)}
_NUMBER_BY_TEXT: Final = {action.text: action.number for action in ACTIONS}


def action_text(action: int) -> str:
    """Return an action number in [0, 268] as text.

    >>> [action_text(a) for a in (0, 1, 171, 268)]
    ['draw', 't1>t2', 'w>t1', 'f8>t10']

    Raises:
        ValueError: There is no such action.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"an action must lie in [0, {NUM_ACTIONS - 1}], got {action}")
    return ACTIONS[action].text


def parse_action(text: str) -> int:
    """Return the number of an action written as text; case and blanks do not matter.

    >>> parse_action("draw"), parse_action(" T1 > T2 "), parse_action("f8>t10")
    (0, 1, 268)

    Raises:
        ValueError: The text names no action; the message says why.
    """
    move = re.sub(r"\s+", "", text).lower()
    if move in _NUMBER_BY_TEXT:
        return _NUMBER_BY_TEXT[move]
    raise ValueError(f"not an action: {text!r}; {_why_no_action(move)}")


def _why_no_action(move: str) -> str:
    places = re.fullmatch(r"(t\d+|f\d+|w)>(t\d+|f\d+|w)", move)
    if places is None:
        return "expected draw or SOURCE>DESTINATION with places t1-t10, f1-f8 and w, such as t3>f2"
    names = {pile_text(pile) for pile in range(FULL.stock_pile)}
    for place in places.groups():
        if place not in names:
            return f"there is no place {place} (columns are t1-t10, foundations f1-f8)"
    return why_no_pair(*places.groups())


def why_no_pair(source: str, destination: str) -> str:
    """Return why no action leads from one place to another, whatever lies there.

    Args:
        source: Name of a place, such as ``t3``, ``w`` or ``stock``.
        destination: Name of another, so that there is no action for the pair.

    >>> why_no_pair("f1", "f2")
    'cards never move from a foundation to a foundation'
    """
    if source == destination:
        return "source and destination are the same place"
    if destination == "stock":
        return "nothing moves to the stock"
    if source == "stock":
        return "the stock's cards go to the waste and nowhere else"
    if destination == "w":
        return "nothing moves to the waste except by a draw"
    return "cards never move from a foundation to a foundation"
