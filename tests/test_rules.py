"""The engine against the oracle: whole games of the full size, move by move."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from qv_env import engine, mask
from tests import play, reference
from tests.play import Table
from tests.test_engine import REASONS

PLIES = 100_000
SLOW_PLIES = 1_000_000
LONGEST_GAME = 700
PLIES_BETWEEN_REFUSALS = 97


def deals_without_end() -> Iterator[tuple[str, list[str]]]:
    """Yield policies and deals without end: numbered deals and easier ones, each policy in turn."""
    seed = 0
    while True:
        for name in sorted(play.POLICIES):
            yield name, reference.shuffled(reference.SplitMix64(seed).below(26**6))
            yield name, play.mixed_deal(seed, noise=(0.5, 2.0, 4.0, 8.0)[seed % 4])
            seed += 1


def compare(table: Table, legal: list[reference.Move]) -> None:
    """Assert that both see the same masks, observation and ending."""
    game, state = table.game, table.state
    row = np.full(len(reference.all_moves(game.rules)), 7, np.int8)
    mask.write_mask(state, row)
    assert row.tobytes() == play.mask_of(legal, game.rules).tobytes()
    won = reference.is_won(game)
    assert engine.is_won(state) == won
    assert mask.any_set(row) == bool(legal)
    mask.keep_canonical(state, row)
    canonical = [move for move in legal if not reference.is_needless(game, move)]
    assert row.tobytes() == play.mask_of(canonical, game.rules).tobytes()
    assert bool(canonical) == bool(legal)
    public = state.tobytes()[: state.dtype.fields["stock"][1]]
    assert public == reference.cards_observation(game, plies_left=0)[2:]
    assert engine.foundation_cards(state) == sum(game.heights())
    assert state["moves"] == game.moves


def compare_refusals(table: Table) -> set[int]:
    """Assert that both refuse every move for the same reason; return the codes met."""
    met = set()
    for number, move in enumerate(reference.all_moves(table.game.rules)):
        expected = REASONS[reference.refusal(table.game, move)]
        assert engine.refusal(table.state, number) == expected, move.text
        met.add(expected)
    return met


def agree_over(plies: int) -> dict[str, int]:
    """Play games until so many plies are compared; return how often what was met."""
    met = dict.fromkeys(("games", "plies", "won", "stuck", "take-backs", "floors"), 0)
    reasons: set[int] = set()
    for name, cards in deals_without_end():
        table, rng, choose = Table(cards), random.Random(met["plies"]), play.policy(name)
        met["games"] += 1
        for _ in range(LONGEST_GAME):
            legal = reference.legal_moves(table.game)
            compare(table, legal)
            if met["plies"] % PLIES_BETWEEN_REFUSALS == 0:
                reasons |= compare_refusals(table)
            if not legal or reference.is_won(table.game):
                met["won" if reference.is_won(table.game) else "stuck"] += 1
                break
            move = choose(rng, legal)
            change, expected = table.make(move)
            assert change == expected
            met["take-backs"] += move.source[0] == "f"
            met["floors"] += move.source[0] == "f" and change > -engine.TAKE_BACK_COST
            met["plies"] += 1
        if met["plies"] >= plies:
            break
    assert reasons == set(REASONS.values())
    return met


def test_engine_and_oracle_agree_over_many_games() -> None:
    met = agree_over(PLIES)
    # The games must have gone everywhere for their agreement to mean something.
    assert met["won"] >= 10
    assert met["stuck"] >= 10
    assert met["take-backs"] >= 1000
    assert met["floors"] >= 100


@pytest.mark.slow
def test_engine_and_oracle_agree_over_very_many_games() -> None:
    assert agree_over(SLOW_PLIES)["plies"] >= SLOW_PLIES
