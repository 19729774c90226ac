"""Training games of which nothing more will come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from agents.sb3_vec_env import EPISODE_KEYS, QuaranteVoleursSB3VecEnv
from agents.training.config import Config
from agents.training.environments import env_snapshot, make_training_env, restore_env
from agents.training.idle_limit import IdleLimit
from qv_env import read_observation

GAMES, PLIES, LIMIT = 8, 1500, 12
GAME = {"observation": "cards", "mask": "canonical", "takebacks": False}


def games(limit: int) -> IdleLimit:
    venv = IdleLimit(QuaranteVoleursSB3VecEnv(GAMES, split="train", **GAME), limit)
    venv.seed(0)
    return venv


def chosen(venv: Any, rng: np.random.Generator) -> Any:
    """Return a random action for each game; rarely a draw, since it ends games fast."""
    weights = rng.random((GAMES, 269)) * np.stack(venv.env_method("action_masks"))
    weights[:, 0] *= 0.9
    return weights.argmax(1)


def test_games_end_where_no_draw_is_left_and_nothing_goes_up() -> None:
    venv, rng = games(LIMIT), np.random.default_rng(0)
    native = venv.venv.vector_env  # type: ignore[attr-defined]  # a VecEnv of ours
    venv.reset()
    idle, most, cut = [0] * GAMES, [0] * GAMES, 0
    for _ in range(PLIES):
        deals = native.deals
        observations, _, dones, infos = venv.step(chosen(venv, rng))
        for row in range(GAMES):
            if not dones[row]:
                state = native.states[row]
                cards = int(state["foundations"].sum())
                still = state["stock_count"] == 0 and cards <= most[row]
                idle[row] = idle[row] + 1 if still else 0
                most[row] = max(most[row], cards)
                assert idle[row] < LIMIT
                continue
            info = infos[row]
            if not info["is_success"] and idle[row] == LIMIT - 1:
                last = read_observation(info["terminal_observation"])
                assert last["stock_count"] == 0
                assert int(last["foundations"].sum()) == info["foundation_cards"] <= most[row]
                assert last["score"] == info["score"]
                assert info["deal"] == deals[row] != native.deals[row]
                assert not info["TimeLimit.truncated"]
                assert set(EPISODE_KEYS) <= info.keys()
                cut += 1
            assert read_observation(observations[row])["stock_count"] == 64
            idle[row], most[row] = 0, int(native.states[row]["foundations"].sum())
    assert cut > GAMES


def test_games_go_on_from_a_snapshot() -> None:
    config = Config.model_validate(
        {"n_envs": GAMES, "n_timesteps": 1, "idle_limit": LIMIT, "env": GAME}
    )
    ours, theirs = make_training_env(config), make_training_env(config)
    rng = np.random.default_rng(1)
    for venv in (ours, theirs):
        venv.seed(0)
        venv.reset()
    for _ in range(400):
        ours.step(chosen(ours, rng))
    restore_env(theirs, env_snapshot(ours))
    ends = 0
    for _ in range(200):
        actions = chosen(ours, rng)
        one, other = ours.step(actions), theirs.step(actions)
        for a, b in zip(one[:3], other[:3], strict=True):
            assert np.array_equal(a, b)
        ends += int(one[2].sum())
    assert ends > 0
