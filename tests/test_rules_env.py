"""The environment against the oracle: all that is seen of whole episodes."""

import random
from typing import Any

import numpy as np
import pytest

from qv_env import QuaranteVoleursEnv
from qv_env.refusals import refusal_text
from tests import play, reference
from tests.reference import Game
from tests.test_engine import REASONS

MOVES = reference.all_moves(reference.FULL)
GAMES = 12
LIMIT = 400
UNMASKED = 0.1
PLACEHOLDER = [0]


def expected_mask(game: Game, kind: str, *, takebacks: bool) -> list[int]:
    """Return the actions that an agent may choose from, by the oracle."""
    moves = reference.legal_moves(game) if kind == "legal" else reference.canonical_moves(game)
    moves = [move for move in moves if takebacks or move.source[0] != "f"]
    if reference.is_won(game) or not moves:
        return PLACEHOLDER
    return [play.number_of_move(reference.FULL, move.text) for move in moves]


def is_over(game: Game, *, takebacks: bool) -> bool:
    """Return whether a game is won, or stuck without the moves that are switched off."""
    moves = [m for m in reference.legal_moves(game) if takebacks or m.source[0] != "f"]
    return reference.is_won(game) or not moves


@pytest.mark.parametrize("takebacks", [{"takebacks": True}, {"takebacks": False}], ids=str)
@pytest.mark.parametrize("kind", ["legal", "canonical"])
def test_episodes_are_the_oracles(kind: str, takebacks: dict[str, Any]) -> None:
    env = QuaranteVoleursEnv(mask=kind, max_episode_steps=LIMIT, **takebacks)
    ends = set()
    for seed in range(GAMES):
        # Half of the deals are numbered, half are easy enough to be won.
        cards = reference.shuffled(seed) if seed % 2 else play.mixed_deal(seed, noise=3.0)
        ends.add(_play_episode(env, cards, seed))
    assert ends == {"won", "stuck", "truncated"}


def _play_episode(env: QuaranteVoleursEnv, cards: list[str], seed: int) -> str:
    """Play one episode on both sides, comparing all that is seen; return how it ended."""
    kind, takebacks = env.settings.mask, env.settings.takebacks
    game, rng, total = Game(cards), random.Random(seed), 0.0
    observation, info = env.reset(options={"deal": "".join(cards)})
    choose = play.policy("thrifty" if seed % 4 else "take-back-loving")
    for plies_left in range(LIMIT - 1, -1, -1):
        allowed = expected_mask(game, kind, takebacks=takebacks)
        assert np.flatnonzero(info["action_mask"]).tolist() == allowed
        assert observation.tobytes() == reference.cards_observation(game, plies_left + 1)
        action = rng.randrange(len(MOVES)) if rng.random() < UNMASKED else None
        if action is None:
            action = MOVES.index(choose(rng, [MOVES[number] for number in allowed]))
        move = MOVES[action]
        reason = reference.refusal(game, move)
        refused = reason is not None or (move.source[0] == "f" and not takebacks)
        change = 0 if refused else reference.apply(game, move)
        observation, reward, terminated, truncated, info = env.step(action)
        total += reward
        assert (reward, total) == (change, game.score)
        assert ("refused" in info) == refused
        if reason is not None:
            assert info["refused"] == refusal_text(REASONS[reason])
        over = is_over(game, takebacks=takebacks)
        assert (terminated, truncated) == (over, plies_left == 0 and not over)
        assert info["score"] == game.score
        assert info["moves"] == game.moves
        assert info["foundation_cards"] == sum(game.heights())
        assert info["is_success"] == reference.is_won(game)
        if terminated or truncated:
            break
    assert observation.tobytes() == reference.cards_observation(game, plies_left)
    if truncated:
        return "truncated"
    assert np.flatnonzero(info["action_mask"]).tolist() == PLACEHOLDER
    return "won" if reference.is_won(game) else "stuck"
