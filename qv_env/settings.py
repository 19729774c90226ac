"""The keywords of the environments, checked once and turned into numbers for the kernels."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any, Final, Self, SupportsIndex

import numpy as np

from qv_env.actions import NUM_ACTIONS
from qv_env.deals import split_numbers

STOCKS: Final = ("hidden", "open")
SPLIT_NAMES: Final = ("train", "dev", "test", "all")
OBSERVATIONS: Final = ("cards", "features")
MASKS: Final = ("legal", "canonical")
REWARDS: Final = ("score", "win")
ILLEGALS: Final = ("ignore", "raise", "terminate")
RENDER_MODES: Final = ("ansi", "rgb_array", "human")
VECTOR_RENDER_MODES: Final = ("ansi", "rgb_array")

DEFAULT_MAX_EPISODE_STEPS: Final = 1_000
LONGEST_EPISODE: Final = 65_535  # plies left are observed as an unsigned 16-bit number

# The keywords as the kernels see them, one record.
SETTINGS: Final = np.dtype(
    [
        ("features", np.bool_),
        ("canonical", np.bool_),
        ("takebacks", np.bool_),
        ("win_reward", np.bool_),
        ("terminate_illegal", np.bool_),
        ("max_episode_steps", np.int64),
        ("first_deal", np.int64),
        ("deal_count", np.int64),
    ]
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """What can be chosen about the task; the same for single and vector environments.

    Attributes:
        stock: ``hidden``, or ``open`` to show the order of the stock in the observation.
        split: Which deals episodes draw from: ``train``, ``dev``, ``test`` or ``all``.
        observation: ``cards``, complete public knowledge as bytes, or ``features`` for networks.
        mask: ``legal``, all that the rules allow, or ``canonical``, without symmetric moves.
        takebacks: Whether cards may leave the foundations.
        undo: Whether action 269 undoes the last operation; a different task, since undoing a draw
            leaves the drawn card known.
        reward: ``score``, the score's change, or ``win``, 1 for a won game and 0 otherwise.
        illegal: What an illegal action does: ``ignore`` (it costs a ply), ``raise`` or
            ``terminate``.
        max_episode_steps: Plies after which an episode is truncated, at most 65,535.

    Raises:
        ValueError: A value is not one of the right ones; the message lists them.
        TypeError: ``max_episode_steps`` is not an integer.
    """

    stock: str = "hidden"
    split: str = "train"
    observation: str = "cards"
    mask: str = "legal"
    takebacks: bool = True
    undo: bool = False
    reward: str = "score"
    illegal: str = "ignore"
    max_episode_steps: int = DEFAULT_MAX_EPISODE_STEPS

    def __post_init__(self) -> None:
        check_choice("stock", self.stock, STOCKS)
        check_choice("split", self.split, SPLIT_NAMES)
        check_choice("observation", self.observation, OBSERVATIONS)
        check_choice("mask", self.mask, MASKS)
        for flag in ("takebacks", "undo"):
            object.__setattr__(self, flag, checked_flag(flag, getattr(self, flag)))
        check_choice("reward", self.reward, REWARDS)
        check_choice("illegal", self.illegal, ILLEGALS)
        check_count("max_episode_steps", self.max_episode_steps, LONGEST_EPISODE)
        if self.stock == "open" and self.observation == "features":
            raise ValueError(
                "stock='open' needs observation='cards': features never show the stock's order"
            )

    @classmethod
    def from_keywords(cls, *, max_episode_steps: int | None, **keywords: Any) -> Self:
        """Return settings from an environment's keywords; a limit of None means the default."""
        if max_episode_steps is None:
            max_episode_steps = DEFAULT_MAX_EPISODE_STEPS
        return cls(max_episode_steps=max_episode_steps, **keywords)

    @property
    def action_count(self) -> int:
        """How many actions there are: 269, and one more with ``undo``."""
        return NUM_ACTIONS + self.undo

    def record(self) -> Any:
        """Return these settings as a record array of shape ``(1,)`` and type `SETTINGS`."""
        deals = split_numbers(self.split)
        row = (
            self.observation == "features",
            self.mask == "canonical",
            self.takebacks,
            self.reward == "win",
            self.illegal == "terminate",
            self.max_episode_steps,
            deals.start,
            len(deals),
        )
        return np.array([row], SETTINGS)


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise a ValueError that lists the right values unless ``value`` is one of them."""
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}")


def checked_flag(name: str, value: object) -> bool:
    """Return True or False, which may be given as NumPy's, or raise a ValueError."""
    if isinstance(value, np.bool_):
        return bool(value)
    check_choice(name, value, (True, False))
    return value is True


def check_count(name: str, value: SupportsIndex, most: int) -> int:
    """Return a whole number in ``[1, most]``, or raise an error that says what was given."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    count = operator.index(value)
    if not 1 <= count <= most:
        raise ValueError(f"{name} must lie in [1, {most}], got {count}")
    return count
