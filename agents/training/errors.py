"""What can go wrong in training for reasons that a person can mend."""

from __future__ import annotations

import textwrap
from typing import Final

_WIDTH: Final = 200


class ConfigError(ValueError):
    """A config, a setting or a run folder is wrong; the message is one line and says what to do."""


class TrainingError(RuntimeError):
    """Training cannot go on; the message is one line and says why."""


def reason(error: Exception) -> str:
    r"""Return another library's error as part of a line: its kind and what it says.

    >>> reason(ValueError("not\nso"))
    'ValueError: not so'
    """
    said = textwrap.shorten(str(error), _WIDTH, placeholder=" ...")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
