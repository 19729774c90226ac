"""What stands in an episode file, as a validated model.

The model checks form: types, ranges, lengths, the deal's cards. Whether the actions follow the
rules and earn what is written is for `qv_env.episodes.checking.verify` to find out.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    field_validator,
    model_validator,
)

from qv_env.deals import parse_deal
from qv_env.history import UNDO
from qv_env.settings import DEFAULT_MAX_EPISODE_STEPS, LONGEST_EPISODE

FORMAT: Final = "qv-env episode"
VERSION: Final = 1
LONGEST_NAME: Final = 200


def _whole(number: float) -> float:
    """Return a whole number as the integer that it is, so that files stay short."""
    return int(number) if number.is_integer() else number


# Numbers and truth values are taken as JSON has them, as the published schema says, not as text.
Operation = Annotated[StrictInt, Field(ge=0, le=UNDO)]
# A name fits on a line.
Name = Annotated[str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")]
Score = Annotated[StrictInt, Field(ge=0, multiple_of=5)]
Reward = Annotated[StrictFloat, AfterValidator(_whole)]
Rated = tuple[Operation, StrictFloat]
Ending = Literal["won", "stuck", "truncated", "unfinished"]


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class EpisodeSettings(_Model):
    """The task that was played: the environment's keywords, with the environment's defaults."""

    stock: Literal["hidden", "open"] = "hidden"
    """Whether the player saw the order of the stock."""
    observation: Literal["cards", "features"] = "cards"
    """What the player saw the game as."""
    mask: Literal["legal", "canonical"] = "legal"
    """Which actions the player was offered."""
    takebacks: StrictBool = True
    """Whether cards may leave the foundations."""
    undo: StrictBool = False
    """Whether action 269 undoes the last operation."""
    reward: Literal["score", "win"] = "score"
    """What `rewards` holds: the score's change, or 1 for the winning action and 0 otherwise."""
    max_episode_steps: Annotated[StrictInt, Field(ge=1, le=LONGEST_EPISODE)] | None = (
        DEFAULT_MAX_EPISODE_STEPS
    )
    """Plies after which the episode was truncated; null for a game without a limit."""


class Policy(_Model):
    """What the player thought of its choices."""

    measure: Literal["probability", "value"]
    """What the numbers are: probabilities in [0, 1], or values in the player's own unit."""
    favoured: tuple[tuple[Rated, ...], ...]
    """For each ply the favoured actions, best first, as pairs of action and number; a ply of
    which nothing is known has none."""

    @model_validator(mode="after")
    def _check_probabilities(self) -> Self:
        if self.measure == "probability":
            for ply, pairs in enumerate(self.favoured, start=1):
                for action, number in pairs:
                    if not 0 <= number <= 1:
                        raise ValueError(
                            f"ply {ply}: the probability of action {action} must lie in [0, 1], "
                            f"got {number}"
                        )
        return self


class Episode(_Model):
    """One game of a deal: what was done, what it earned, who played."""

    format: Literal["qv-env episode"] = FORMAT
    """What kind of file this is."""
    version: Literal[1] = VERSION
    """Version of the format."""
    library_version: Name
    """Version of qv-env that wrote the file."""
    deal: str
    """A deal code such as FT1-N-AAAAAAV, or the 104 cards of an explicit deal."""
    agent: Name | None = None
    """Who played; null where nobody knows."""
    seed: Annotated[StrictInt, Field(ge=0)] | None = None
    """The seed of the agent's choices, as in qv evaluate; null where there was none."""
    settings: EpisodeSettings = EpisodeSettings()
    """The task that was played."""
    actions: tuple[Operation, ...]
    """The actions that were made, in order; 269 undoes. Refused actions are not written down."""
    rewards: tuple[Reward, ...]
    """The reward of each action."""
    scores: tuple[Score, ...]
    """The app's score after each action."""
    ending: Ending
    """How the last position stands: won; stuck, no action being legal; truncated at the limit of
    plies; or unfinished."""
    policy: Policy | None = None
    """What the player thought at each ply, or null."""

    @field_validator("deal")
    @classmethod
    def _check_deal(cls, text: str) -> str:
        return parse_deal(text).code

    @model_validator(mode="after")
    def _check_lengths(self) -> Self:
        plies = len(self.actions)
        lengths: dict[str, int] = {"rewards": len(self.rewards), "scores": len(self.scores)}
        if self.policy is not None:
            lengths["policy.favoured"] = len(self.policy.favoured)
        for name, length in lengths.items():
            if length != plies:
                raise ValueError(f"{name} has {length} entries for {plies} actions")
        return self

    @property
    def score(self) -> int:
        """The score at the end."""
        return self.scores[-1] if self.scores else 0

    @property
    def won(self) -> bool:
        """Whether the game was won, as far as the file says."""
        return self.ending == "won"


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of an episode file."""
    described = Episode.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **described,
        "required": ["format", "version", *described["required"]],
    }
