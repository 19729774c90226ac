"""The network for cards and columns: what it reads, and that it treats suits and columns alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO

from agents.sb3_vec_env import QuaranteVoleursSB3VecEnv
from agents.training.card_layout import CARD_FACTS, COLUMNS, KINDS, read_layout
from agents.training.card_network import DESTINATIONS, CardNetwork
from agents.training.card_policy import CardPolicy, action_pairs
from qv_env import (
    CARDS_DTYPE,
    QuaranteVoleursEnv,
    QuaranteVoleursVectorEnv,
    read_observation,
)
from qv_env.cards import RANKS, parse_card
from qv_env.engine import action_of, new_state
from qv_env.sizes import FULL

GAMES = 32
SWAPPED_SUITS = np.array([2, 0, 3, 1])
COLUMN_ORDER = np.array([3, 1, 4, 9, 5, 0, 2, 8, 7, 6])


@pytest.fixture(scope="module")
def played() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Observations and masks after some dozens of random moves."""
    env = QuaranteVoleursVectorEnv(GAMES, mask="canonical", takebacks=False)
    observations, infos = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(70):
        masks = infos["action_mask"]
        observations, *_, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
    return observations, infos["action_mask"]


@pytest.fixture(scope="module")
def policy() -> CardPolicy:
    torch.manual_seed(0)
    env = QuaranteVoleursEnv(takebacks=False)
    policy = CardPolicy(env.observation_space, env.action_space, lambda _: 1e-3)
    with torch.no_grad():
        for parameter in policy.parameters():
            if not parameter.any():
                parameter.normal_(0.0, 0.1)
    return policy


def with_other_suits(observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    table = read_observation(observations.copy())
    for name in ("columns", "waste"):
        cards = table[name].astype(int)
        suits, ranks = (cards - 1) // RANKS, (cards - 1) % RANKS
        table[name] = np.where(cards == 0, 0, 1 + RANKS * SWAPPED_SUITS[suits] + ranks)
    for half in (0, 4):
        up = table["foundations"][:, half : half + 4].copy()
        table["foundations"][:, half + SWAPPED_SUITS] = up
    return table.view(np.uint8).reshape(observations.shape)


def with_other_columns(observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    table = read_observation(observations.copy())
    for name in ("columns", "heights"):
        table[name] = table[name][:, COLUMN_ORDER]
    return table.view(np.uint8).reshape(observations.shape)


def moved(suits: np.ndarray[Any, Any], columns: np.ndarray[Any, Any]) -> list[int]:
    """Return which action each action becomes when suits and columns change their places."""
    state = new_state()
    piles = np.arange(FULL.stock_pile + 1)
    piles[columns] = np.arange(COLUMNS)
    for half in (0, 4):
        piles[COLUMNS + 1 + half : COLUMNS + 5 + half] = COLUMNS + 1 + half + suits
    names = [divmod(int(pair), DESTINATIONS) for pair in action_pairs()]
    moves = [(piles[source], piles[goal + (goal >= COLUMNS)]) for source, goal in names]
    return [0, *(int(action_of(state, source, goal)) for source, goal in moves)]


def logits_of(policy: CardPolicy, observations: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    with torch.no_grad():
        logits, values = policy.logits_and_values(torch.as_tensor(observations), None)
    return logits.numpy(), values.numpy()


def without_twins() -> np.ndarray[Any, Any]:
    """Return positions whose columns hold no card twice.

    Two copies in columns are told apart by the columns' order, the one thing that depends on it.
    """
    observations = np.zeros((GAMES, CARDS_DTYPE.itemsize), np.uint8)
    table, rng = read_observation(observations), np.random.default_rng(0)
    for row in table:
        row["heights"] = rng.integers(0, 5, COLUMNS)
        codes = iter((1 + rng.permutation(KINDS)).tolist())
        for column, height in zip(row["columns"], row["heights"], strict=True):
            column[:height] = [next(codes) for _ in range(height)]
    return observations


def test_suits_are_alike(policy: CardPolicy, played: Any) -> None:
    observations, _ = played
    places = moved(SWAPPED_SUITS, np.arange(COLUMNS))
    assert_alike(policy, observations, with_other_suits(observations), places)


def test_columns_are_alike(policy: CardPolicy) -> None:
    observations = without_twins()
    places = moved(np.arange(4), COLUMN_ORDER)
    assert_alike(policy, observations, with_other_columns(observations), places)


def assert_alike(policy: CardPolicy, here: Any, there: Any, places: list[int]) -> None:
    logits, values = logits_of(policy, here)
    logits_there, values_there = logits_of(policy, there)
    np.testing.assert_allclose(logits_there[:, places], logits, atol=2e-5)
    np.testing.assert_allclose(values_there, values, atol=2e-5)
    assert np.abs(logits_there - logits).max() > 0.01


def test_facts_of_a_position_laid_by_hand() -> None:
    observation = np.zeros((1, CARDS_DTYPE.itemsize), np.uint8)
    table = read_observation(observation)[0]
    codes = [parse_card(text) for text in ("KS", "3S", "9H", "8H")]
    table["columns"][4, :4], table["heights"][4] = codes, 4
    table["waste"][:2], table["waste_count"] = [parse_card("2S"), parse_card("9H")], 2
    table["foundations"][0] = 1
    layout = read_layout(torch.as_tensor(observation))
    assert layout.from_top[0, 4].tolist() == [*codes[::-1], 0, 0]
    assert layout.waste[0].tolist() == [parse_card("9H"), parse_card("2S"), 0]
    assert layout.foundations[0, 0].tolist() == [parse_card("AS"), parse_card("2S")]
    assert layout.column_of[0, codes[3] - 1].tolist() == [4, COLUMNS]
    empty, one, two, *_ = layout.columns[0, 4].tolist()
    assert (empty, one, two) == (0, 0, 0)
    assert layout.columns[0, 4, 4] * 8 == 2  # the run 9H 8H
    assert layout.columns[0, 4, 9] * 4 == 0  # nothing lies on a lower card of its suit
    facts = layout.cards[0, codes[3] - 1]
    assert facts[0] == 1  # the eight is on top
    assert layout.cards.shape == (1, KINDS, CARD_FACTS)
    two_of_spades = layout.cards[0, parse_card("2S") - 1, -9:]
    assert two_of_spades[3] == 1  # the higher foundation of spades wants it
    assert two_of_spades[2] == 1  # its other copy is unseen


def test_the_head_knows_every_action() -> None:
    pairs = action_pairs()
    assert len(pairs) == len(pairs.unique()) == FULL.actions - 1
    state = new_state()
    for action, pair in enumerate(pairs.tolist(), start=1):
        source, goal = divmod(pair, DESTINATIONS)
        assert action_of(state, source, goal + (goal >= COLUMNS)) == action


def test_the_network_can_be_taken_alone(played: Any) -> None:
    observations, masks = played
    envs = QuaranteVoleursSB3VecEnv(2, mask="canonical", takebacks=False)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=8,
        batch_size=16,
        n_epochs=1,
        policy_kwargs={
            "features_extractor_class": CardNetwork,
            "features_extractor_kwargs": {"card_width": 4, "column_width": 4, "table_width": 8},
            "net_arch": [8],
        },
    )
    model.learn(16)
    actions, _ = model.predict(observations, action_masks=masks)
    assert masks[np.arange(GAMES), actions].all()


def test_what_does_not_fit_is_refused() -> None:
    env = QuaranteVoleursEnv(observation="features")
    with pytest.raises(ValueError, match="reads observation: cards"):
        CardNetwork(env.observation_space)
    space = spaces.Box(0, 1, (CARDS_DTYPE.itemsize,), np.uint8)
    for arch in ([], [8, 8], {"pi": [8]}):
        with pytest.raises(ValueError, match="net_arch of CardPolicy holds one number"):
            CardPolicy(space, env.action_space, lambda _: 1e-3, net_arch=arch)
