"""Hypothesis strategies: deals of every difficulty, and tables in the middle of a game."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from tests import play, reference
from tests.reference import FULL, Rules

_SEEDS = st.integers(0, 2**32 - 1)


def deals(rules: Rules = FULL) -> st.SearchStrategy[list[str]]:
    """Deals as lists of cards: numbered ones, and ones made easier to various degrees."""
    numbered = st.integers(0, 26**7 - 1).map(lambda number: reference.shuffled(number, rules))
    noise = st.sampled_from([0.0, 1.0, 3.0, 6.0, 12.0])
    return numbered | st.builds(play.mixed_deal, _SEEDS, st.just(rules), noise)


@st.composite
def tables(draw: st.DrawFn, rules: Rules = FULL, longest: int = 300) -> play.Table:
    """Tables some plies into a game, reached by one of the policies from one of the deals."""
    table = play.Table(draw(deals(rules)), rules)
    choose = play.policy(draw(st.sampled_from(sorted(play.POLICIES))))
    rng = random.Random(draw(_SEEDS))
    for _ in range(draw(st.integers(0, longest))):
        moves = reference.legal_moves(table.game)
        if not moves:
            break
        table.make(choose(rng, moves))
    return table
