"""The tables of `docs/performance.md`, made from the figures so that none is typed by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from agents.files import write_whole
from speed.report import measured

_VERDICTS: Final = {True: "yes", False: "**no**", None: "not measured"}


def update_page(data: Mapping[str, Any], page: Path) -> None:
    """Put the tables of these figures into a page, between its markers."""
    write_whole(page, with_tables(page.read_text(encoding="utf-8"), data))


def with_tables(text: str, data: Mapping[str, Any]) -> str:
    """Return a page's text with the tables between its markers made anew.

    A table stands between the lines ``<!-- name -->`` and ``<!-- end -->``.
    """
    blocks = {name: "\n".join(lines) for name, lines in tables(data).items()}
    return re.sub(
        rf"(?<=<!-- )({'|'.join(blocks)})( -->\n).*?(?=<!-- end -->)",
        lambda found: f"{found[1]}{found[2]}{blocks[found[1]]}\n",
        text,
        flags=re.DOTALL,
    )


def tables(data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return each table of the page by its name, line by line."""
    return {
        "machine": _machine(data),
        "bars": _bars(data),
        "rows": _rows(data),
    }


def read_figures(path: Path) -> dict[str, Any]:
    """Return the figures of a JSON file."""
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def _machine(data: Mapping[str, Any]) -> list[str]:
    machine = data["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    place = f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"
    rounds = f"{data['rounds']} rounds of {data['seconds']} s a row"
    return [f"{place}, Python {machine['python']}; {rounds}.", f"{versions}."]


def _bars(data: Mapping[str, Any]) -> list[str]:
    lines = ["| bar | limit | measured | lowest–highest round | met |", "|---|---|---:|---|---|"]
    for bar in data["bars"]:
        cells = bar["name"], f"{bar['sense']} {bar['limit']:g}{bar['unit']}", *measured(bar)
        lines.append(f"| {' | '.join(cells)} | {_VERDICTS[bar['met']]} |".replace(" x", " ×"))
    return lines


def _rows(data: Mapping[str, Any]) -> list[str]:
    lines = [
        "| what | games | threads | ns a step | lowest–highest round | steps a second |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for row in data["rows"]:
        median, rounds = row["nanoseconds_median"], row["nanoseconds_rounds"]
        lines.append(
            f"| {row['name']} | {row['games']:,} | {row['threads']} | {median:,.1f} "
            f"| {min(rounds):,.1f}–{max(rounds):,.1f} | {1e9 / median:,.0f} |"
        )
    lines += [f"| {peer} | | | not measured: {why} | | |" for peer, why in data["missing"].items()]
    return lines
