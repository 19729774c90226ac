"""The task with undo: action 269 does what a person's undo does, in both environments."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from qv_env import Game, QuaranteVoleursEnv, QuaranteVoleursVectorEnv, RefusedError
from qv_env.actions import parse_action
from qv_env.history import LONGEST_HISTORY, UNDO
from tests import play
from tests.golden import read_transcript

NOTHING = "There is nothing to undo."


def undoing(**keywords: Any) -> QuaranteVoleursEnv:
    return QuaranteVoleursEnv(undo=True, **keywords)


def mask_of(game: Game, *, takebacks: bool = True) -> list[int]:
    """Return the legal mask with undo of a game that goes on."""
    mask = np.zeros(270, np.int8)
    actions = game.legal_moves.actions
    mask[[a for a in actions if takebacks or a < parse_action("f1>t1")]] = 1
    mask[UNDO] = bool(game.undoable)
    return mask.tolist()


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.booleans(), st.floats(0, 0.6))
def test_an_episode_goes_as_a_persons_game(seed: int, takebacks: bool, undos: float) -> None:
    rng = random.Random(seed)
    deal = " ".join(play.mixed_deal(seed, noise=rng.choice([0.5, 2.0, 9.0])))
    env, game = undoing(takebacks=takebacks, max_episode_steps=400), Game(deal)
    _, info = env.reset(options={"deal": deal})
    over, plies = False, 0
    while not over:
        assert info["action_mask"].tolist() == mask_of(game, takebacks=takebacks)
        legal = np.flatnonzero(info["action_mask"][:UNDO]).tolist()
        undo = info["action_mask"][UNDO] and (not legal or rng.random() < undos)
        action = UNDO if undo else rng.choice(legal)
        before = game.score
        if action == UNDO:
            game.undo()
        else:
            game.push(action)
        _, reward, terminated, truncated, info = env.step(action)
        plies += 1
        assert reward == game.score - before
        assert (info["score"], info["moves"]) == (game.score, game.moves)
        assert env.state == game.state
        assert terminated == game.is_won
        assert truncated == (plies == 400 and not terminated)
        over = terminated or truncated


def test_the_last_hundred_operations_can_be_undone() -> None:
    env, game = undoing(), Game("FT1-N-ZZYAAAA")
    env.reset(options={"deal": "FT1-N-ZZYAAAA"})
    for action in read_transcript("first_dev_thrifty").actions[:130]:
        env.step(action)
        game.push(action)
    for left in range(LONGEST_HISTORY - 1, -1, -1):
        *_, info = env.step(UNDO)
        game.undo()
        assert info["action_mask"][UNDO] == (left > 0)
    assert env.state == game.state
    *_, info = env.step(UNDO)
    assert info["refused"] == NOTHING
    with pytest.raises(RefusedError) as caught:
        game.undo()
    assert caught.value.reason == NOTHING
    assert info["moves"] == 130
    assert env.state == game.state


def test_an_undo_counts_as_a_ply_but_not_as_a_move() -> None:
    env = undoing(max_episode_steps=3)
    observation, _ = env.reset(seed=21)
    plies_left = [int.from_bytes(observation[:2].tobytes(), "little")]
    for action, truncated in ((0, False), (UNDO, False), (UNDO, True)):
        observation, _, _, cut, info = env.step(action)
        plies_left.append(int.from_bytes(observation[:2].tobytes(), "little"))
        assert cut == truncated
    assert plies_left == [3, 2, 1, 0]
    assert info["moves"] == 1
    assert info["refused"] == NOTHING


def test_an_undone_draw_is_drawn_again() -> None:
    env = undoing()
    env.reset(seed=21)
    first, *_ = env.step(0)
    env.step(UNDO)
    again, *_ = env.step(0)
    assert (first[6:] == again[6:]).all()  # all but the plies left and the score


@pytest.mark.parametrize("reward", ["score", "win"])
def test_an_undo_takes_the_reward_back(reward: str) -> None:
    transcript = read_transcript("won_by_greed")
    env = undoing(reward=reward)
    env.reset(options={"deal": transcript.deal})
    scored = next(k for k, score in enumerate(transcript.scores) if score > 0)
    rewards = [env.step(action)[1] for action in transcript.actions[: scored + 1]]
    expected = 10.0 if reward == "score" else 0.0
    assert (rewards[-1], env.step(UNDO)[1]) == (expected, -expected)


def test_a_stuck_game_goes_on_with_an_undo_and_a_won_one_ends() -> None:
    stuck = read_transcript("first_deal_uniform")
    env = undoing()
    env.reset(options={"deal": stuck.deal})
    for action in stuck.actions:
        _, _, terminated, truncated, info = env.step(action)
        assert not terminated
        assert not truncated
    assert np.flatnonzero(info["action_mask"]).tolist() == [UNDO]
    assert env.step(UNDO)[4]["action_mask"].sum() > 1
    won = read_transcript("won_by_greed")
    env.reset(options={"deal": won.deal})
    for action in won.actions:
        _, _, terminated, _, info = env.step(action)
    assert terminated
    assert np.flatnonzero(info["action_mask"]).tolist() == [0]


def test_a_new_episode_has_nothing_to_undo() -> None:
    env = undoing(max_episode_steps=5)
    for options in ({"deal": 3}, None, {"deal": "FT1-N-AAAAAAV"}):
        _, info = env.reset(options=options)
        assert info["action_mask"][UNDO] == 0
        for _ in range(5):
            *_, info = env.step(0)
        assert info["action_mask"][UNDO] == 1


@pytest.mark.parametrize("illegal", ["raise", "terminate"])
def test_an_undo_of_nothing_is_illegal(illegal: str) -> None:
    env = undoing(illegal=illegal)
    env.reset(seed=0)
    if illegal == "raise":
        with pytest.raises(ValueError, match=r"illegal action 269 \(undo\): There is nothing to "):
            env.step(UNDO)
        with pytest.raises(ValueError, match=r"illegal action 270 \(no action\): There is no such"):
            env.step(270)
        env.step(0)
        env.step(UNDO)
    else:
        _, _, terminated, _, info = env.step(UNDO)
        assert terminated
        assert info["refused"] == NOTHING
        assert np.flatnonzero(info["action_mask"]).tolist() == [0]


def test_without_the_option_269_is_no_action() -> None:
    env = QuaranteVoleursEnv()
    env.reset(seed=0)
    env.step(0)
    *_, info = env.step(UNDO)
    assert info["refused"].startswith("There is no such action")
    assert info["action_mask"].shape == (269,)
    assert env.action_space.n == 269


def test_canonical_masks_keep_the_undo() -> None:
    env = undoing(mask="canonical")
    env.reset(seed=0)
    *_, info = env.step(0)
    assert info["action_mask"][UNDO] == 1


def test_copies_and_snapshots_keep_what_can_be_undone() -> None:
    env = undoing()
    env.reset(seed=5)
    env.step(0)
    saved, twin = env.get_state(), env.clone()
    env.step(UNDO)
    assert twin.step(UNDO)[4]["action_mask"][UNDO] == 0
    env.set_state(saved)
    *_, info = env.step(UNDO)
    assert "refused" not in info
    hidden = env.clone(hidden="resample", seed=1)
    assert hidden.action_masks()[UNDO] == 0


def test_gymnasium_finds_nothing_to_complain_about() -> None:
    env = gymnasium.make("QuaranteVoleurs-v0", undo=True)
    assert env.action_space.n == 270  # type: ignore[attr-defined]
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_vector_environment_equals_single_ones(mode: AutoresetMode) -> None:
    keywords: dict[str, Any] = {"max_episode_steps": 60}
    ours = QuaranteVoleursVectorEnv(3, undo=True, autoreset_mode=mode, num_threads=2, **keywords)
    theirs = SyncVectorEnv([lambda: undoing(**keywords)] * 3, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    seen = [envs.reset(seed=7) for envs in (ours, theirs)]
    undone = 0
    for _ in range(200):
        np.testing.assert_array_equal(seen[0][0], seen[1][0])
        masks = [infos["action_mask"] for _, infos in seen]
        np.testing.assert_array_equal(*masks)
        actions = np.array([rng.choice([*np.flatnonzero(mask), UNDO]) for mask in masks[0]])
        undone += (actions == UNDO).sum()
        steps = [envs.step(actions) for envs in (ours, theirs)]
        for mine, other in zip(steps[0][1:4], steps[1][1:4], strict=True):
            np.testing.assert_array_equal(mine, other)
        refused = [list(infos.get("refused", [None] * 3)) for *_, infos in steps]
        assert refused[0] == refused[1]
        done = steps[0][2] | steps[0][3]
        seen = [(step[0], step[4]) for step in steps]
        if mode is AutoresetMode.DISABLED and done.any():
            seen = [envs.reset(options={"reset_mask": done.copy()}) for envs in (ours, theirs)]
            assert done.all()  # all are cut off at the same ply, none being won
    assert undone > 10


def test_an_illegal_action_does_not_end_a_game_in_which_the_undo_is_left() -> None:
    env, rng, dead = undoing(takebacks=False), random.Random(1), False
    env.reset(seed=1)
    while not dead:
        _, info = env.reset()
        over = False
        while not (over or dead):
            legal = np.flatnonzero(info["action_mask"][:UNDO]).tolist()
            *_, terminated, truncated, info = env.step(rng.choice(legal))
            over = terminated or truncated
            dead = not over and not info["action_mask"][:UNDO].any()
    assert info["action_mask"].nonzero()[0].tolist() == [UNDO]
    _, _, terminated, truncated, info = env.step(0)
    assert not terminated
    assert not truncated
    assert "refused" in info
    assert info["action_mask"].nonzero()[0].tolist() == [UNDO]
