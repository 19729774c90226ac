"""Seeds, streams of deals and splits, in the single and in the vector environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from qv_env import QuaranteVoleursEnv, QuaranteVoleursVectorEnv, deal_number
from qv_env.deals import DEALS, split_numbers
from qv_env.shuffle import episode_deal
from tests import reference

STEP = 0x9E3779B97F4A7C15

TRACE = """
import json, random, qv_env, numpy as np
env = qv_env.QuaranteVoleursEnv(illegal="ignore", max_episode_steps=60)
rng = random.Random(3)
trace = []
observation, info = env.reset(seed=5)
for _ in range(300):
    observation, *signals, info = env.step(rng.randrange(269))
    info["action_mask"] = info["action_mask"].tolist()
    trace.append([observation.tolist(), signals, sorted(info.items())])
    if signals[1] or signals[2]:
        env.reset()
print(json.dumps(trace))
"""


def deals_of(env: QuaranteVoleursEnv, seed: int, episodes: int) -> list[int]:
    codes = [env.reset(seed=seed)[1]["deal"]]
    codes += [env.reset()[1]["deal"] for _ in range(episodes - 1)]
    return [deal_number(code) for code in codes]


def test_a_fresh_and_a_used_environment_reset_alike() -> None:
    used = QuaranteVoleursEnv()
    used.reset(seed=12345)
    for seed in range(200):
        for _ in range(seed % 7):
            used.step(0)
        fresh = QuaranteVoleursEnv()
        one, one_info = fresh.reset(seed=seed)
        other, other_info = used.reset(seed=seed)
        assert np.array_equal(one, other)
        assert one_info["deal"] == other_info["deal"]
        one_info, other_info = fresh.reset()[1], used.reset()[1]
        assert one_info["deal"] == other_info["deal"]


@pytest.mark.parametrize("seed", [0, 21, DEALS - 1, DEALS, DEALS + 21, 2**63, 2**70 + 5])
def test_a_seed_names_its_deal(seed: int) -> None:
    assert deals_of(QuaranteVoleursEnv(), seed, 1) == [seed % DEALS]


def test_numpy_seeds_and_deals_are_accepted() -> None:
    env = QuaranteVoleursEnv()
    assert env.reset(seed=np.int32(21))[1]["deal"] == "FT1-N-AAAAAAV"  # type: ignore[arg-type]
    for deal in (21, np.int64(21), np.uint16(21), "ft1-n-aaaaaav"):
        assert env.reset(options={"deal": deal})[1]["deal"] == "FT1-N-AAAAAAV"


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_other_seeds_are_errors(seed: object) -> None:
    for env in (QuaranteVoleursEnv(), QuaranteVoleursVectorEnv(2)):
        with pytest.raises((ValueError, TypeError), match="seed"):
            env.reset(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("split", ["train", "dev", "test", "all"])
def test_later_episodes_stay_in_their_split(split: str) -> None:
    env = QuaranteVoleursEnv(split=split)
    later = deals_of(env, seed=3, episodes=200)[1:]
    assert all(number in split_numbers(split) for number in later)
    assert len(set(later)) > 195


def test_without_a_seed_even_the_first_deal_comes_from_the_split() -> None:
    firsts = {deal_number(QuaranteVoleursEnv(split="dev").reset()[1]["deal"]) for _ in range(20)}
    assert firsts <= set(split_numbers("dev"))
    assert len(firsts) > 15


def test_the_stream_is_a_function_of_seed_and_episode() -> None:
    split = split_numbers("train")
    expected = [
        int(episode_deal(np.uint64(9), np.uint64(e), split.start, len(split))) for e in range(1, 6)
    ]
    assert deals_of(QuaranteVoleursEnv(), seed=9, episodes=6)[1:] == expected
    env = QuaranteVoleursEnv()
    env.reset(seed=9)
    for _ in range(2):
        env.reset(options={"deal": 0})  # a chosen deal counts as an episode
    assert deal_number(env.reset()[1]["deal"]) == expected[2]


def test_neighbouring_seeds_share_no_deals() -> None:
    env = QuaranteVoleursEnv()
    seen: set[int] = set()
    for seed in range(100):
        later = set(deals_of(env, seed, episodes=20)[1:])
        assert not later & seen
        seen |= later


def test_episode_deals_are_spread_evenly() -> None:
    counts = np.zeros(7, np.int64)
    for episode in range(7_000):
        counts[episode_deal(np.uint64(1), np.uint64(episode), 0, 7)] += 1
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 22.5  # chi-square, 6 degrees, p = 0.001


def test_the_stream_is_as_the_docs_specify() -> None:
    seed, episode, count = 7, 3, len(split_numbers("train"))
    inner = reference.SplitMix64(seed).next()
    value = [reference.SplitMix64(inner + k * STEP).next() for k in range(episode + 1)][-1]
    assert episode_deal(np.uint64(seed), np.uint64(episode), 0, count) == value % count


def test_game_i_of_a_vector_environment_has_seed_s_plus_i() -> None:
    vector = QuaranteVoleursVectorEnv(4, autoreset_mode="Disabled")
    single = [deals_of(QuaranteVoleursEnv(), 50 + i, episodes=3) for i in range(4)]
    columns = [vector.reset(seed=50)[1]["deal"], vector.reset()[1]["deal"]]
    columns.append(vector.reset()[1]["deal"])
    assert [[deal_number(code) for code in row] for row in zip(*columns, strict=True)] == single


def test_settings_survive_resets() -> None:
    env = QuaranteVoleursVectorEnv(
        3, split="dev", mask="canonical", takebacks=False, max_episode_steps=7
    )
    env.reset(seed=0)
    for step in range(1, 100):
        _, _, _, truncated, infos = env.step(env.action_masks().argmax(axis=1))
        assert truncated.all() == (step % 8 == 7)
        assert not infos["action_mask"][:, 189:].any()
        if step > 8:
            assert all(deal_number(code) in split_numbers("dev") for code in infos["deal"])
    _, infos = env.reset(seed=3)
    assert not infos["action_mask"][:, 189:].any()
    for step in range(1, 10):
        _, _, _, truncated, infos = env.step(env.action_masks().argmax(axis=1))
        assert truncated.all() == (step == 7)
    assert all(deal_number(code) in split_numbers("dev") for code in infos["deal"])


def test_traces_do_not_depend_on_the_hash_seed() -> None:
    traces = set()
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        process = subprocess.run(
            [sys.executable, "-c", TRACE], env=environment, capture_output=True, check=True
        )
        traces.add(process.stdout)
    (trace,) = traces
    assert len(json.loads(trace)) == 300


def test_worker_processes_find_the_environment() -> None:
    # The prefix makes Gymnasium import the package in each worker.
    make = [lambda: gymnasium.make("qv_env:QuaranteVoleurs-v0")] * 2
    workers = gymnasium.vector.AsyncVectorEnv(make, context="spawn")
    try:
        observations, infos = workers.reset(seed=3)
        same, _ = QuaranteVoleursVectorEnv(2).reset(seed=3)
        assert np.array_equal(observations, same)
        assert infos["deal"].tolist() == ["FT1-N-AAAAAAD", "FT1-N-AAAAAAE"]
    finally:
        workers.close()
