"""The whole line in one go: train, compare, render. `make demo` calls it.

Everything lands in `runs/demo`, which every call begins anew.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUN = Path("runs/demo")
CONFIG = "configs/quick.yaml"
DEALS = "dev:200"
SHOWN_DEAL = "FT1-N-ZZYAAAA"  # the first of the dev deals
MADE = {
    "config.yaml": "the config with all defaults filled in",
    "model.zip": "the trained model",
    "metrics.jsonl": "what was measured in training, a JSON object a line",
    "tensorboard": "the same for TensorBoard",
    "checkpoints": "what --resume would go on from",
    "learning_curve.png": "score and games won, against plies and hours",
    "learning_curve.csv": "the same as a table",
    "episode.json": f"the trained agent's game of {SHOWN_DEAL}, as an episode file",
    "evaluation.json": "trained and random agent, with every game",
    "comparison.json": "the same with the greedy agent",
    "episode.txt": f"the trained agent's game of {SHOWN_DEAL}, move by move",
    "episode.gif": "the same, animated",
    "episode.png": "the same, nine moments of it",
}

# The commands of the Python that runs this file, wherever the shell's own may come from.
PYTHON = sys.executable
QV = str(Path(sys.executable).with_name("qv"))


def call(title: str, *command: str) -> None:
    """Announce and run a command; the demo ends with its exit code if it fails."""
    print(f"\n== {title}\n$ {shlex.join([Path(command[0]).name, *command[1:]])}", flush=True)
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        raise SystemExit(code)


def main() -> None:
    """Run the demo."""
    start = time.monotonic()
    shutil.rmtree(ROOT / RUN, ignore_errors=True)
    run = str(RUN)
    training = ("train.py", "--config", CONFIG, "--run", run)
    call("Train, and evaluate on the dev deals", PYTHON, *training)
    agents = ("--agent", "random", "--agent", "greedy", "--agent", run)
    figures = str(RUN / "comparison.json")
    call("Compare with other agents", QV, "evaluate", *agents, "--deals", DEALS, "--json", figures)
    episode = RUN / "episode.json"
    call("Play the recorded game again by the rules", QV, "verify", str(episode))
    for ending in (".txt", ".gif", ".png"):
        picture = str(episode.with_suffix(ending))
        call(f"Render it as {ending}", QV, "render", str(episode), "--out", picture)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"\n== Done in {minutes} min {seconds} s. Made in {RUN}:")
    for name, meaning in MADE.items():
        path = ROOT / RUN / name
        files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
        kilobytes = sum(file.stat().st_size for file in files) / 1000
        print(f"{kilobytes:9,.1f} kB  {name:20}{meaning}")


if __name__ == "__main__":
    main()
