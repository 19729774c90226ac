"""The `qv` command itself: a group of the commands in `qv_env.cli.commands`.

Every module of that package is one command: ``its_name.py`` holds the function ``command`` and is
called ``qv its-name``. A new command is a new file, and nothing else has to be told of it.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import click

from qv_env import __version__
from qv_env.cli import commands
from qv_env.cli.errors import UserError


class Commands(click.Group):
    """The group of all commands, whose usage errors are told in one line as well."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the alphabet."""
        del ctx
        modules = pkgutil.iter_modules(commands.__path__)
        return sorted(module.name.replace("_", "-") for module in modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, or None where there is none."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the arguments name."""
        try:
            return super().invoke(ctx)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else "qv"
            raise UserError(f"{error.format_message()} Try '{where} --help'.") from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="qv-env")
def qv() -> None:
    """Quarante Voleurs: evaluate agents, render games, show deals."""
