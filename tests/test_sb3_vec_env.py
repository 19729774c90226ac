"""The native VecEnv adapter against stable-baselines3's own, and MaskablePPO on all of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

pytest.importorskip("stable_baselines3")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor

from agents.sb3_vec_env import QuaranteVoleursSB3VecEnv, spread_seeds
from qv_env import QuaranteVoleursVectorEnv
from qv_env.deals import DEALS, deal_number, split_numbers

GAMES = 2
KEYWORDS: dict[str, Any] = {
    "observation": "features",
    "mask": "canonical",
    "takebacks": False,
    "max_episode_steps": 90,
}


# With the module before the name, workers find the environment without importing anything by hand.
make_single = functools.partial(gymnasium.make, "qv_env:QuaranteVoleurs-v0", **KEYWORDS)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def native() -> Iterator[VecEnv]:
    env = QuaranteVoleursSB3VecEnv(GAMES, **KEYWORDS)
    env.seed(1)
    yield env
    env.close()


@pytest.fixture
def dummy() -> Iterator[VecEnv]:
    env = DummyVecEnv([make_single] * GAMES)
    yield env
    env.close()


@pytest.fixture(scope="module")
def subproc() -> Iterator[VecEnv]:
    env = SubprocVecEnv([make_single] * GAMES, start_method="spawn")
    yield env
    env.close()


def random_actions(masks: np.ndarray[Any, Any], rng: np.random.Generator) -> Any:
    return np.argmax(np.where(masks, rng.random(masks.shape), -1.0), axis=1)


def assert_equal_play(native: VecEnv, other: VecEnv, steps: int) -> tuple[int, int]:
    """Play both side by side, and return how many games ended and how many were truncated."""
    other._seeds = list(native._seeds)  # noqa: SLF001 - the same deals for both
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(native.reset(), other.reset())
    endings = truncations = 0
    for _ in range(steps):
        masks = get_action_masks(native)
        assert masks.dtype == np.bool_
        np.testing.assert_array_equal(masks, get_action_masks(other))
        actions = random_actions(masks, rng)
        ours, theirs = native.step(actions), other.step(actions)
        for mine, other_array in zip(ours[:3], theirs[:3], strict=True):
            np.testing.assert_array_equal(mine, other_array)
        for done, info, other_info in zip(ours[2], ours[3], theirs[3], strict=True):
            if not done:
                assert info == {}
                continue
            endings += 1
            truncations += info["TimeLimit.truncated"]
            np.testing.assert_array_equal(
                info["terminal_observation"], other_info["terminal_observation"]
            )
            for key in info.keys() - {"terminal_observation"}:
                assert info[key] == other_info[key], key
    return endings, truncations


def test_equals_dummy_vec_env(native: VecEnv, dummy: VecEnv) -> None:
    endings, truncations = assert_equal_play(native, dummy, steps=600)
    assert endings > truncations > 0


def test_equals_subproc_vec_env(native: VecEnv, subproc: VecEnv) -> None:
    endings, _ = assert_equal_play(native, subproc, steps=200)
    assert endings > 0


@pytest.mark.parametrize("name", ["native", "dummy", "subproc"])
def test_maskable_ppo_trains(name: str, request: pytest.FixtureRequest) -> None:
    env = request.getfixturevalue(name)
    assert is_masking_supported(env)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=24, n_epochs=1, seed=0,
        policy_kwargs={"net_arch": [8]}, device="cpu",
    )  # fmt: skip
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(2 * 16 * GAMES)
    after = list(model.policy.parameters())
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))


def test_stable_baselines3_finds_nothing_to_complain_about() -> None:
    for observation in ("cards", "features"):
        check_env(gymnasium.make("QuaranteVoleurs-v0", observation=observation).unwrapped)


def test_vec_monitor_reports_scores(native: VecEnv) -> None:
    env = VecMonitor(native, info_keywords=("score", "is_success"))
    env.reset()
    rng = np.random.default_rng(0)
    episodes = []
    for _ in range(200):
        _, _, dones, infos = env.step(random_actions(get_action_masks(env), rng))
        episodes += [infos[row]["episode"] for row in np.flatnonzero(dones)]
    assert len(episodes) > GAMES
    assert all(episode["r"] == episode["score"] for episode in episodes)
    assert all(0 < episode["l"] <= KEYWORDS["max_episode_steps"] for episode in episodes)


def test_what_is_handed_out_never_changes(native: VecEnv) -> None:
    observations = native.reset()
    masks = get_action_masks(native)
    kept = observations.copy(), masks.copy()
    step = native.step(random_actions(masks, np.random.default_rng(0)))
    first = [np.copy(part) for part in step[:3]]
    native.step(random_actions(get_action_masks(native), np.random.default_rng(1)))
    np.testing.assert_array_equal(observations, kept[0])
    np.testing.assert_array_equal(masks, kept[1])
    for part, copy in zip(step[:3], first, strict=True):
        np.testing.assert_array_equal(part, copy)


def deals_played(seed: int, episodes: int) -> set[int]:
    env = QuaranteVoleursSB3VecEnv(8, split="dev", max_episode_steps=1)
    env.seed(seed)
    env.reset()
    deals = {deal_number(info["deal"]) for info in env.reset_infos}
    for _ in range(episodes):
        env.step(np.zeros(8, np.int64))
        deals |= {deal_number(code) for code in env.vector_env.deals}
    return deals


def test_neighbouring_seeds_share_no_deals_and_all_lie_in_the_split() -> None:
    played = [deals_played(seed, episodes=20) for seed in range(4)]
    dev = split_numbers("dev")
    assert all(number in dev for deals in played for number in deals)
    assert len(set.union(*played)) == sum(map(len, played)) >= 4 * 8 * 20
    assert deals_played(0, episodes=20) == played[0]


def test_spread_seeds_name_deals_of_the_split() -> None:
    numbers = split_numbers("train")
    seeds = spread_seeds(7, 1000, numbers)
    assert len({seed % DEALS for seed in seeds}) == 1000
    assert all(seed % DEALS in numbers and 0 <= seed < 1 << 63 for seed in seeds)
    assert spread_seeds(7, 10, numbers) == seeds[:10]
    assert not set(seeds) & set(spread_seeds(8, 1000, numbers))
    assert spread_seeds(None, 2, numbers) != spread_seeds(None, 2, numbers)


def test_the_seeds_of_games_deal_the_same_without_the_adapter() -> None:
    adapter = QuaranteVoleursSB3VecEnv(3, split="dev")
    seeds = adapter.seed(4)
    adapter.reset()
    plain = QuaranteVoleursVectorEnv(num_envs=3, split="dev")
    _, infos = plain.reset(seed=[seed for seed in seeds if seed is not None])
    assert list(infos["deal"]) == [info["deal"] for info in adapter.reset_infos]


def test_options_deal_what_they_name(native: VecEnv) -> None:
    native.set_options([{"deal": 21}, {"deal": "FT1-N-ZZYAAAA"}])
    native.reset()
    codes = [info["deal"] for info in native.reset_infos]
    assert codes[0] == "FT1-N-AAAAAAV"
    assert codes[1] == "FT1-N-ZZYAAAA"
    native.set_options({"deal": 5})
    native.reset()
    assert {info["deal"] for info in native.reset_infos} == {"FT1-N-AAAAAAF"}
    native.set_options({"deals": 5})
    with pytest.raises(ValueError, match="unknown reset option 'deals'"):
        native.reset()


def test_attributes_and_methods(native: VecEnv) -> None:
    native.reset()
    assert native.get_attr("render_mode") == [None] * GAMES
    assert native.get_attr("num_envs", indices=[0, 1]) == [GAMES, GAMES]
    assert native.env_is_wrapped(Monitor, indices=1) == [False]
    rows = native.env_method("action_masks", indices=[1, 0])
    assert [row.shape for row in rows] == [(269,), (269,)]
    assert rows[0].base is rows[1].base
    assert not native.has_attr("no_such_thing")
    native.set_attr("note", "x")
    assert native.get_attr("note", indices=1) == ["x"]
    with pytest.raises(ValueError, match="for some games only"):
        native.set_attr("note", "y", indices=[0])
    with pytest.raises(AttributeError, match="no method 'clone' of single games"):
        native.env_method("clone")


def test_a_fresh_environment_draws_unknown_deals_from_the_split() -> None:
    codes = []
    for _ in range(2):
        env = QuaranteVoleursSB3VecEnv(2, split="test")
        env.reset()
        codes += [info["deal"] for info in env.reset_infos]
    assert all(deal_number(code) in split_numbers("test") for code in codes)
    assert len(set(codes)) == 4


def test_pictures_of_all_games() -> None:
    env = QuaranteVoleursSB3VecEnv(2, render_mode="rgb_array")
    env.reset()
    frames = env.get_images()
    assert len(frames) == 2
    assert all(frame is not None and frame.ndim == 3 for frame in frames)


def test_the_interface_decides_some_keywords() -> None:
    with pytest.raises(TypeError, match="copy cannot be chosen"):
        QuaranteVoleursSB3VecEnv(2, copy=False)
    with pytest.raises(ValueError, match="mask must be one of"):
        QuaranteVoleursSB3VecEnv(2, mask="all")


def test_what_a_program_writes_into_an_info_does_not_come_back() -> None:
    envs = QuaranteVoleursSB3VecEnv(3)
    envs.reset()
    _, _, _, infos = envs.step(np.zeros(3, np.int64))
    assert infos == [{}, {}, {}]
    assert infos[0] is not infos[1]
    infos[1]["note"] = "mine"
    _, _, _, later = envs.step(np.zeros(3, np.int64))
    assert later == [{}, {}, {}]
    assert infos == [{}, {"note": "mine"}, {}]
