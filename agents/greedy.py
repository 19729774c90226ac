"""The greedy agent: the first of a short list of rules that fits.

It looks at what lies on the table and never ahead, apart from the one card that a move uncovers.
The rules, best first, are the constants below. Their order, and the preference among moves of one
rule, gave the best mean score of those tried on 20,000 deals of the train split. Of the choices
that look open, the ones that mattered: foundation moves come first, also where the card could
still have taken others; a card is uncovered before an empty column is filled; and cards rather go
onto high columns than onto low ones.

When nothing but shuffling is left, the game is lost but not over: the agent shuffles on until the
environment's step limit, since giving up is not an action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from agents.agent import ActionMasks, Actions, Observations, Rows, Seeds
from qv_env import read_observation
from qv_env.actions import ACTIONS
from qv_env.cards import NO_CARD, RANKS, SUITS
from qv_env.jit import kernel
from qv_env.sizes import FULL

# The rules, best first. Every rule above `SHUFFLE` makes progress that its successors cannot
# take back, so that a game only ever repeats itself when nothing but shuffling is left.
TO_FOUNDATION: Final = 0  # any card, from anywhere
LENGTHEN: Final = 1  # a column card that lies on another card, or alone, onto its run
UNCOVER: Final = 2  # a column card whose leaving lets the card under it play at once
WASTE_ON_CARD: Final = 3
WASTE_TO_EMPTY: Final = 4
DRAW: Final = 5
COLUMN_TO_EMPTY: Final = 6
SHUFFLE: Final = 7  # from one run to another, to no purpose
TAKE_BACK: Final = 8

_NO_RULE: Final = 9

_SOURCES: Final = np.array([action.source for action in ACTIONS])
_DESTINATIONS: Final = np.array([action.destination for action in ACTIONS])
_COLUMNS: Final = FULL.columns
_WASTE: Final = FULL.waste_pile
_STOCK: Final = FULL.stock_pile
_MOST_IN_COLUMN: Final = FULL.column_limit


class GreedyAgent:
    """Chooses by fixed rules; it leaves nothing to chance and remembers nothing."""

    name: Final = "greedy"
    env_kwargs: ClassVar[Mapping[str, Any]] = {
        "observation": "cards",
        "mask": "canonical",
        "takebacks": False,
    }

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        """Begin new games; see `agents.agent.Agent.reset`."""

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Choose an action for every row; see `agents.agent.Agent.act`."""
        actions = np.empty(len(action_masks), np.int64)
        _choose(read_observation(observations), action_masks, actions)
        return actions


@kernel
def _choose(tables: Any, action_masks: Any, actions: Any) -> None:
    """Write for each row the action of the best rule, the preferred one of several.

    Among moves of one rule the one onto the highest column is taken, which keeps the low ones
    free to be emptied, and of those the one from the highest column.
    """
    for row in range(actions.shape[0]):
        table = tables[row]
        best_rule, best_preference = _NO_RULE, -1
        actions[row] = 0
        for action in range(action_masks.shape[1]):
            if action_masks[row, action] == 0:
                continue
            source, destination = _SOURCES[action], _DESTINATIONS[action]
            rule = _rule(table, source, destination)
            if rule > best_rule:
                continue
            preference = (_MOST_IN_COLUMN + 1) * _height(table, destination)
            preference += _height(table, source)
            if rule < best_rule or preference > best_preference:
                best_rule, best_preference = rule, preference
                actions[row] = action


@kernel
def _rule(table: Any, source: int, destination: int) -> int:
    """Return which rule an allowed move between two piles falls under."""
    if source == _STOCK:
        return DRAW
    if source > _WASTE:
        return TAKE_BACK
    if destination > _WASTE:
        return TO_FOUNDATION
    to_empty = table["heights"][destination] == 0
    if source == _WASTE:
        return WASTE_TO_EMPTY if to_empty else WASTE_ON_CARD
    in_run = _continues(_card(table, source, 1), _card(table, source, 0))
    if not to_empty and not in_run:
        return LENGTHEN
    if _uncovers(table, source, destination):
        return UNCOVER
    return COLUMN_TO_EMPTY if to_empty and not in_run else SHUFFLE


@kernel
def _uncovers(table: Any, source: int, destination: int) -> bool:
    """Return whether the card under a column's top can play as soon as the top has left."""
    under = _card(table, source, 1)
    if under == NO_CARD:
        return False
    if _goes_to_foundation(table, under):
        return True
    # A card that continues a run itself gains nothing from a move to another column.
    if _continues(_card(table, source, 2), under):
        return False
    # Nor does it pay to break a run and fill an empty column for it.
    if table["heights"][destination] == 0 and _continues(under, _card(table, source, 0)):
        return False
    for column in range(_COLUMNS):
        if column != destination and _continues(_card(table, column, 0), under):
            return True
    return False


@kernel
def _card(table: Any, pile: int, depth: int) -> int:
    """Return the card that lies ``depth`` cards below the top of a column, or `NO_CARD`."""
    height = table["heights"][pile]
    return table["columns"][pile, height - 1 - depth] if height > depth else NO_CARD


@kernel
def _height(table: Any, pile: int) -> int:
    """Return how many cards a column holds, and 0 for any other pile."""
    return int(table["heights"][pile]) if pile < _COLUMNS else 0


@kernel
def _continues(upper: int, lower: int) -> bool:
    """Return whether ``lower`` may lie on ``upper``: same suit, one rank less."""
    return lower != NO_CARD and upper == lower + 1 and lower % RANKS != 0


@kernel
def _goes_to_foundation(table: Any, card: int) -> bool:
    """Return whether a foundation accepts a card now."""
    suit, cards_needed = (card - 1) // RANKS, (card - 1) % RANKS
    foundations = table["foundations"]
    return bool(foundations[suit] == cards_needed or foundations[suit + SUITS] == cards_needed)
