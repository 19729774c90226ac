"""The vector environment against as many single ones, and against its own promises."""

from __future__ import annotations

import json
import resource
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode

import qv_env
from qv_env import QuaranteVoleursVectorEnv

NAME = "QuaranteVoleurs-v0"
GAMES = 7


def some_actions(rng: np.random.Generator, masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return mostly legal, sometimes arbitrary actions."""
    choices = [
        rng.choice(np.flatnonzero(mask)) if rng.random() < 0.9 else rng.integers(269)
        for mask in masks
    ]
    return np.array(choices, np.int64)


def pair(mode: AutoresetMode, **keywords: Any) -> tuple[Any, Any]:
    """Return the native environment and Gymnasium's loop over single ones."""
    vector_kwargs = {"autoreset_mode": mode}
    native = gymnasium.make_vec(NAME, GAMES, autoreset_mode=mode, **keywords)
    loop = gymnasium.make_vec(
        NAME, GAMES, vectorization_mode="sync", vector_kwargs=vector_kwargs, **keywords
    )
    assert isinstance(native.unwrapped, QuaranteVoleursVectorEnv)
    return native, loop


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    "keywords",
    [
        {"max_episode_steps": 150},
        {"num_threads": 2},
        {"num_threads": 2, "observation": "features", "max_episode_steps": 150},
        {"observation": "features", "mask": "canonical", "takebacks": False, "reward": "win"},
        {"stock": "open", "split": "dev", "illegal": "terminate", "max_episode_steps": 90},
    ],
)
def test_it_equals_single_environments_step_for_step(
    mode: AutoresetMode, keywords: dict[str, Any]
) -> None:
    single = {name: value for name, value in keywords.items() if name != "num_threads"}
    native = gymnasium.make_vec(NAME, GAMES, autoreset_mode=mode, **keywords)
    _, loop = pair(mode, **single)
    rng = np.random.default_rng(5)
    one, other = native.reset(seed=11), loop.reset(seed=11)
    assert data_equivalence(one, other, exact=True)
    masks = one[-1]["action_mask"]
    ended = 0
    for _ in range(10_000 // (GAMES * 2)):
        one, other = native.step(actions := some_actions(rng, masks)), loop.step(actions)
        assert data_equivalence(one, other, exact=True)
        done = one[2] | one[3]
        ended += done.sum()
        masks = one[-1]["action_mask"]
        assert masks.any(axis=1).all()
        assert np.array_equal(native.unwrapped.action_masks(), masks)
        if mode is AutoresetMode.DISABLED and done.any():
            resets = [env.reset(options={"reset_mask": done.copy()}) for env in (native, loop)]
            assert data_equivalence(*resets, exact=True)
            masks = np.where(done[:, None], resets[0][-1]["action_mask"], masks)
    assert ended >= GAMES


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
def test_it_equals_single_environments_for_long(mode: AutoresetMode) -> None:
    native, loop = pair(mode)
    rng = np.random.default_rng(6)
    one, other = native.reset(seed=1), loop.reset(seed=1)
    for _ in range(10_000):
        actions = some_actions(rng, one[-1]["action_mask"])
        one, other = native.step(actions), loop.step(actions)
        assert data_equivalence(one, other, exact=True)


def test_the_last_observation_survives_a_reset_in_the_same_step() -> None:
    env = QuaranteVoleursVectorEnv(2, autoreset_mode="SameStep", max_episode_steps=3)
    env.reset(seed=0)
    for step in range(1, 4):
        observations, _, _, truncated, infos = env.step(np.zeros(2, np.int64))
        assert ("final_obs" in infos) == truncated.all() == (step == 3)
    assert qv_env.read_observation(infos["final_obs"][1])["waste_count"] == 3
    assert qv_env.read_observation(observations)["waste_count"].tolist() == [0, 0]
    assert infos["final_info"]["moves"].tolist() == [3, 3]
    assert infos["moves"].tolist() == [0, 0]
    assert infos["final_info"]["deal"].tolist() == ["FT1-N-AAAAAAA", "FT1-N-AAAAAAB"]


def test_make_vec_forwards_every_keyword_and_its_spec_survives_json() -> None:
    keywords = {
        "stock": "open",
        "split": "dev",
        "mask": "canonical",
        "takebacks": False,
        "reward": "win",
        "illegal": "terminate",
        "max_episode_steps": 77,
        "render_mode": "ansi",
        "autoreset_mode": "SameStep",
        "num_threads": 2,
        "copy": False,
    }
    env = gymnasium.make_vec(NAME, num_envs=3, **keywords)
    settings = env.unwrapped.settings
    for name in ("stock", "split", "mask", "takebacks", "reward", "illegal", "max_episode_steps"):
        assert getattr(settings, name) == keywords[name]
    assert (env.render_mode, env.unwrapped.copy) == ("ansi", False)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    text = env.spec.to_json()
    assert json.loads(text)["kwargs"]["split"] == "dev"
    again = gymnasium.make_vec(gymnasium.envs.registration.EnvSpec.from_json(text))
    assert isinstance(again.unwrapped, QuaranteVoleursVectorEnv)
    assert again.unwrapped.settings == settings
    assert again.num_envs == 3


def test_what_is_handed_out_never_changes() -> None:
    env = QuaranteVoleursVectorEnv(5, autoreset_mode="SameStep", max_episode_steps=40)
    rng = np.random.default_rng(0)
    handed = [env.reset(seed=0)]
    copies = [json.dumps(_plain(handed[0]))]
    for _ in range(100):
        handed.append(env.step(some_actions(rng, env.action_masks())))
        copies.append(json.dumps(_plain(handed[-1])))
    assert [json.dumps(_plain(one)) for one in handed] == copies


def test_without_copies_the_buffers_are_the_same_ones() -> None:
    env = QuaranteVoleursVectorEnv(5, copy=False)
    twin = QuaranteVoleursVectorEnv(5)
    first, _ = env.reset(seed=0)
    twin.reset(seed=0)
    for _ in range(50):
        actions = env.action_masks().argmax(axis=1)
        observations, *_, infos = env.step(actions)
        same, *_, same_infos = twin.step(actions)
        assert observations is first
        assert np.array_equal(observations, same)
        assert np.array_equal(infos["action_mask"], same_infos["action_mask"])


def test_deals_can_be_given_one_for_each_game() -> None:
    env = QuaranteVoleursVectorEnv(4)
    explicit = qv_env.Deal.from_text(qv_env.Deal.from_number(5).text)
    deals = ["FT1-N-AAAAAAV", np.int64(3), explicit, None]
    _, infos = env.reset(seed=100, options={"deal": deals})
    assert infos["deal"].tolist() == [
        "FT1-N-AAAAAAV",
        "FT1-N-AAAAAAD",
        explicit.code,
        qv_env.deal_code(103),
    ]
    assert env.states["columns"][2].tolist() == (
        QuaranteVoleursVectorEnv(1).reset(seed=5)
        and [[*explicit.order[4 * c : 4 * c + 4], *[0] * 12] for c in range(10)]
    )
    _, infos = env.reset(options={"deal": 21})
    assert infos["deal"].tolist() == ["FT1-N-AAAAAAV"] * 4
    _, infos = env.reset(options={"deal": np.arange(4)})
    assert infos["deal"][3] == "FT1-N-AAAAAAD"
    with pytest.raises(ValueError, match="each of the 4 games, got 2"):
        env.reset(options={"deal": [1, 2]})


def test_seeds_can_be_given_one_for_each_game() -> None:
    env = QuaranteVoleursVectorEnv(3)
    assert env.reset(seed=[5, None, 9])[1]["deal"].tolist()[::2] == [
        qv_env.deal_code(5),
        qv_env.deal_code(9),
    ]
    with pytest.raises(ValueError, match="each of the 3 games, got 2"):
        env.reset(seed=[1, 2])


@pytest.mark.parametrize(
    "actions", [np.zeros(3), np.zeros(2, np.int64), np.zeros((3, 1), np.int64), [0, 0, "a"]]
)
def test_wrong_actions_are_errors(actions: Any) -> None:
    env = QuaranteVoleursVectorEnv(3)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(np.zeros(3, np.int64))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"whole numbers of shape \(3,\)"):
        env.step(actions)
    for dtype in (np.int8, np.uint16, np.int64):
        env.step(np.zeros(3, dtype))
    env.step([0, 0, 0])  # type: ignore[arg-type]


def test_a_raised_action_steps_no_game() -> None:
    env = QuaranteVoleursVectorEnv(3, illegal="raise")
    env.reset(seed=0)
    before = env.states.tobytes()
    with pytest.raises(ValueError, match=r"illegal action 300 \(no action\) in game 2"):
        env.step(np.array([0, 0, 300]))
    assert env.states.tobytes() == before


def test_ended_games_must_be_reset_when_autoreset_is_disabled() -> None:
    env = QuaranteVoleursVectorEnv(2, autoreset_mode="Disabled", max_episode_steps=1)
    env.reset(seed=0)
    env.step(np.zeros(2, np.int64))
    with pytest.raises(ResetNeeded, match="reset_mask"):
        env.step(np.zeros(2, np.int64))


@pytest.mark.parametrize(
    "mask", [[True, False], np.array([1, 0]), np.array([True]), np.zeros(2, np.bool_)]
)
def test_a_wrong_reset_mask_is_an_error(mask: Any) -> None:
    env = QuaranteVoleursVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_totals_sum_what_the_episodes_were(threads: int) -> None:
    env = QuaranteVoleursVectorEnv(
        5, autoreset_mode="SameStep", max_episode_steps=60, num_threads=threads
    )
    _, infos = env.reset(seed=2)
    rng = np.random.default_rng(1)
    expected = dict.fromkeys(("episodes", "score", "foundation_cards", "plies", "truncations"), 0)
    refused = 0
    for _ in range(400):
        *_, terminated, truncated, infos = env.step(some_actions(rng, env.action_masks()))
        done = terminated | truncated
        refused += int(infos["_refused"].sum()) if "refused" in infos else 0
        if done.any():
            final = infos["final_info"]
            refused += int(final["_refused"].sum()) if "refused" in final else 0
            expected["episodes"] += int(done.sum())
            expected["truncations"] += int(truncated.sum())
            expected["score"] += int(final["score"][done].sum())
            expected["foundation_cards"] += int(final["foundation_cards"][done].sum())
            lefts = [qv_env.read_observation(o)["plies_left"] for o in infos["final_obs"][done]]
            expected["plies"] += sum(60 - int(left) for left in lefts)
    totals = env.episode_totals()
    assert totals == {**totals, **expected, "refused": refused, "wins": 0}
    assert totals["reward"] == totals["score"]
    env.clear_episode_totals()
    assert not any(env.episode_totals().values())


def test_each_game_is_rendered() -> None:
    env = QuaranteVoleursVectorEnv(2, render_mode="ansi")
    env.reset(seed=0)
    texts = env.render()
    assert texts is not None
    assert ["FT1-N-AAAAAAA" in texts[0], "FT1-N-AAAAAAB" in texts[1]] == [True, True]
    pictures = QuaranteVoleursVectorEnv(2, render_mode="rgb_array")
    pictures.reset(seed=0)
    assert [frame.dtype for frame in pictures.render() or ()] == [np.uint8, np.uint8]


def test_memory_does_not_grow() -> None:
    games = 4096
    env = QuaranteVoleursVectorEnv(games)
    env.reset(seed=0)
    actions = np.zeros(games, np.int64)

    def run(steps: int) -> int:
        for step in range(steps):
            # Every action of the table in turn: draws, refusals, episodes that end and begin.
            np.add(actions, 1 + step % 3, out=actions)
            np.remainder(actions, 269, out=actions)
            env.step(actions)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = run(200)
    after = run(10_000_000 // games)
    assert after - before < 8 * 1024  # KiB


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
