"""Keywords of the environments: wrong values are errors that list the right ones."""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

from qv_env import QuaranteVoleursEnv, QuaranteVoleursVectorEnv

WRONG = [
    ({"stock": "shown"}, "'hidden', 'open'"),
    ({"split": "validation"}, "'train', 'dev', 'test', 'all'"),
    ({"observation": "pixels"}, "'cards', 'features'"),
    ({"mask": "none"}, "'legal', 'canonical'"),
    ({"takebacks": "no"}, "True, False"),
    ({"takebacks": 1}, "True, False"),
    ({"reward": "points"}, "'score', 'win'"),
    ({"illegal": "forbid"}, "'ignore', 'raise', 'terminate'"),
    ({"max_episode_steps": 0}, r"\[1, 65535\], got 0"),
    ({"max_episode_steps": 65_536}, r"\[1, 65535\], got 65536"),
    ({"max_episode_steps": 1.5}, "whole number, got 1.5"),
    ({"render_mode": "video"}, "None, 'ansi', 'rgb_array'"),
    ({"stock": "open", "observation": "features"}, "observation='cards'"),
]
WRONG_IN_VECTORS = [
    ({"render_mode": "human"}, "None, 'ansi', 'rgb_array'; got 'human'"),
    ({"autoreset_mode": "Later"}, "'NextStep', 'SameStep', 'Disabled'"),
    ({"num_threads": 0}, "num_threads must lie in"),
    ({"num_envs": 0}, "num_envs must lie in"),
    ({"num_envs": "8"}, "whole number, got '8'"),
    ({"copy": None}, "True, False"),
]


@pytest.mark.parametrize(("keywords", "complaint"), WRONG)
def test_a_wrong_keyword_lists_the_right_values(keywords: dict[str, Any], complaint: str) -> None:
    for make in (QuaranteVoleursEnv, QuaranteVoleursVectorEnv):
        with pytest.raises((ValueError, TypeError), match=complaint):
            make(**keywords)


@pytest.mark.parametrize(("keywords", "complaint"), WRONG_IN_VECTORS)
def test_a_wrong_vector_keyword_lists_the_right_values(
    keywords: dict[str, Any], complaint: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=complaint):
        QuaranteVoleursVectorEnv(**keywords)


def test_an_unknown_keyword_is_an_error() -> None:
    with pytest.raises(TypeError, match="colour"):
        gymnasium.make("QuaranteVoleurs-v0", colour="red")
    with pytest.raises(TypeError, match="colour"):
        gymnasium.make_vec("QuaranteVoleurs-v0", num_envs=2, colour="red")


@pytest.mark.parametrize("autoreset_mode", list(gymnasium.vector.AutoresetMode))
def test_an_autoreset_mode_is_taken_as_value_or_member(
    autoreset_mode: gymnasium.vector.AutoresetMode,
) -> None:
    for mode in (autoreset_mode, autoreset_mode.value):
        env = QuaranteVoleursVectorEnv(2, autoreset_mode=mode)
        assert env.metadata["autoreset_mode"] is autoreset_mode
    assert QuaranteVoleursVectorEnv.metadata["autoreset_mode"].value == "NextStep"
