"""The whole line in one go: train, evaluate, render. `make demo` calls it.

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
DEALS = "dev:200"
SHOWN_DEAL = "FT1-N-ZZYAAAA"  # the first of the dev deals

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
    call("Train", PYTHON, "train.py", "--config", "configs/quick.yaml", "--run", run)
    agents = ("--agent", "random", "--agent", run)
    figures = str(RUN / "comparison.json")
    call("Evaluate", QV, "evaluate", *agents, "--deals", DEALS, "--json", figures)
    for kind in ("txt", "gif", "png"):
        episode = str(RUN / f"episode.{kind}")
        call("Render", QV, "render", "--agent", run, "--deal", SHOWN_DEAL, "--out", episode)
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    print(f"\n== Done in {minutes} min {seconds} s; made in {RUN}:")
    for path in sorted((ROOT / RUN).rglob("*")):
        if path.is_file():
            print(f"{path.stat().st_size / 1000:10,.1f} kB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
