"""The lean policy against sb3-contrib's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.training.policies import LeanMaskablePolicy, draw

GAMES, LENGTH, ACTIONS = 64, 20, 9


def policy(kind: type[Any]) -> Any:
    torch.manual_seed(0)
    space = spaces.Box(0, 5, (LENGTH,), np.uint8)
    return kind(space, spaces.Discrete(ACTIONS), lambda _: 1e-3, net_arch=[16])


def inputs() -> tuple[torch.Tensor, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    masks = rng.random((GAMES, ACTIONS)) < 0.4
    masks[:, 3] |= ~masks.any(axis=1)
    return torch.as_tensor(rng.integers(0, 6, (GAMES, LENGTH)), dtype=torch.uint8), masks


def test_it_equals_the_general_policy() -> None:
    lean, general = policy(LeanMaskablePolicy), policy(MaskableActorCriticPolicy)
    observations, masks = inputs()
    actions, values, log_probs = lean(observations, action_masks=masks)
    evaluated = general.evaluate_actions(observations, actions, masks)
    for ours, theirs in zip((values, log_probs), evaluated, strict=False):
        torch.testing.assert_close(ours, theirs)
    for ours, theirs in zip(
        lean.evaluate_actions(observations, actions, masks), evaluated, strict=True
    ):
        torch.testing.assert_close(ours, theirs)
    best, *_ = lean(observations, deterministic=True, action_masks=masks)
    expected, *_ = general(observations, deterministic=True, action_masks=masks)
    assert torch.equal(best, expected)
    assert torch.equal(
        lean(observations, deterministic=True)[0], general(observations, deterministic=True)[0]
    )


def test_masked_actions_are_never_drawn() -> None:
    lean = policy(LeanMaskablePolicy)
    observations, masks = inputs()
    for _ in range(200):
        actions, *_ = lean(observations, action_masks=masks)
        assert masks[np.arange(GAMES), actions.numpy()].all()


def test_a_temperature_divides_logits() -> None:
    lean = policy(LeanMaskablePolicy)
    observations, _ = inputs()
    logits, values = lean.logits_and_values(observations, None)
    lean.divide_ratings(0.5)
    divided, same = lean.logits_and_values(observations, None)
    torch.testing.assert_close(divided, 2 * logits)
    assert torch.equal(same, values)


def test_draws_follow_the_probabilities() -> None:
    torch.manual_seed(0)
    wanted = torch.tensor([0.0, 0.5, 0.0, 0.3, 0.2, 0.0])
    drawn = draw(wanted.repeat(100_000, 1))
    shares = torch.bincount(drawn, minlength=len(wanted)) / len(drawn)
    assert shares[wanted == 0].sum() == 0
    torch.testing.assert_close(shares, wanted, atol=0.01, rtol=0)


def test_a_draw_at_the_very_end_is_still_allowed(monkeypatch: Any) -> None:
    monkeypatch.setattr(torch, "rand_like", torch.ones_like)
    assert draw(torch.tensor([[0.1, 0.9, 0.0]])).tolist() == [1]
