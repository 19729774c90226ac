"""`QuaranteVoleursVectorEnv`, many games stepped by one kernel call."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from qv_env import infos, task
from qv_env.batch import Batch, Outputs
from qv_env.observation import observation_space
from qv_env.options import checked_seeds, deal_options, take_reset_mask
from qv_env.pool import ArrayPool
from qv_env.settings import VECTOR_RENDER_MODES, Settings, check_choice, check_count, checked_flag
from qv_env.snapshots import Snapshots

_MOST_GAMES = 1 << 24
_MOST_THREADS = 1024

Step = tuple[
    npt.NDArray[np.uint8],
    npt.NDArray[np.float64],
    npt.NDArray[np.bool_],
    npt.NDArray[np.bool_],
    dict[str, Any],
]


class QuaranteVoleursVectorEnv(
    Snapshots, VectorEnv[npt.NDArray[np.uint8], npt.NDArray[Any], npt.NDArray[Any]]
):
    """``num_envs`` games of Quarante Voleurs, equal step for step to as many single environments.

    The keywords of `qv_env.QuaranteVoleursEnv` mean the same here. Game ``i`` of ``reset(seed=s)``
    has seed ``s + i``, as in Gymnasium's own vector environments.

    Args:
        num_envs: Number of games.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: ``NextStep``, ``SameStep`` or
            ``Disabled``.
        num_threads: Threads that share the games of a step. Worth it from some thousand games on.
            With ``undo=True`` one thread steps all games.
        copy: Whether what a step hands out stays as it is; arrays are used again only when nobody
            holds them or a view of them any more. With False, what was handed out is overwritten
            by the next step.

    Raises:
        ValueError: A keyword has a wrong value; the message lists the right ones.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares and reads it like this
        "render_modes": list(VECTOR_RENDER_MODES),
        "render_fps": 8,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        stock: str = "hidden",
        split: str = "train",
        observation: str = "cards",
        mask: str = "legal",
        takebacks: bool = True,
        undo: bool = False,
        reward: str = "score",
        illegal: str = "ignore",
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        copy: bool = True,
    ) -> None:
        self.settings = Settings.from_keywords(
            stock=stock,
            split=split,
            observation=observation,
            mask=mask,
            takebacks=takebacks,
            undo=undo,
            reward=reward,
            illegal=illegal,
            max_episode_steps=max_episode_steps,
        )
        check_choice("render_mode", render_mode, (None, *VECTOR_RENDER_MODES))
        self.num_envs = check_count("num_envs", num_envs, _MOST_GAMES)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = render_mode
        self.copy = checked_flag("copy", copy)
        self.single_action_space = spaces.Discrete(self.settings.action_count)
        self.single_observation_space = observation_space(self.settings)
        threads = check_count("num_threads", num_threads, _MOST_THREADS)
        self._batch = Batch(self.settings, self.num_envs, threads)
        self._pool = ArrayPool(self._batch.new_outputs)
        self._outputs: Outputs | None = None
        self._everyone = np.ones(self.num_envs, np.bool_)
        self._everyone.flags.writeable = False

    # Spaces of the whole batch hold bounds for every entry of every game, more bytes than the games
    # themselves, and few programs ask for them.
    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]  # read like an attribute
        """``MultiDiscrete``: one action for each game."""
        return batch_space(self.single_action_space, self.num_envs)

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]  # the same
        """``Box``: one observation for each game."""
        return batch_space(self.single_observation_space, self.num_envs)

    @property
    def states(self) -> npt.NDArray[np.void]:
        """The games as state records, shape ``(num_envs,)``, to be read and not to be written."""
        return self._batch.tasks["game"]

    @property
    def deals(self) -> tuple[str, ...]:
        """The codes of the deals being played."""
        return tuple(self._batch.codes)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start an episode in every game, or in those of ``options["reset_mask"]``.

        Args:
            seed: A whole number s >= 0, so that game ``i`` gets ``s + i``, or a sequence with one
                seed, or None, for each game.
            options: ``deal``: one deal for all games, or a sequence with one, or None, for each.
                ``reset_mask``: bool array of shape ``(num_envs,)``.

        Raises:
            ValueError: A length, a deal or an option is wrong.
        """
        seeds = checked_seeds(seed, self.num_envs)
        chosen, options = take_reset_mask(options, self.num_envs)
        deals = deal_options(options, self.num_envs)
        if chosen.all():
            super().reset(seed=seeds[0])
            self._outputs = self._fresh_outputs()
        elif self._outputs is None:
            raise ResetNeeded("the first reset must be of all games")
        else:
            self._outputs = copy.deepcopy(self._outputs) if self.copy else self._outputs
        rows = np.flatnonzero(chosen)
        if len(rows) < self.num_envs:
            seeds = [seeds[row] for row in rows.tolist()]
            deals = [deals[row] for row in rows.tolist()]
        self._batch.start(rows, seeds, deals, self.np_random)
        self._batch.show(rows, self._outputs)
        self._outputs.refused[:] = 0
        report = infos.of_all(self._outputs, self._batch.codes, self._everyone, refusals=False)
        if not chosen.all():
            infos.keep_rows(report, chosen)
        return self._outputs.observations, report

    def step(self, actions: npt.NDArray[Any]) -> Step:
        """Make one action in every game.

        Args:
            actions: Whole numbers of shape ``(num_envs,)``.

        Returns:
            Observations (uint8), rewards (float64), terminated and truncated (bool), and infos,
            whose arrays have one row a game.

        Raises:
            ValueError: The actions have another shape or type; or one is illegal, and
                ``illegal="raise"`` (nothing has been stepped then).
            ResetNeeded: No episode has begun, or autoreset is disabled and a game has ended.
        """
        outputs, codes, ended, refusals = self._play(actions)
        report = infos.of_all(outputs, self._batch.codes, self._everyone, refusals=refusals)
        if ended:
            report.update(infos.of_ended(ended, outputs, codes))
        return (
            outputs.observations,
            outputs.rewards,
            outputs.flags[task.TERMINATED],
            outputs.flags[task.TRUNCATED],
            report,
        )

    def step_games(self, actions: npt.NDArray[Any]) -> tuple[Outputs, list[infos.Ended]]:
        """Like `step`, but without infos, which cost much where games are few.

        Returns:
            The arrays that the games have written, and, if autoreset is in the same step, the
            games that have just ended.
        """
        outputs, _, ended, _ = self._play(actions)
        # A tuple of its own, so that whoever keeps it is seen to hold the arrays.
        return Outputs(*outputs), ended

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the action masks as bool of shape ``(num_envs, 269)``, or 270 with undo."""
        if self._outputs is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        return self._outputs.masks.astype(np.bool_)

    def episode_totals(self) -> dict[str, float]:
        """Return sums over all episodes that have ended since `clear_episode_totals`.

        Keys: ``episodes``, ``wins``, ``truncations``, ``score``, ``foundation_cards``, ``plies``,
        ``reward``, and ``refused``, which counts illegal actions of running episodes too.
        """
        return self._batch.totals()

    def clear_episode_totals(self) -> None:
        """Set the sums of `episode_totals` to zero."""
        self._batch.clear_totals()

    def render(self) -> tuple[Any, ...] | None:
        """Return one text (``ansi``) or uint8 picture (``rgb_array``) for each game."""
        if self.render_mode is None:
            return None
        if self._outputs is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        from qv_env.render import render_rgb, render_text

        draw = render_text if self.render_mode == "ansi" else render_rgb
        return tuple(
            draw(state, deal=deal) for state, deal in zip(self.states, self.deals, strict=True)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """End all episodes; a reset begins anew."""
        del kwargs
        self._outputs = None

    def _play(
        self, actions: npt.NDArray[Any]
    ) -> tuple[Outputs, npt.NDArray[Any], list[infos.Ended], bool]:
        """Step all games.

        Returns:
            What they wrote, the deals' codes, the games that have ended where autoreset is in the
            same step, and whether any action may have been refused.
        """
        if self._outputs is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._batch.tasks["finished"].any():
            raise ResetNeeded(
                "a game has ended and autoreset is disabled: reset it first with "
                "reset(options={'reset_mask': terminated | truncated})"
            )
        chosen = self._checked_actions(actions)
        if self.settings.illegal == "raise":
            self._batch.raise_refused(chosen)
        outputs = self._fresh_outputs()
        events = self._batch.step(chosen, outputs)
        self._outputs = outputs
        codes = self._batch.codes
        ended: list[infos.Ended] = []
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            done = outputs.flags[task.TERMINATED] | outputs.flags[task.TRUNCATED]
            rows = done.nonzero()[0]
            if len(rows):
                ended = [
                    infos.Ended(
                        row,
                        outputs.observations[row].copy(),
                        infos.of_game(outputs, row, codes[row]),
                    )
                    for row in rows.tolist()
                ]
                self._batch.restart(rows, outputs)
                outputs.refused[rows] = 0
        return outputs, codes, ended, events > 0

    def _fresh_outputs(self) -> Outputs:
        if self.copy or self._outputs is None:
            return self._pool.take()
        return self._outputs

    def _checked_actions(self, actions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        array = np.asarray(actions)
        if array.dtype == np.int64 and array.shape == (self.num_envs,):
            return np.ascontiguousarray(array)
        if array.shape != (self.num_envs,) or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(
                f"actions must be whole numbers of shape ({self.num_envs},); "
                f"got {array.dtype} of shape {array.shape}"
            )
        return np.ascontiguousarray(array, np.int64)


def _autoreset_mode(value: AutoresetMode | str) -> AutoresetMode:
    modes = tuple(AutoresetMode)
    check_choice("autoreset_mode", value, (*modes, *(mode.value for mode in modes)))
    return AutoresetMode(value)
