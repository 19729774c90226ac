"""`qv agents`: which agents there are, what they do, and which options they take."""

from __future__ import annotations

import click

from qv_env.cli.errors import user_errors


@click.command("agents")
@click.argument("names", nargs=-1, metavar="[AGENT]...")
def command(*, names: tuple[str, ...]) -> None:
    """Tell of the agents that are called by a name, or by module:Class, and of their options.

    Without AGENT, of all that come with qv-env. An option is written behind the name, as in
    name:key=value,key=value.
    """
    from agents.loading import BUILT_IN, agent_class
    from agents.specs import described

    for name in names or BUILT_IN:
        with user_errors():
            kind = agent_class(name)
        click.echo(described(kind, name))
