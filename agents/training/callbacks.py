"""What happens beside the learning: checks, evaluations, checkpoints, and the progress bar.

All but the bar act between an update and the next rollout, where a model is in one piece. Their
order matters: a model is checked before it is evaluated, and evaluated before it is kept, so that a
run resumed from a checkpoint repeats no evaluation and misses none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from agents.training.checkpoint import save_checkpoint
from agents.training.errors import TrainingError
from agents.training.progress import RunBar
from agents.training.run_folder import RunFolder

_SECONDS_BETWEEN_UPDATES: Final = 0.5
_EPISODE_FIGURES: Final = {
    "score": "score",
    "is_success": "win_rate",
    "foundation_cards": "foundation_cards",
    "l": "plies",
}


class BetweenRollouts(BaseCallback):
    """Base of callbacks that act between rollouts, every so many plies.

    Args:
        every: Plies between two actions, counted from the start of the run; 0 for never.
    """

    def __init__(self, every: int) -> None:
        super().__init__()
        self._every = every
        self._done = 0

    def act(self) -> None:
        """Do what is to be done."""
        raise NotImplementedError

    def _on_training_start(self) -> None:
        self._done = self._due()

    def _on_rollout_start(self) -> None:
        if self._due() > self._done:
            self._done = self._due()
            self.act()

    def _on_step(self) -> bool:
        return True

    def _due(self) -> int:
        return self.model.num_timesteps // self._every if self._every else 0


class FiniteCheck(BetweenRollouts):
    """Stops the run when a loss or a weight is not a finite number any more."""

    def __init__(self) -> None:
        super().__init__(every=1)

    def act(self) -> None:
        """Raise a TrainingError unless all weights and logged values are finite."""
        logged: Mapping[str, Any] = self.logger.name_to_value
        bad = [
            key for key, value in logged.items() if key.startswith("train/") and _not_finite(value)
        ]
        with torch.no_grad():
            if not all(bool(torch.isfinite(p).all()) for p in self.model.policy.parameters()):
                bad.append("the network's weights")
        # The explained variance of constant returns is undefined, which is no fault.
        bad = [key for key in bad if key != "train/explained_variance"]
        if bad:
            raise TrainingError(
                f"training stopped at ply {self.model.num_timesteps}: {', '.join(bad)} not finite "
                "(NaN or infinite); try a lower learning_rate, max_grad_norm or reward_scale"
            )

    def _on_training_end(self) -> None:
        self.act()


class Evaluation(BetweenRollouts):
    """Evaluates the model and writes a row of metrics.

    Args:
        every: Plies between two evaluations, 0 for never.
        evaluate: Plays games with the model as it stands and returns figures by name.
        say: Prints a line.
    """

    def __init__(
        self, every: int, evaluate: Callable[[Any], dict[str, float]], say: Callable[[str], None]
    ) -> None:
        super().__init__(every)
        self._evaluate = evaluate
        self._say = say

    def act(self) -> None:
        """Evaluate now."""
        figures = self._evaluate(self.model)
        for name, value in figures.items():
            self.logger.record(f"eval/{name}", value)
        step = self.model.num_timesteps
        self.logger.dump(step)
        listed = ", ".join(f"{name} {value:.3g}" for name, value in figures.items())
        self._say(f"ply {step:,}: on dev deals {listed}")


class Figures(BaseCallback):
    """Logs what stable-baselines3 leaves out: results of games, refusals, and where time goes.

    After each rollout: mean ``rollout/score``, ``win_rate``, ``foundation_cards`` and ``plies`` of
    the games that ended last, ``rollout/illegal_share`` of the plies, and under ``time`` the plies
    a second and the shares of time spent on playing and on learning, all since the rollout before.
    """

    def __init__(self) -> None:
        super().__init__()
        self._began = self._played = 0.0
        self._step = 0
        self._refused = 0.0

    def _on_training_start(self) -> None:
        self._began = self._played = time.perf_counter()
        self._step = self.model.num_timesteps
        self._refused = self._refusals()

    def _on_rollout_start(self) -> None:
        now, plies = time.perf_counter(), self.model.num_timesteps - self._step
        if plies > 0:
            seconds = max(now - self._began, 1e-9)
            refused = self._refusals()
            self.logger.record("rollout/illegal_share", (refused - self._refused) / plies)
            self.logger.record("time/plies_per_second", plies / seconds)
            self.logger.record("time/share_playing", (self._played - self._began) / seconds)
            self.logger.record("time/share_learning", (now - self._played) / seconds)
            self._refused = refused
        self._began, self._step = now, self.model.num_timesteps

    def _on_rollout_end(self) -> None:
        self._played = time.perf_counter()
        episodes = self.model.ep_info_buffer or ()
        for key, name in _EPISODE_FIGURES.items():
            values = [episode[key] for episode in episodes if key in episode]
            if values:
                self.logger.record(f"rollout/{name}", float(np.mean(values)))

    def _on_step(self) -> bool:
        return True

    def _refusals(self) -> float:
        totals: Any = self.training_env.get_attr("episode_totals")[0]
        return float(totals()["refused"])


class Checkpoints(BetweenRollouts):
    """Writes a checkpoint every so many plies and one at the end.

    Args:
        every: Plies between two checkpoints.
        run: The run's folder.
        replay_buffer: Whether checkpoints hold the replay buffer, where there is one.
    """

    def __init__(self, every: int, run: RunFolder, *, replay_buffer: bool) -> None:
        super().__init__(every)
        self._run = run
        self._replay_buffer = replay_buffer

    def act(self) -> None:
        """Write a checkpoint now, and before it what is logged and not yet written."""
        self.logger.dump(self.model.num_timesteps)
        save_checkpoint(self._run.checkpoints, self.model, replay_buffer=self._replay_buffer)

    def _on_training_end(self) -> None:
        self.act()


class ValueWarmUp(BaseCallback):
    """Lets only the estimate of values learn at first, for a policy that can play already.

    Args:
        plies: For so many plies from the start of the run.
    """

    def __init__(self, plies: int) -> None:
        super().__init__()
        self._plies = plies

    def _on_rollout_start(self) -> None:
        learns = self.model.num_timesteps >= self._plies
        policy: Any = self.model.policy
        for parameter in policy.parameters():
            parameter.requires_grad = learns
        for part in (policy.value_net, policy.mlp_extractor.value_net):
            part.requires_grad_()

    def _on_training_end(self) -> None:
        self.model.policy.requires_grad_()

    def _on_step(self) -> bool:
        return True


class ProgressBar(BaseCallback):
    """Keeps a bar up to date with score, share of games won, and plies a second.

    Args:
        bar: The bar.
    """

    def __init__(self, bar: RunBar) -> None:
        super().__init__()
        self._bar = bar
        self._first_step = 0
        self._first_time = 0.0
        self._last_time = 0.0

    def figures(self) -> str:
        """Return score, share of games won and speed as text."""
        episodes = self.model.ep_info_buffer or ()
        seconds = max(time.monotonic() - self._first_time, 1e-9)
        speed = (self.model.num_timesteps - self._first_step) / seconds
        score = np.mean([episode["score"] for episode in episodes]) if episodes else 0.0
        won = np.mean([episode["is_success"] for episode in episodes]) if episodes else 0.0
        return f"score {score:.0f}, won {won:.1%}, {speed:,.0f} plies/s"

    def _on_training_start(self) -> None:
        self._first_step = self.model.num_timesteps
        self._first_time = self._last_time = time.monotonic()
        self._bar.begin(self._first_step)

    def _on_step(self) -> bool:
        now = time.monotonic()
        if now - self._last_time >= _SECONDS_BETWEEN_UPDATES:
            self._last_time = now
            self._bar.show(self.model.num_timesteps, self.figures())
        return True

    def _on_training_end(self) -> None:
        self._bar.show(self.model.num_timesteps, self.figures())


def _not_finite(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not np.isfinite(value)
