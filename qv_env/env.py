"""`QuaranteVoleursEnv`, one game as a `gymnasium.Env`."""

from __future__ import annotations

import inspect
from typing import Any, Final, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.wrappers import TimeLimit

from qv_env.batch import Batch, Outputs
from qv_env.infos import of_game
from qv_env.observation import observation_space
from qv_env.options import checked_action, checked_seed, deal_option
from qv_env.settings import (
    LONGEST_EPISODE,
    RENDER_MODES,
    Settings,
    check_choice,
    check_count,
)
from qv_env.snapshots import Snapshots

_ROW: Final = np.zeros(1, np.int64)
_PLAIN_NUMBERS: Final = (np.int64, int)  # what nearly all actions are, told apart at once
_OUT_OF_RANGE: Final = np.full(1, -1, np.int64)  # refused as any other number that is no action


class QuaranteVoleursEnv(Snapshots, gymnasium.Env[npt.NDArray[Any], np.int64]):
    """Quarante Voleurs: Forty Thieves with single cards, same suit, draw one, no redeal.

    ## Description

    Two decks. Forty cards lie open in ten columns, the other 64 in a face-down stock that is
    turned over card by card, once. All cards must reach the eight foundations, which are built
    from the ace upwards in one suit. Only single cards move; a column accepts the card one rank
    below its top card in the same suit, an empty column accepts any card.

    ## Action space

    ``Discrete(269)``: 0 draws, the others are (source, destination) pairs; `qv_env.ACTIONS` lists
    them with their texts, such as ``t3>f2``. With ``undo=True``, ``Discrete(270)``: 269 undoes.

    ## Observation space

    A ``Box`` of uint8. ``observation="cards"``: 248 bytes that hold all public knowledge, with
    named fields through `qv_env.read_observation`; 64 more with ``stock="open"``.
    ``observation="features"``: entries made for plain networks, listed in `qv_env.FEATURES`.

    ## Rewards

    ``reward="score"``: the change of the app's score, so that the return is the score: +10 for a
    card on a foundation, +5 from the waste to a column, -15 for a take-back (the score never
    falls below 0). ``reward="win"``: 1 for the move that wins, else 0. An undo earns the score's
    change back.

    ## Starting state

    ``reset(seed=n)`` deals number ``n`` (modulo 26^7). The deals of later episodes are a pure
    function of the seed and the number of the episode, within the split.
    ``reset(options={"deal": ...})`` deals a number, a code, 104 cards as text or a `Deal`.

    ## Episode end

    Terminated: won, or no legal action is left (or, with ``illegal="terminate"``, an illegal
    action). Truncated: ``max_episode_steps`` plies without that. With ``undo=True`` a game without
    a legal action goes on, since there is something to undo.

    ## Information

    ``action_mask`` (int8, one entry an action), ``deal`` (code), ``score``, ``moves``,
    ``foundation_cards``, ``is_success``; and ``refused``, a sentence, after an illegal action.
    In an ended game the mask allows action 0 alone, a placeholder.

    ## Arguments

    See `qv_env.settings.Settings`; and ``render_mode``: None, ``ansi``, ``rgb_array`` or
    ``human``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares and reads it like this
        "render_modes": list(RENDER_MODES),
        "render_fps": 8,
    }

    def __init__(
        self,
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
    ) -> None:
        settings = Settings.from_keywords(
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
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.settings = settings
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(self.settings.action_count)
        self.observation_space = observation_space(settings)
        self._limit_is_default = max_episode_steps is None
        self._batch = Batch(settings, size=1)
        self._outputs: Outputs | None = None
        self._window: Any = None

    @property
    def state(self) -> Any:
        """The game as a state record (see `qv_env.engine`), to be read and not to be written."""
        return self._batch.tasks[0]["game"]

    @property
    def deal(self) -> str:
        """The code of the deal being played; ``unknown`` in a copy with a resampled stock."""
        return str(self._batch.codes[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: A whole number >= 0. It names the deal, and sets the stream that later episodes
                draw from.
            options: ``{"deal": d}`` plays a given deal: a number, a code, 104 cards as text, or a
                `Deal`.

        Raises:
            ValueError: An option or a deal is not known.
        """
        seed = checked_seed(seed)
        deal = deal_option(options)
        super().reset(seed=seed)
        self._follow_time_limit()
        self._batch.start(_ROW, [seed], [deal], self.np_random)
        # Written anew by every step; what is handed out is a copy.
        self._outputs = self._batch.new_outputs()
        self._outputs.refused[0] = 0
        self._batch.show(_ROW, self._outputs)
        if self.render_mode == "human":
            self.render()
        return self._outputs.observations[0].copy(), self._info(self._outputs)

    def step(
        self, action: SupportsIndex
    ) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Make an action.

        Raises:
            ValueError: The action is illegal, and ``illegal="raise"``; nothing has changed then.
            TypeError: The action is not a whole number.
            ResetNeeded: The episode has ended, or none has begun.
        """
        outputs = self._outputs
        if outputs is None or self._batch.tasks["finished"][0]:
            raise ResetNeeded("the episode has ended or none has begun: call reset() first")
        if type(action) not in _PLAIN_NUMBERS:
            action = checked_action(action)
        try:
            actions = np.array([action], np.int64)
        except OverflowError:
            actions = _OUT_OF_RANGE
        if self.settings.illegal == "raise":
            self._batch.raise_refused(actions)
        self._batch.advance(actions, outputs)
        if self.render_mode == "human":
            self.render()
        terminated, truncated, *_ = outputs.flags[:, 0].tolist()
        info = self._info(outputs)
        return outputs.observations[0].copy(), outputs.rewards.item(), terminated, truncated, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the action mask as bool, one entry an action, as sb3-contrib asks for it."""
        masks: npt.NDArray[np.bool_] = self._last().masks[0].astype(np.bool_)
        return masks

    def render(self) -> Any:
        """Return the position as text (``ansi``) or uint8 picture (``rgb_array``), or show it."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode; "
                f"choose one of {', '.join(RENDER_MODES)} when making the environment"
            )
            return None
        self._last()
        from qv_env.render import Window, render_rgb, render_text

        if self.render_mode == "ansi":
            return render_text(self.state, deal=self.deal)
        if self.render_mode == "rgb_array":
            return render_rgb(self.state, deal=self.deal)
        if self._window is None:
            self._window = Window(fps=self.metadata["render_fps"])
        self._window.show(self.state, deal=self.deal)
        return None

    def close(self) -> None:
        """End the episode, and close the window if there is one; a reset begins anew."""
        self._outputs = None
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        # A window belongs to one process and one environment.
        return {**self.__dict__, "_window": None}

    def _last(self) -> Outputs:
        if self._outputs is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        return self._outputs

    def _info(self, outputs: Outputs) -> dict[str, Any]:
        return of_game(outputs, 0, self._batch.codes[0])

    def _follow_time_limit(self) -> None:
        """Count down to the limit of a `TimeLimit` wrapper, where one is resetting us.

        ``gymnasium.make(..., max_episode_steps=n)`` never tells the environment about ``n``, which
        is observed as plies left. The wrapper stands on the call stack, which is the one
        place to learn of it.
        """
        limit = _time_limit_around(self)
        if limit is None:
            return
        if not self._limit_is_default:
            limit = min(limit, self.settings.max_episode_steps)
        self._batch.max_episode_steps = limit


def _time_limit_around(env: gymnasium.Env[Any, Any]) -> int | None:
    """Return the steps of the innermost `TimeLimit` around ``env`` that is resetting it."""
    frame = inspect.currentframe()
    while frame is not None:
        caller = frame.f_locals.get("self")
        if isinstance(caller, TimeLimit) and caller.unwrapped is env:
            steps = caller._max_episode_steps  # noqa: SLF001  # the wrapper has no public name for it
            return check_count("max_episode_steps", steps, LONGEST_EPISODE)
        frame = frame.f_back
    return None
