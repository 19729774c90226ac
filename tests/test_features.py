"""The `features` observation against its own documentation, computed slowly from the oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from qv_env import FEATURES, QuaranteVoleursEnv, QuaranteVoleursVectorEnv
from qv_env.features import FEATURE_COUNT, write_features
from qv_env.matching import write_matches
from tests import play, reference, strategies
from tests.reference import FULL, Game

COLUMNS = [f"t{c}" for c in range(1, 11)]
FOUNDATIONS = [f"f{f}" for f in range(1, 9)]
CARDS = [rank + suit for suit in reference.SUITS for rank in reference.RANKS]


def one_hot(card: str | None) -> list[int]:
    bits = [0] * 17
    if card is not None:
        bits[reference.SUITS.index(card[1])] = 1
        bits[4 + reference.rank(card) - 1] = 1
    return bits


def top(game: Game, pile: str, below: int = 0) -> str | None:
    cards = game.piles[pile]
    return cards[-1 - below] if len(cards) > below else None


def lower(card: str | None) -> str | None:
    """Return the card that can lie on this one in a column."""
    if card is None or card[0] == "A":
        return None
    return reference.RANKS[reference.rank(card) - 2] + card[1]


def run(cards: list[str]) -> int:
    length = min(1, len(cards))
    while length < len(cards) and lower(cards[-1 - length]) == cards[-length]:
        length += 1
    return length


def blocking(cards: list[str]) -> int:
    def blocks(level: int) -> bool:
        card = cards[level]
        return any(
            other[1] == card[1] and reference.rank(other) < reference.rank(card)
            for other in cards[:level]
        )

    return sum(map(blocks, range(len(cards))))


def following(game: Game, f: str) -> str | None:
    height = len(game.piles[f])
    suit = reference.SUITS[(int(f[1:]) - 1) % 4]
    return reference.RANKS[height] + suit if height < 13 else None


def fewest(game: Game, piles: list[str], card: str | None, none: int) -> int:
    depths = [
        len(game.piles[pile]) - 1 - level
        for pile in piles
        for level, other in enumerate(game.piles[pile])
        if other == card
    ]
    return min(depths, default=none)


def count(game: Game, piles: list[str], card: str | None) -> int:
    return sum(game.piles[pile].count(card) for pile in piles) if card is not None else 0


def hosts(game: Game, pile: str) -> int:
    card = top(game, pile)
    others = [top(game, column) for column in COLUMNS if column != pile]
    return sum(lower(other) == card for other in others) if card is not None else 0


def wanted(game: Game, column: str) -> int:
    card = lower(top(game, column))
    return sum(top(game, pile) == card for pile in [*COLUMNS, "w"]) if card is not None else 0


def tops(game: Game, card: str | None, piles: list[str]) -> int:
    return sum(top(game, pile) == card for pile in piles) if card is not None else 0


EXPECTED: dict[str, Callable[[Game], list[int]]] = {
    "top_one_hot": lambda g: [bit for c in COLUMNS for bit in one_hot(top(g, c))],
    "waste_one_hot": lambda g: one_hot(top(g, "w")) + one_hot(top(g, "w", 1)),
    "column_height": lambda g: [len(g.piles[c]) for c in COLUMNS],
    "column_empty": lambda g: [not g.piles[c] for c in COLUMNS],
    "column_run": lambda g: [run(g.piles[c]) for c in COLUMNS],
    "column_blocking": lambda g: [blocking(g.piles[c]) for c in COLUMNS],
    "column_wanted": lambda g: [min(2, wanted(g, c)) for c in COLUMNS],
    "goes_up": lambda g: [
        top(g, p) is not None and any(following(g, f) == top(g, p) for f in FOUNDATIONS)
        for p in [*COLUMNS, "w"]
    ],
    "finds_host": lambda g: [min(2, hosts(g, p)) for p in [*COLUMNS, "w"]],
    "foundation_height": lambda g: [len(g.piles[f]) for f in FOUNDATIONS],
    "next_on_top": lambda g: [tops(g, following(g, f), COLUMNS) for f in FOUNDATIONS],
    "next_on_waste": lambda g: [tops(g, following(g, f), ["w"]) for f in FOUNDATIONS],
    "next_blockers": lambda g: [fewest(g, COLUMNS, following(g, f), 16) for f in FOUNDATIONS],
    "next_in_waste": lambda g: [fewest(g, ["w"], following(g, f), 64) for f in FOUNDATIONS],
    "next_unseen": lambda g: [count(g, ["stock"], following(g, f)) for f in FOUNDATIONS],
    "unseen": lambda g: [count(g, ["stock"], card) for card in CARDS],
    "up": lambda g: [count(g, FOUNDATIONS, card) for card in CARDS],
    "exposed": lambda g: [tops(g, card, [*COLUMNS, "w"]) for card in CARDS],
    "blockers": lambda g: [fewest(g, COLUMNS, card, 16) for card in CARDS],
    "in_waste": lambda g: [count(g, ["w"], card) for card in CARDS],
    "empty_columns": lambda g: [sum(not g.piles[c] for c in COLUMNS)],
    "stock_count": lambda g: [len(g.piles["stock"])],
    "waste_count": lambda g: [len(g.piles["w"])],
    "score": lambda g: [min(255, g.score // 5)],
    "plies_left": lambda _: [99],
}


@settings(max_examples=300)
@given(strategies.tables(FULL))
def test_every_entry_says_what_the_table_says(table: play.Table) -> None:
    out = np.full(FEATURE_COUNT, 123, np.uint8)
    write_features(table.state, 99, out)
    assert [feature.name for feature in FEATURES] == list(EXPECTED)
    for feature in FEATURES:
        part = out[feature.start : feature.start + feature.size].tolist()
        assert part == [int(x) for x in EXPECTED[feature.name](table.game)], feature.name
        assert max(part) <= feature.high


@pytest.mark.parametrize("threads", [1, 3])
def test_features_kept_move_by_move_equal_those_of_the_state(threads: int) -> None:
    def new_envs() -> QuaranteVoleursVectorEnv:
        return QuaranteVoleursVectorEnv(
            13, observation="features", max_episode_steps=250, num_threads=threads
        )

    envs = new_envs()
    observations, infos = envs.reset(seed=5)
    rng = np.random.default_rng(5)
    out = np.empty(FEATURE_COUNT, np.uint8)
    for step in range(600):
        if step == 300:  # tables are no part of a saved state
            other = new_envs()
            other.reset(seed=6)
            other.set_state(envs.get_state())
            envs = other
        chances = rng.random(infos["action_mask"].shape) * infos["action_mask"]
        observations, *_, infos = envs.step(chances.argmax(axis=1))
        plies_left = envs.get_state()["batch"]["tasks"]["plies_left"]
        for row, state in enumerate(envs.states):
            write_features(state, int(plies_left[row]), out)
            assert np.array_equal(observations[row], out)


@settings(max_examples=20)
@given(strategies.tables(FULL))
def test_matches_in_plain_python_are_those_of_the_kernel(table: play.Table) -> None:
    out = np.empty(FEATURE_COUNT, np.uint8)
    write_features(table.state, 99, out)
    plain = out.copy()
    starts = {feature.name: feature.start for feature in FEATURES}
    sections = ("column_wanted", "goes_up", "finds_host", "next_on_top", "next_on_waste")
    for feature in FEATURES:
        if feature.name in sections:
            plain[feature.start : feature.start + feature.size] = 123
    write_matches(table.state, plain, *(starts[name] for name in sections))
    assert np.array_equal(plain, out)


def test_sections_follow_one_another() -> None:
    end = 0
    for feature in FEATURES:
        assert feature.start == end
        end += feature.size
    assert end == FEATURE_COUNT
    space = QuaranteVoleursEnv(observation="features").observation_space
    assert space.shape == (FEATURE_COUNT,)
