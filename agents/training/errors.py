"""What can go wrong in training for reasons that a person can mend."""

from __future__ import annotations


class ConfigError(ValueError):
    """A config, a setting or a run folder is wrong; the message is one line and says what to do."""


class TrainingError(RuntimeError):
    """Training cannot go on; the message is one line and says why."""
