"""What a position is worth to whoever draws from it, judged by public facts alone.

The value is linear in the `FACTS`, with one weight for a full stock and one for an empty stock and
a straight line between. The weights come from ``scripts/tune_planner.py``, which plays train deals.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env.cards import COPIES, NO_CARD
from qv_env.engine import ANYTHING
from qv_env.jit import kernel, separate_kernel

# "Covered" means that a card of lower rank lies somewhere under it in the same pile; the *burden*
# of a card is the number of cards above it, divided by one more than the cards that must go to a
# foundation before it.
FACTS: Final = (
    "foundation_cards",
    "paired_cards",  # per suit, cards of the lower of its two foundations
    "lowest_suit",  # cards on the foundations of the suit that has fewest there
    "empty_columns",
    "any_empty_column",  # 0 or 1
    "joints",  # column cards that lie on the card they continue
    "run_squares",  # squared lengths of the runs that end the columns
    "covered_columns",
    "covered_suits",  # column cards that cover a card of their own suit
    "column_burden",
    "fewest_runs",  # runs in the column that has the fewest
    "loose_cards",  # column cards below the run that ends their column
    "loose_squares",  # their squared numbers per column
    "ordered_columns",  # columns of a single run
    "kings",  # columns whose bottom card is a king
    "waste_cards",
    "covered_waste",
    "covered_waste_suits",  # waste cards that cover a card of their own suit
    "waste_burden",
    "waste_joints",  # waste cards on the card that will continue them in a column
    "waste_steps",  # waste cards on the card that follows them on a foundation
    "playable_up",  # share of the unseen cards that a foundation accepts
    "playable_down",  # share of the unseen cards that a card of a column accepts
    "accepted_cards",  # different cards that the columns' tops accept
    "hidden_cards_next",  # foundations whose next card is unseen, both copies
)
(
    FOUNDATION_CARDS,
    PAIRED_CARDS,
    LOWEST_SUIT,
    EMPTY_COLUMNS,
    ANY_EMPTY_COLUMN,
    JOINTS,
    RUN_SQUARES,
    COVERED_COLUMNS,
    COVERED_SUITS,
    COLUMN_BURDEN,
    FEWEST_RUNS,
    LOOSE_CARDS,
    LOOSE_SQUARES,
    ORDERED_COLUMNS,
    KINGS,
    WASTE_CARDS,
    COVERED_WASTE,
    COVERED_WASTE_SUITS,
    WASTE_BURDEN,
    WASTE_JOINTS,
    WASTE_STEPS,
    PLAYABLE_UP,
    PLAYABLE_DOWN,
    ACCEPTED_CARDS,
    HIDDEN_CARDS_NEXT,
) = range(len(FACTS))

_MANY: Final = 99  # more than any rank or number of runs
# How much a card matters that so many others go before.
_URGENCY: Final = 1.0 / (1.0 + np.arange(32))


@separate_kernel
def evaluate(state: Any, weights: Any, facts: Any) -> float:
    """Return a position's value.

    Args:
        state: The position; its stock is not looked at.
        weights: float64 of shape ``(2, len(FACTS))``, for an empty and for a full stock.
        facts: Room for the facts, float64 of shape ``(len(FACTS),)``.
    """
    write_facts(state, facts)
    share = stock_share(state)
    value = 0.0
    for k in range(facts.shape[0]):
        value += facts[k] * (weights[0, k] + share * (weights[1, k] - weights[0, k]))
    return value


@kernel
def stock_share(state: Any) -> float:
    """Return how full the stock is, from 0 to 1."""
    return float(state["stock_count"] / state["stock"].shape[0])


@kernel
def write_facts(state: Any, facts: Any) -> None:
    """Write the `FACTS` of a position."""
    facts[:] = 0.0
    fewest = _MANY
    for c in range(state["columns"].shape[0]):
        fewest = min(fewest, add_column_facts(state, c, facts))
    facts[FEWEST_RUNS] = fewest
    add_waste_facts(state, facts)
    add_table_facts(state, facts)


@kernel
def add_table_facts(state: Any, facts: Any) -> None:
    """Add the facts that belong to no single column and not to the waste, but `fewest_runs`."""
    _foundation_facts(state, facts)
    _unseen_facts(state, facts)


@kernel
def _foundation_facts(state: Any, facts: Any) -> None:
    foundations, suits = state["foundations"], state["unseen"].shape[0]
    fewest = _MANY
    for suit in range(suits):
        left, right = int(foundations[suit]), int(foundations[suit + suits])
        facts[FOUNDATION_CARDS] += left + right
        facts[PAIRED_CARDS] += min(left, right)
        fewest = min(fewest, left + right)
    facts[LOWEST_SUIT] = fewest


@kernel
def _before(state: Any, suit: int, rank: int) -> int:
    """Return how many cards must go up before a card, on the foundation that is nearer to it."""
    suits = state["unseen"].shape[0]
    left, right = int(state["foundations"][suit]), int(state["foundations"][suit + suits])
    high, low = max(left, right), min(left, right)
    # A card that the higher foundation has already waits for the lower one.
    return rank - high if rank >= high else rank - low


@kernel
def _up_to(card: int, rank: int) -> Any:
    """Return the bits of a card and of all lower ones of its suit."""
    return ((np.uint64(2) << np.uint64(rank)) - np.uint64(1)) << np.uint64(card - rank)


@kernel
def add_column_facts(state: Any, c: int, facts: Any) -> int:
    """Add a column's facts, and return of how many runs it consists."""
    columns, ranks = state["columns"], state["unseen"].shape[1]
    height = int(state["heights"][c])
    if height == 0:
        facts[EMPTY_COLUMNS] += 1
        facts[ANY_EMPTY_COLUMN] = 1
        return 0
    lowest = _MANY
    under = np.uint64(0)  # the cards passed so far, a bit for each code
    runs, run_start = 0, 0
    for level in range(height):
        card = int(columns[c, level])
        suit, rank = (card - 1) // ranks, (card - 1) % ranks
        if level > 0 and rank + 1 < ranks and columns[c, level - 1] == card + 1:
            facts[JOINTS] += 1
        else:
            runs += 1
            run_start = level
        facts[COVERED_COLUMNS] += rank > lowest
        facts[COVERED_SUITS] += (under & _up_to(card, rank)) != 0
        lowest = min(lowest, rank)
        under |= np.uint64(1) << np.uint64(card)
        facts[COLUMN_BURDEN] += (height - 1 - level) * _URGENCY[_before(state, suit, rank)]
    facts[RUN_SQUARES] += (height - run_start) * (height - run_start)
    facts[LOOSE_CARDS] += run_start
    facts[LOOSE_SQUARES] += run_start * run_start
    facts[ORDERED_COLUMNS] += runs == 1
    facts[KINGS] += (columns[c, 0] - 1) % ranks == ranks - 1
    return runs


@kernel
def add_waste_facts(state: Any, facts: Any) -> None:
    """Add the waste's facts."""
    waste, ranks = state["waste"], state["unseen"].shape[1]
    count = int(state["waste_count"])
    facts[WASTE_CARDS] += count
    lowest = _MANY
    under = np.uint64(0)
    below = NO_CARD
    for k in range(count):
        card = int(waste[k])
        suit, rank = (card - 1) // ranks, (card - 1) % ranks
        facts[COVERED_WASTE] += rank > lowest
        facts[COVERED_WASTE_SUITS] += (under & _up_to(card, rank)) != 0
        facts[WASTE_JOINTS] += below == card - 1 and rank > 0 and k > 0
        facts[WASTE_STEPS] += below == card + 1 and rank + 1 < ranks
        lowest = min(lowest, rank)
        under |= np.uint64(1) << np.uint64(card)
        below = card
        facts[WASTE_BURDEN] += (count - 1 - k) * _URGENCY[_before(state, suit, rank)]


@kernel
def _unseen_facts(state: Any, facts: Any) -> None:
    unseen, wants = state["unseen"], state["wants"]
    columns, ranks = state["columns"].shape[0], unseen.shape[1]
    wanted = np.uint64(0)  # a bit for each code
    up, down = 0, 0
    # Foundations, at the end of the piles, come first: a card that goes up need not go down.
    for pile in range(wants.shape[0] - 1, -1, -1):
        want = int(wants[pile])
        if want >= ANYTHING:
            continue
        copies = int(unseen[(want - 1) // ranks, (want - 1) % ranks])
        bit = np.uint64(1) << np.uint64(want)
        if pile > columns and copies == COPIES:
            facts[HIDDEN_CARDS_NEXT] += 1
        if wanted & bit != 0:
            continue
        wanted |= bit
        if pile > columns:
            up += copies
        else:
            down += copies
            facts[ACCEPTED_CARDS] += 1
    if state["stock_count"] > 0:
        facts[PLAYABLE_UP] = up / state["stock_count"]
        facts[PLAYABLE_DOWN] = down / state["stock_count"]
