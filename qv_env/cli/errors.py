"""How mistakes are told: one line on stderr, and an exit code that says whose they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click


class UserError(click.ClickException):
    """What the user gave is wrong; told in one line, to which further lines are joined."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the line to stderr."""
        click.echo(f"qv: {self.message}", file=file, err=True)


class FailureError(UserError):
    """What was asked for was right and yet it went wrong."""

    exit_code = 1


@contextmanager
def user_errors() -> Iterator[None]:
    """Tell in one line what a user's words or files are wrong about."""
    try:
        yield
    except ValueError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise UserError(f"{where}{error.strerror or error}") from None
