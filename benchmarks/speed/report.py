"""The results as tables on the terminal and as a JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from qv_env.files import write_whole
from speed.rows import Result

_VERDICTS = {True: "met", False: "[bold]missed[/]", None: "not measured"}


def as_json(results: Sequence[Result], **others: Any) -> dict[str, Any]:
    """Return everything as it goes into the JSON file."""
    rows = [
        {
            "key": result.key,
            "group": result.group,
            "name": result.name,
            "games": result.games,
            "threads": result.threads,
            "nanoseconds_median": result.median,
            "nanoseconds_rounds": list(result.nanoseconds),
            "compile_seconds": result.compile_seconds,
        }
        for result in results
    ]
    return {**others, "rows": rows}


def write_json(data: Mapping[str, Any], path: Path) -> None:
    """Write the JSON file, figures to four digits."""
    write_whole(path, json.dumps(_rounded(data), indent=1) + "\n")


def show(data: Mapping[str, Any], console: Console) -> None:
    """Print rows, missing peers and bars."""
    rounds = data["rounds"]
    table = Table("what", "games", "threads", "ns a step", "spread", "steps a second", "first call",
                  title=f"Median of {rounds} rounds")  # fmt: skip
    for column in table.columns[1:]:
        column.justify = "right"
    for row in data["rows"]:
        spread = row["nanoseconds_rounds"]
        table.add_row(
            row["name"],
            f"{row['games']:,}",
            row["threads"],
            f"{row['nanoseconds_median']:,.1f}",
            f"{min(spread):,.1f}–{max(spread):,.1f}",
            f"{1e9 / row['nanoseconds_median']:,.0f}",
            f"{row['compile_seconds']:.1f} s",
        )
    for peer, reason in data["missing"].items():
        table.add_row(f"{peer}: not measured, {reason}")
    console.print(table)
    bars = Table("bar", "limit", "measured", "spread", "", title="Bars")
    for bar in data["bars"]:
        bars.add_row(
            bar["name"].replace("`", ""), f"{bar['sense']} {bar['limit']:g}{bar['unit']}",
            *measured(bar), _VERDICTS[bar["met"]],
        )  # fmt: skip
    console.print(bars)


def measured(bar: Mapping[str, Any]) -> tuple[str, str]:
    """Return the figure of a bar and its spread, as people read them."""
    if bar["measured"] is None:
        return "", ""
    figure = f"{_short(bar['measured'])}{bar['unit']}"
    if bar["lowest"] == bar["highest"]:
        return figure, ""
    return figure, f"{_short(bar['lowest'])}–{_short(bar['highest'])}"


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"  # noqa: PLR2004


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {key: _rounded(part) for key, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list | tuple) else value
