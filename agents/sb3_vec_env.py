"""The native vector environment as a stable-baselines3 ``VecEnv``.

stable-baselines3's own `DummyVecEnv` and `SubprocVecEnv` work with single environments too; this
adapter steps all games in one kernel call instead and copies nothing for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from qv_env import QuaranteVoleursVectorEnv, task
from qv_env.deals import DEALS, split_numbers

EPISODE_KEYS: Final = ("deal", "score", "moves", "foundation_cards", "is_success")
_MASKS: Final = "action_masks"
# A seed's high part may take this many values: high part and deal number stay within 63 bits.
_STREAMS: Final = (1 << 63) // DEALS


class QuaranteVoleursSB3VecEnv(VecEnv):
    """`QuaranteVoleursVectorEnv` with the interface of stable-baselines3.

    Only the info of a game that has just ended holds anything: ``terminal_observation``,
    ``TimeLimit.truncated`` and the `EPISODE_KEYS` of the episode. The other infos are empty, and
    the same ones step after step as long as nobody writes into them, which is what makes thousands
    of games cheap; masks come from ``env_method("action_masks")``, as
    sb3-contrib asks for them. Wrap in ``VecMonitor`` for episode statistics.

    Seeds are spread: ``seed(s)`` gives every game a stream of its own by hashing ``s``, so that
    runs with neighbouring seeds share no deals, and the first deals too lie in the split.

    Args:
        num_envs: Number of games.
        keywords: Keywords of `QuaranteVoleursVectorEnv`, but for ``autoreset_mode`` and ``copy``,
            on which the interface leaves no choice.

    Raises:
        TypeError: A keyword is not one of those.
        ValueError: A keyword has a wrong value.
    """

    def __init__(self, num_envs: int, **keywords: Any) -> None:
        fixed = {"autoreset_mode", "copy"} & keywords.keys()
        if fixed:
            raise TypeError(f"{', '.join(sorted(fixed))} cannot be chosen: stable-baselines3 does")
        # The base class asks for attributes, so the games must be there before it is set up.
        self.vector_env = QuaranteVoleursVectorEnv(
            num_envs=num_envs,
            autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
            copy=True,
            **keywords,
        )
        self._split = split_numbers(keywords.get("split", "train"))
        self._actions: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._blanks = [dict[str, Any]() for _ in range(num_envs)]
        super().__init__(
            num_envs,
            self.vector_env.single_observation_space,
            self.vector_env.single_action_space,
        )

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Choose the streams of deals that begin at the next reset.

        Args:
            seed: A whole number >= 0, or None for one that nobody knows.

        Returns:
            The seed of each game, as `QuaranteVoleursVectorEnv.reset` takes it.
        """
        self._seeds = list(spread_seeds(seed, self.num_envs, self._split))
        return self._seeds

    def reset(self) -> npt.NDArray[np.uint8]:
        """Start a game in every row and return the observations, uint8 ``(num_envs, length)``."""
        if all(seed is None for seed in self._seeds) and not self._was_reset:
            self.seed()
        given = any(seed is not None for seed in self._seeds)
        observations, infos = self.vector_env.reset(
            seed=self._seeds if given else None, options=self._joined_options()
        )
        self._was_reset = True
        self.reset_infos = [
            {key: infos[key][row] for key in EPISODE_KEYS} for row in range(self.num_envs)
        ]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions, shape ``(num_envs,)``, for the step that `step_wait` makes."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step every game; see the class for what the infos hold."""
        outputs, ended = self.vector_env.step_games(self._actions)
        terminated, truncated = outputs.flags[task.TERMINATED], outputs.flags[task.TRUNCATED]
        # Making a dict for each game of each step costs more than stepping the game.
        if any(self._blanks):
            self._blanks = [{} for _ in range(self.num_envs)]
        rows = self._blanks.copy()
        for game in ended:
            rows[game.row] = {key: game.info[key] for key in EPISODE_KEYS}
            rows[game.row]["terminal_observation"] = game.observation
            rows[game.row]["TimeLimit.truncated"] = truncated.item(game.row)
        rewards = outputs.rewards.astype(np.float32)
        return outputs.observations, rewards, terminated | truncated, rows

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the masks of all games, bool ``(num_envs, 269)``."""
        return self.vector_env.action_masks()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return a picture of every game."""
        frames = self.vector_env.render()
        return [None] * self.num_envs if frames is None else list(frames)

    def close(self) -> None:
        """Close the vector environment."""
        self.vector_env.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the vector environment, once for each game asked for."""
        owner = self if attr_name == _MASKS else self.vector_env
        value = getattr(owner, attr_name)
        return [value for _ in self._rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the vector environment, for all games at once.

        Raises:
            ValueError: Only some of the games are named.
        """
        if len(set(self._rows(indices))) != self.num_envs:
            raise ValueError(
                f"cannot set {attr_name!r} for some games only: all {self.num_envs} share one "
                "vector environment; leave out indices"
            )
        setattr(self.vector_env, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Call ``action_masks`` and return the rows asked for, each a view of one array.

        Raises:
            AttributeError: Any other method; single games are no objects here.
        """
        if method_name != _MASKS or method_args or method_kwargs:
            raise AttributeError(
                f"no method {method_name!r} of single games: they are rows of one vector "
                f"environment, which offers {_MASKS}() without arguments"
            )
        masks = self.action_masks()
        return [masks[row] for row in self._rows(indices)]

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]],
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Return False for each game asked for: none has a wrapper of its own."""
        del wrapper_class
        return [False for _ in self._rows(indices)]

    _was_reset = False

    def _rows(self, indices: VecEnvIndices) -> Iterable[int]:
        return list(self._get_indices(indices))

    def _joined_options(self) -> dict[str, Any] | None:
        """Return the options of all games as the vector environment takes them."""
        unknown = {key for options in self._options for key in options} - {"deal"}
        if unknown:
            raise ValueError(f"unknown reset option {min(unknown)!r}; known: deal")
        deals = [options.get("deal") for options in self._options]
        return None if all(deal is None for deal in deals) else {"deal": deals}


def spread_seeds(seed: int | None, count: int, numbers: range) -> list[int]:
    """Return seeds for some games that have nothing in common with those of any other seed.

    stable-baselines3 and Gymnasium give game ``i`` the seed ``seed + i``, so that runs with
    neighbouring seeds play almost the same deals. Here each is a 63-bit hash.

    Args:
        seed: A whole number >= 0, or None for one that nobody knows.
        count: How many seeds; those for fewer games are the first of those for more.
        numbers: Deal numbers of the split; a seed's first deal (its value modulo 26^7) is one.

    >>> spread_seeds(1, 2, range(100)) == spread_seeds(1, 3, range(100))[:2]
    True
    """
    words = np.random.SeedSequence(seed).generate_state(2 * count, np.uint64)
    return [
        int(high) % _STREAMS * DEALS + numbers[int(low) % len(numbers)]
        for high, low in words.reshape(count, 2)
    ]
