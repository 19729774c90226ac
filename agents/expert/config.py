"""What may stand in the config of expert iteration."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agents.training.config import Count, Positive, Seed, Threads


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TeacherConfig(_Part):
    """The sampler that teaches: every candidate of a decision is played out in every world.

    Attributes:
        games: Games a round.
        nodes: Positions looked at between two draws.
        playout_nodes: The same in playouts.
        worlds: Playouts of each candidate.
        horizon: Draws after which a playout is judged by the value network.
    """

    games: Count = 4000
    nodes: Count = 600
    playout_nodes: Count = 300
    worlds: Count = 8
    horizon: Count = 16


class OutcomesConfig(_Part):
    """The planner's games that the value network learns from.

    Attributes:
        games: Games a round.
        nodes: Positions looked at between two draws.
    """

    games: Count = 60_000
    nodes: Count = 300


class FitConfig(_Part):
    """How a network is fitted.

    Attributes:
        epochs: Times that each record is seen.
        batch: Records, or decisions, a step.
        learning_rate: The highest of a one-cycle schedule.
        weight_decay: Of AdamW.
    """

    epochs: Count
    batch: Count
    learning_rate: Positive
    weight_decay: Positive


class ExpertConfig(_Part):
    """A config of expert iteration.

    Attributes:
        algo: Says that it is one.
        seed: Decides deals, worlds and fits.
        rounds: Each begins with the player that the one before has made; the first with the
            hand-tuned evaluation.
        processes: How many play, and threads that fit.
        teacher: See `TeacherConfig`.
        outcomes: See `OutcomesConfig`.
        ranking: How the network is fitted that ranks the exits of a decision.
        value: How the network is fitted that judges playouts.
    """

    algo: Literal["expert"]
    seed: Seed = 1
    rounds: Count = 2
    processes: Threads = 2
    teacher: TeacherConfig = TeacherConfig()
    outcomes: OutcomesConfig = OutcomesConfig()
    ranking: FitConfig = FitConfig(epochs=8, batch=256, learning_rate=1e-3, weight_decay=1e-2)
    value: FitConfig = FitConfig(epochs=10, batch=512, learning_rate=4e-3, weight_decay=1e-3)

    def as_mapping(self) -> dict[str, Any]:
        """Return the config as it would stand in a file."""
        return self.model_dump()
