"""`qv compare`: agents against each other, from the results files that they have left."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from qv_env.cli.errors import UserError, user_errors
from qv_env.cli.output import print_tables, write_json

_FEWEST: Final = 2


@click.command("compare")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE FILE..."
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all figures.")
def command(*, files: tuple[Path, ...], json_path: Path | None) -> None:
    """Compare agents with the first one, deal by deal, from results files of one board.

    Compared are the deals that both files hold: the mean differences with 95 % intervals, and the
    deals that one of the two alone has won, with the p-value of McNemar's exact test.
    """
    from agents.comparison import AgentResult
    from agents.report import pairing_json, pairing_table
    from agents.results.result import read_result

    with user_errors():
        if len(files) < _FEWEST:
            raise UserError(
                "give two results files or more; the others are compared with the first"
            )
        results = [read_result(file) for file in files]
        boards = {result.board: result.agent for result in results}
        if len(boards) > 1:
            raise UserError(
                f"{boards['hidden']} is of the hidden board and {boards['thoughtful']} of the "
                "thoughtful one; they play different games"
            )
        first, *others = (AgentResult(r.agent, r.env, r.rows) for r in results)
        pairings = [(other.name, other.against(first)) for other in others]
    print_tables([pairing_table(pairings, first.name)])
    click.echo(f"deals compared: {', '.join(str(pairing.deals) for _, pairing in pairings)}")
    if json_path is not None:
        against = [
            {"agent": name, "deals": pairing.deals, **pairing_json(pairing)}
            for name, pairing in pairings
        ]
        document = {"baseline": first.name, "board": results[0].board, "against": against}
        write_json(json_path, document)
