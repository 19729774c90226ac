"""`docs/performance.md` shows the figures of the files beside it, and nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
DATA = ROOT / "docs" / "data"

# The benchmarks are programs to run; their parts lie beside them and are no installed package.
sys.path.append(str(ROOT / "benchmarks"))

from speed import docs  # noqa: E402
from speed.bars import FIGURE_BARS, RATIO_BARS, judge  # noqa: E402
from speed.rows import Result  # noqa: E402


def figures(name: str) -> Any:
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def test_its_tables_are_made_from_the_files() -> None:
    blocks = docs.tables(
        throughput=figures("throughput.json"), training=figures("training_speed.json")
    )
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("<!-- end -->") == len(blocks)
    assert docs.with_tables(text, blocks) == text


def test_the_file_has_every_bar() -> None:
    bars = [bar["name"] for bar in figures("throughput.json")["bars"]]
    assert bars == [bar.name for bar in (*RATIO_BARS, *FIGURE_BARS)]


def result(key: str, *rounds: float) -> Result:
    return Result(
        key=key, group="ours", name=key, games=1, threads="1", nanoseconds=rounds, compile_seconds=0
    )


def test_ratios_are_taken_within_rounds() -> None:
    bar = next(bar for bar in RATIO_BARS if bar.over == "sb3")
    results = {
        # The third round was slow for both, the second for one.
        bar.over: result(bar.over, 120, 400, 1200),
        bar.under: result(bar.under, 100, 100, 1000),
    }
    judged = {one["name"]: one for one in judge(results, {"frames_a_second": 499.0})}
    assert judged[bar.name]["measured"] == pytest.approx(1.2)
    assert judged[bar.name]["met"]
    assert judged["RGB frames a second"]["met"] is False
    assert sum(one["met"] is None for one in judged.values()) == len(judged) - 2
