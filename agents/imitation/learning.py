"""Learning what the planner would do, in the positions that the learner itself gets to.

Learning from the games of the planner alone would teach nothing about positions that it never
reaches, and the learner's first mistake leads to one. So the learner plays, the planner says in
each position what it would have done, and the learner learns that. At the start the planner plays
along, so that games get anywhere.

Source: Ross, Gordon, Bagnell, "A reduction of imitation learning and structured prediction to
no-regret online learning", 2011 (DAgger).
"""

from __future__ import annotations

import math
import time
from collections import deque
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from agents.agent import ActionMasks, Actions, Observations
from agents.imitation.games import Games, Labelled
from agents.imitation.samples import Batch, Samples
from agents.imitation.teacher import Teacher
from agents.training.config import Config, ImitationConfig
from agents.training.errors import TrainingError
from agents.training.policies import LeanMaskablePolicy, draw

_RECENT_GAMES: Final = 500
SAMPLES: Final = "samples.bin"
_ADAM_EPSILON: Final = 1e-5
# The learning rate rises over this share of the run, while Adam knows no magnitudes yet.
_WARM_UP: Final = 0.01


def restore_policy(policy: LeanMaskablePolicy, state: dict[str, Any]) -> None:
    """Give a policy what it had learnt when `Imitation.state` was called, and PyTorch its chance.

    Args:
        policy: Of the same shape.
        state: What `Imitation.state` returned.
    """
    policy.load_state_dict(state["policy"])
    torch.set_rng_state(state["torch"])


class Imitation:
    """Teaches a policy, round by round.

    Args:
        policy: What learns.
        config: The run's config, of which the environment and the seed count.
        settings: Its section ``imitation``.
        folder: Where the labelled positions lie.
        state: What `Imitation.state` has returned, to go on from there; None begins anew.

    Raises:
        ValueError: The labelled positions that the state tells of are not there.
        OSError: The folder cannot be written to, or the disk has no room.
    """

    def __init__(
        self,
        policy: LeanMaskablePolicy,
        config: Config,
        settings: ImitationConfig,
        folder: Path,
        state: dict[str, Any] | None = None,
    ) -> None:
        self._config = settings
        self._policy = policy
        self._rng = np.random.default_rng(config.seed)
        self._optimizer = torch.optim.Adam(policy.parameters(), eps=_ADAM_EPSILON)
        teacher = Teacher(self._config.n_envs, self._config.nodes)
        env = {**config.env.model_dump(), "max_episode_steps": self._config.max_episode_steps}
        self._games = Games(self._config.n_envs, teacher, env, config.seed)
        self._recent: deque[dict[str, float]] = deque(maxlen=_RECENT_GAMES)
        self.done = 0
        written = 0
        if state is not None:
            self._restore(state)
            written = state["written"]
        self._samples = Samples(folder / SAMPLES, self._config.buffer_size, written)

    def state(self) -> dict[str, Any]:
        """Return all that decides how imitation goes on, for a new object to begin with."""
        return {
            "done": self.done,
            "written": self._samples.written,
            "policy": self._policy.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "games": self._games.state(),
            "recent": list(self._recent),
            "numpy": self._rng.bit_generator.state,
            "torch": torch.get_rng_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.done = state["done"]
        restore_policy(self._policy, state)
        self._optimizer.load_state_dict(state["optimizer"])
        self._games.restore(state["games"])
        self._recent.extend(state["recent"])
        self._rng.bit_generator.state = state["numpy"]

    @property
    def teacher_share(self) -> float:
        """In which share of the games the planner plays."""
        return max(0.0, 1.0 - self.done / (self._config.n_timesteps * self._config.teacher_until))

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update."""
        share = min(self.done / self._config.n_timesteps, 1.0)
        falling = 0.5 + 0.5 * math.cos(math.pi * share)
        return self._config.learning_rate * falling * min(1.0, share / _WARM_UP)

    def round(self) -> dict[str, float]:
        """Play some plies of every game, learn from what there is, and return figures by name.

        Raises:
            TrainingError: The loss is no finite number any more.
        """
        start = time.perf_counter()
        share = self.teacher_share
        labelled = [self._games.step(self._choose, share) for _ in range(self._config.n_steps)]
        fresh = sum(self._keep(step) for step in labelled)
        self._recent.extend(self._games.take_ended())
        played = time.perf_counter()
        updates = max(round(fresh * self._config.passes / self._config.batch_size), 1)
        loss, accuracy = self._learn(updates)
        learnt = time.perf_counter()
        figures = {
            "imitation/loss": loss,
            "imitation/accuracy": accuracy,
            "imitation/agreement": sum(step.agreed for step in labelled) / max(fresh, 1),
            "imitation/teacher_share": share,
            "imitation/learning_rate": self.learning_rate,
            "time/plies_per_second": fresh / (learnt - start),
            "time/share_playing": (played - start) / (learnt - start),
            "time/share_learning": (learnt - played) / (learnt - start),
        }
        if self._recent:
            for key in self._recent[0]:
                figures[f"rollout/{key}"] = float(np.mean([game[key] for game in self._recent]))
        return figures

    def _keep(self, step: Labelled) -> int:
        self._samples.add(step.observations, step.masks, step.labels)
        self.done += len(step.labels)
        return len(step.labels)

    @torch.no_grad()
    def _choose(self, observations: Observations, masks: ActionMasks) -> Actions:
        logits, _ = self._policy.logits_and_values(torch.as_tensor(observations), masks)
        actions: Actions = draw((logits / self._config.temperature).softmax(1)).numpy()
        return actions

    def _learn(self, updates: int) -> tuple[float, float]:
        """Make some updates, and return their mean loss and how often the policy was right."""
        self._policy.set_training_mode(True)
        self._optimizer.param_groups[0]["lr"] = self.learning_rate
        figures = np.array(
            [
                self._update(self._samples.draw(self._config.batch_size, self._rng))
                for _ in range(updates)
            ]
        )
        self._policy.set_training_mode(False)
        loss, accuracy = figures.mean(axis=0).tolist()
        if not math.isfinite(loss):
            raise TrainingError(
                f"imitation stopped at ply {self.done}: the loss is not finite (NaN or infinite); "
                "try a lower imitation.learning_rate; its last checkpoint is kept"
            )
        return loss, accuracy

    def _update(self, batch: Batch) -> tuple[float, float]:
        logits, _ = self._policy.logits_and_values(torch.as_tensor(batch.observations), batch.masks)
        labels = torch.as_tensor(batch.labels)
        loss = functional.cross_entropy(logits, labels)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._policy.parameters(), self._config.max_grad_norm)
        self._optimizer.step()
        return loss.item(), (logits.argmax(1) == labels).float().mean().item()
