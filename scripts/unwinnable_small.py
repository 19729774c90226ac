"""Count the deals of small games that cannot be won, each by a look at all its positions.

python scripts/unwinnable_small.py --deals 500
"""

from __future__ import annotations

import click
import numpy as np

from agents.search.exhaustive import EXHAUSTED, LIMITED, exhaustive_room, search_all
from agents.statistics import wilson
from qv_env import engine
from qv_env.shuffle import fill_deck, shuffle
from qv_env.sizes import Sizes

LIMIT = 1_000_000  # positions a deal
GAMES = (
    Sizes(suits=1, ranks=6, columns=1, column_cards=4),
    Sizes(suits=1, ranks=8, columns=2, column_cards=4),
    Sizes(suits=2, ranks=4, columns=2, column_cards=3),
    Sizes(suits=2, ranks=5, columns=2, column_cards=3),
    Sizes(suits=2, ranks=5, columns=3, column_cards=3),
    Sizes(suits=2, ranks=6, columns=3, column_cards=3),
    Sizes(suits=3, ranks=4, columns=3, column_cards=3),
    Sizes(suits=4, ranks=3, columns=3, column_cards=3),
)


def count(sizes: Sizes, deals: int) -> tuple[int, int]:
    """Return how many of the first deals of a game cannot be won, and how many were too large."""
    room, stop = exhaustive_room(LIMIT, sizes), np.zeros(1, np.uint8)
    state = engine.new_state(sizes)
    cards = np.zeros(sizes.deck, np.uint8)
    lost = unknown = 0
    for number in range(deals):
        fill_deck(cards)
        shuffle(number, cards, 0)
        engine.deal(state, cards)
        found = search_all(room, state, LIMIT, stop)
        lost += found == EXHAUSTED
        unknown += found == LIMITED
    return lost, unknown


@click.command()
@click.option("--deals", type=click.IntRange(1), default=500, show_default=True, help="Each game.")
def main(*, deals: int) -> None:
    """Print a Markdown table of the share of deals that cannot be won."""
    print("| suits | ranks | columns | cards in each | deals | not winnable | 95 % interval |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for sizes in GAMES:
        lost, unknown = count(sizes, deals)
        rate = wilson(lost, deals - unknown)
        low, high = (100 * (end or 0.0) for end in rate[1:])
        shares = f"{100 * rate.value:.1f} % | {low:.1f} to {high:.1f}"
        print(f"| {' | '.join(map(str, sizes))} | {deals - unknown} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
