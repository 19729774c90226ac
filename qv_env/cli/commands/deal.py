"""`qv deal`: a deal as it lies on the table."""

from __future__ import annotations

import sys
from typing import Final

import click

from qv_env.cli.arguments import parse_deal
from qv_env.cli.errors import user_errors

_STDIN: Final = "-"


@click.command("deal")
@click.argument("words", nargs=-1, required=True, metavar="CODE")
@click.option("--explicit", is_flag=True, help="Print the 104 cards, the stock's among them.")
@click.option(
    "--colour/--no-colour", default=None, help="Red suits in red. Default: on a terminal."
)
@click.option("--four-colours", is_flag=True, help="A colour for each suit.")
@click.option("--symbols", is_flag=True, help="Suits as symbols rather than letters.")
def command(
    *,
    words: tuple[str, ...],
    explicit: bool,
    colour: bool | None,
    four_colours: bool,
    symbols: bool,
) -> None:
    """Show a deal: its code, its number, its 104 cards as text, or - to read those from stdin."""
    from qv_env import engine
    from qv_env.render import render_text

    with user_errors():
        text = sys.stdin.read() if words == (_STDIN,) else " ".join(words)
        deal = parse_deal(text)
    if explicit:
        click.echo(deal.text)
        return
    state = engine.new_state()
    engine.deal(state, deal.cards)
    coloured = sys.stdout.isatty() if colour is None else colour
    lines = render_text(
        state,
        deal=deal.name,
        colour=coloured or four_colours,
        four_colours=four_colours,
        symbols=symbols,
    )
    click.echo(lines, color=coloured or four_colours)
