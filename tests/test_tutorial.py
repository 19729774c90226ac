"""The tutorial's commands, in short: as they stand on the page, with less of everything."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("stable_baselines3")

from agents.training.algorithms import resolve
from agents.training.config import read_config

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tutorial.md"
SHORTER = {
    "train.py": (
        "imitation.n_timesteps=500", "imitation.n_envs=32", "imitation.buffer_size=2000",
        "imitation.value_warmup=0", "n_envs=16", "n_timesteps=512", "n_steps=16", "batch_size=64",
        "final_deals=dev:2",
    ),
    "ppo.py": ("--plies", "512", "--games", "16", "--steps", "16"),
}  # fmt: skip


def commands() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def shortened(words: list[str]) -> list[str]:
    """Return a command with paths of this tree and little to do."""
    first, *rest = words
    if first == "qv":
        rest = [re.sub(r"^dev:\d+$", "dev:2", word) for word in rest]
        return [sys.executable, "-m", "qv_env", *rest]
    program, *arguments = rest
    arguments = [str(ROOT / word) if word.startswith("configs/") else word for word in arguments]
    name = Path(program).name
    if name == "ppo.py":
        arguments = list(SHORTER[name])
    elif "--config" in arguments:
        arguments += ["--set", *SHORTER[name]]
    return [sys.executable, str(ROOT / program), *arguments]


def test_the_tutorial_works(tmp_path: Path) -> None:
    ran = []
    for words in commands():
        if words[:3] == ["python", "-m", "pip"]:
            continue
        if "--set" in words:
            config = ROOT / words[words.index("--config") + 1]
            resolve(read_config(config, words[words.index("--set") + 1 :]))
            continue
        command = shortened(words)
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment()
        )
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
        ran.append(words[0])
    assert len(ran) == 7
    run = tmp_path / "runs" / "tutorial"
    for name in ("learning_curve.png", "learning_curve.csv", "evaluation.json", "model.zip"):
        assert (run / name).is_file()
    assert (tmp_path / "game.gif").is_file()


def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}
