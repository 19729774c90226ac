"""What ``reset`` and ``step`` accept: seeds, options and actions, checked."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from qv_env.deals import Deal, parse_deal

KNOWN_OPTIONS: Final = ("deal",)


def checked_action(action: Any) -> int:
    """Return an action as a Python int; whether it is legal is another question.

    Raises:
        TypeError: It is not a whole number, nor an array of one without axes.
    """
    if not isinstance(action, (bool, np.bool_)) and hasattr(action, "__index__"):
        # Arrays have the method whatever they hold, and fail when it is called.
        with suppress(TypeError):
            return operator.index(action)
    raise TypeError(f"an action must be a whole number, got {action!r}")


def checked_seed(seed: Any) -> int | None:
    """Return a seed as a Python int >= 0, or None.

    Raises:
        TypeError: It is not a whole number.
        ValueError: It is negative.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise TypeError(f"a seed must be a whole number or None, got {seed!r}")
    number = operator.index(seed)
    if number < 0:
        raise ValueError(f"a seed must be 0 or more, got {number}")
    return number


def checked_seeds(seed: Any, count: int) -> Sequence[int | None]:
    """Return a seed, or None, for each game of a vector environment.

    Args:
        seed: None, a whole number s, which stands for ``s, s + 1, ...``, or a sequence.
        count: Number of games.

    Raises:
        ValueError: The sequence has another length, or a seed is negative.
    """
    if seed is None:
        return [None] * count
    if isinstance(seed, (Sequence, np.ndarray)):
        if len(seed) != count:
            raise ValueError(f"expected one seed for each of the {count} games, got {len(seed)}")
        return [checked_seed(one) for one in seed]
    first = checked_seed(seed) or 0
    return range(first, first + count)


def take_reset_mask(
    options: dict[str, Any] | None, count: int
) -> tuple[npt.NDArray[np.bool_], dict[str, Any]]:
    """Return which games to reset, and the other options.

    Raises:
        ValueError: ``reset_mask`` is not a bool array of shape ``(count,)`` with a True in it.
    """
    rest = dict(_checked(options))
    if "reset_mask" not in rest:
        return np.ones(count, np.bool_), rest
    mask = rest.pop("reset_mask")
    if not isinstance(mask, np.ndarray) or mask.shape != (count,) or mask.dtype != np.bool_:
        given = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else mask
        raise ValueError(f"options['reset_mask'] must be a bool array ({count},); got {given!r}")
    if not mask.any():
        raise ValueError("options['reset_mask'] must choose at least one game")
    return mask, rest


def deal_option(options: dict[str, Any] | None) -> Deal | None:
    """Return the deal named in the options of a single environment's reset, if there is one."""
    deal = _option(options)
    return None if deal is None else parse_deal(deal)


def deal_options(options: dict[str, Any] | None, count: int) -> list[Deal | None]:
    """Return the deals named in the options of a vector environment's reset.

    Args:
        options: ``deal`` is one deal for all games, or a sequence with one, or None, for each.
        count: Number of games.

    Raises:
        ValueError: The sequence has another length, or an entry names no deal.
    """
    deal = _option(options)
    if deal is None:
        return [None] * count
    if isinstance(deal, (str, Deal)) or not isinstance(deal, (Sequence, np.ndarray)):
        return [parse_deal(deal)] * count
    if len(deal) != count:
        raise ValueError(
            f"options['deal'] must name one deal for each of the {count} games, got {len(deal)}"
        )
    return [None if one is None else parse_deal(one) for one in deal]


def _option(options: dict[str, Any] | None) -> Any:
    given = _checked(options)
    unknown = [name for name in given if name not in KNOWN_OPTIONS]
    if unknown:
        raise ValueError(f"unknown reset option {unknown[0]!r}; known: {', '.join(KNOWN_OPTIONS)}")
    return given.get("deal")


def _checked(options: Any) -> Mapping[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict such as {{'deal': 21}} or None, got {options!r}")
    return options
