"""From what an agent is shown to a state that search can work on."""

from __future__ import annotations

from typing import Any

from agents.chance import below, mix
from qv_env import engine
from qv_env.cards import COPIES, NO_CARD
from qv_env.jit import array_kernel, separate_kernel


@array_kernel
def read_table(state: Any, table: Any) -> None:
    """Make a state of a `cards` observation.

    Args:
        state: The record to overwrite. Its stock holds the unseen cards in the order of their
            codes, since the observation does not show their order.
        table: A record of type `qv_env.CARDS_DTYPE`.
    """
    state["score"] = table["score"]
    state["stock_count"] = table["stock_count"]
    state["waste_count"] = table["waste_count"]
    state["moves"] = 0
    state["heights"][:] = table["heights"]
    state["foundations"][:] = table["foundations"]
    state["columns"][:] = table["columns"]
    state["waste"][:] = table["waste"]
    complete(state)


@separate_kernel
def complete(state: Any) -> None:
    """Work out all of a state that follows from its piles, and lay the unseen cards as its stock.

    They lie in the order of their codes.
    """
    _count_unseen(state)
    _lay_stock(state)
    engine.refresh_all(state)


@separate_kernel
def shuffle_stock(state: Any, seed: Any) -> None:
    """Put the unseen cards of a state into a random order that depends on the seed alone."""
    stock = state["stock"]
    first = stock.shape[0] - state["stock_count"]
    for i in range(stock.shape[0] - 1, first, -1):
        j = first + below(mix(seed, i), i - first + 1)
        stock[i], stock[j] = stock[j], stock[i]


@separate_kernel
def _count_unseen(state: Any) -> None:
    unseen, columns, waste = state["unseen"], state["columns"], state["waste"]
    suits, ranks = unseen.shape
    for suit in range(suits):
        for rank in range(ranks):
            unseen[suit, rank] = (
                COPIES
                - (state["foundations"][suit] > rank)
                - (state["foundations"][suit + suits] > rank)
            )
    for c in range(columns.shape[0]):
        for level in range(state["heights"][c]):
            card = columns[c, level] - 1
            unseen[card // ranks, card % ranks] -= 1
    for k in range(state["waste_count"]):
        card = waste[k] - 1
        unseen[card // ranks, card % ranks] -= 1


@separate_kernel
def _lay_stock(state: Any) -> None:
    stock, unseen = state["stock"], state["unseen"]
    suits, ranks = unseen.shape
    at = stock.shape[0] - state["stock_count"]
    stock[:] = NO_CARD
    for suit in range(suits):
        for rank in range(ranks):
            for _ in range(unseen[suit, rank]):
                stock[at] = 1 + suit * ranks + rank
                at += 1
