"""What the `qv` command writes and prints, in which order, and whatever the encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from qv_env.cli.group import qv

EVALUATE = ("evaluate", "--agent", "random", "--deals")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run every test in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output(*words: str) -> str:
    result = CliRunner().invoke(qv, words, prog_name="qv")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_numbers_of_one_are_singular() -> None:
    printed = output(*EVALUATE, "dev:1", "--record", "games")
    assert printed.startswith("1 deal (dev:1), ")
    assert printed.endswith("1 episode in games\n")
    words = ("render", "--agent", "greedy", "--deal", "21", "--plies", "1", "--out", "game.txt")
    assert "greedy on FT1-N-AAAAAAV, 1 ply, score " in output(*words)


def test_figures_are_written_through_links(folder: Path) -> None:
    (folder / "link.json").symlink_to("figures.json")
    output(*EVALUATE, "dev:1", "--json", "link.json")
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "figures.json").read_text())["seed"] == 0


def test_figures_are_written_before_tables_are_printed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail = Mock(side_effect=BrokenPipeError)
    monkeypatch.setattr("qv_env.cli.commands.evaluate.print_tables", fail)
    words = (*EVALUATE, "dev:1", "--json", "figures.json", "--record", "games")
    assert CliRunner().invoke(qv, words, prog_name="qv").exit_code != 0
    assert (folder / "figures.json").exists()
    assert (folder / "games" / "random" / "FT1-N-ZZYAAAA.json").exists()


@pytest.mark.parametrize("module", ["qv_env", "qv_env.cli"])
def test_the_command_prints_whatever_the_encoding(module: str) -> None:
    deals = "FT1-N-AAAAAAA,FT1-N-AAAAAAB,FT1-N-AAAAAAC,FT1-N-AAAAAAD"  # cut with an ellipsis
    answer = subprocess.run(
        [sys.executable, "-m", module, *EVALUATE, deals],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.decode("ascii").startswith("4 deals (FT1-N-AAAAAAA")
