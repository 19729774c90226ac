"""The tables of `docs/performance.md`, made from the figures so that none is typed by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from qv_env.files import write_whole
from speed.report import measured

Figures = Mapping[str, Any]

_BUSY: Final = 0.5
_ELSEWHERE: Final = ("part", "plies")  # rows that have a table of their own
_VERDICTS: Final = {True: "yes", False: "**no**", None: "not measured"}


def update_page(
    page: Path, *, throughput: Figures | None = None, training: Figures | None = None
) -> None:
    """Put the tables of these figures into a page, between its markers."""
    text = page.read_text(encoding="utf-8")
    write_whole(page, with_tables(text, tables(throughput=throughput, training=training)))


def with_tables(text: str, blocks: Mapping[str, list[str]]) -> str:
    """Return a page's text with the tables between its markers made anew.

    A table stands between the lines ``<!-- name -->`` and ``<!-- end -->``.
    """
    return re.sub(
        rf"(?<=<!-- )({'|'.join(blocks)})( -->\n).*?(?=<!-- end -->)",
        lambda found: f"{found[1]}{found[2]}" + "".join(f"{line}\n" for line in blocks[found[1]]),
        text,
        flags=re.DOTALL,
    )


def tables(
    *, throughput: Figures | None = None, training: Figures | None = None
) -> dict[str, list[str]]:
    """Return each table of the page that these figures fill, by its name, line by line."""
    blocks = {}
    if throughput is not None:
        blocks["machine"] = _machine(throughput)
        blocks["bars"] = _bars(throughput)
        blocks["parts"] = _parts(throughput)
        blocks["plies"] = _plies(throughput)
        blocks["rows"] = _rows(throughput)
    if training is not None:
        blocks["training"] = _training(training)
    return blocks


def read_figures(path: Path) -> dict[str, Any]:
    """Return the figures of a JSON file."""
    figures: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return figures


def _machine(data: Mapping[str, Any]) -> list[str]:
    machine = data["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    place = f"{machine['processor']}, {machine['cores']} cores, {machine['system']}"
    rounds = f"{data['rounds']} rounds of {data['seconds']} s a row"
    return [
        f"{place}, Python {machine['python']}; {rounds}.", f"{versions}.", _load(machine)
    ]  # fmt: skip


def _load(machine: Figures) -> str:
    """Say how busy the machine was with other things before the run."""
    load = machine["load"]
    busy = "other programs were running" if load >= _BUSY else "nothing else was running"
    return f"The load average before the run was {load:.2f}: {busy}."


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
        if row["group"] in _ELSEWHERE:
            continue
        median, rounds = row["nanoseconds_median"], row["nanoseconds_rounds"]
        lines.append(
            f"| {row['name']} | {row['games']:,} | {row['threads']} | {median:,.1f} "
            f"| {min(rounds):,.1f}–{max(rounds):,.1f} | {1e9 / median:,.0f} |"
        )
    lines += [f"| {peer} | | | not measured: {why} | | |" for peer, why in data["missing"].items()]
    return lines


def _parts(data: Figures) -> list[str]:
    """Return the parts of a step, and what the whole takes alone and through the environment."""
    rows = {row["key"]: row for row in data["rows"]}
    whole = rows["kernel_1024"]["nanoseconds_median"]
    lines = ["| part of a step, N = 1024 | ns | of the kernel |", "|---|---:|---:|"]
    shown = [row for row in data["rows"] if row["group"] == "part"]
    shown += [rows[key] for key in ("kernel_1024", "vector_cards_1024_1", "floor_1024")]
    for row in shown:
        time = row["nanoseconds_median"]
        lines.append(f"| {row['name']} | {time:.1f} | {time / whole:.0%} |")
    return lines


def _plies(data: Figures) -> list[str]:
    """Return the cost of a step by the plies made before it."""
    lines = ["| plies made before | ns a step | lowest–highest round |", "|---:|---:|---|"]
    for row in data["rows"]:
        if row["group"] == "plies":
            plies = int(row["key"].removeprefix("plies_"))
            rounds = row["nanoseconds_rounds"]
            lines.append(
                f"| {plies:,} | {row['nanoseconds_median']:.1f} "
                f"| {min(rounds):.1f}–{max(rounds):.1f} |"
            )
    return lines


def _training(data: Mapping[str, Any]) -> list[str]:
    size = f"{data['games']} games, {data['torch_threads']} thread of PyTorch"
    lines = [
        f"`{data['config']}`, {size}, {data['rounds']} rounds; microseconds a step:",
        "",
        "| | environment | policy | update | rollout steps a second | our rollout is faster by |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    names = {
        "native": "native vector env",
        "dummy": "`DummyVecEnv` of single envs, `MlpPolicy` of sb3-contrib",
        "dummy_lean": "`DummyVecEnv` of single envs, our policy",
    }
    for kind, parts in data["nanoseconds_a_step"].items():
        times = [f"{parts[part] / 1000:.1f}" for part in ("environment", "policy", "update")]
        rate = 1e9 / (parts["environment"] + parts["policy"])
        ratio = data["speedup_over"].get(kind)
        shown = "" if ratio is None else f"{ratio:.1f} ×"
        lines.append(f"| {names[kind]} | {' | '.join(times)} | {rate:,.0f} | {shown} |")
    return [*lines, "", _load(data["machine"])]
