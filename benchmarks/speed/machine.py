"""What cannot be measured in rounds: start-up, first compilation, memory; and what ran where."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

MEMORY_GAMES: Final = 16384
GROWTH_STEPS: Final = 10_000_000

_FIRST_STEP: Final = """
import time
begin = time.perf_counter()
import gymnasium, qv_env
env = gymnasium.make(qv_env.ENV_ID)
env.reset(seed=0)
env.step(0)
print(time.perf_counter() - begin)
"""

# Memory of the process itself, so that what is measured shares it with nothing.
_MEMORY: Final = """
import json, sys
import numpy as np
from qv_env import QuaranteVoleursVectorEnv

def resident(word):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(word)) * 1024

games, steps, observation = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
small = QuaranteVoleursVectorEnv(1, observation=observation)
small.reset(seed=0)
small.step(np.zeros(1, np.int64))
before = resident("VmRSS")
envs = QuaranteVoleursVectorEnv(games, observation=observation, copy=False)
handed_out = envs.reset(seed=0)
observations, rewards, terminated, truncated, infos = envs.step(np.zeros(games, np.int64))
arrays = [observations, rewards, terminated, truncated, *infos.values()]
# Some are handed out under several names.
buffers = sum({id(array): array.nbytes for array in arrays}.values())
after = resident("VmRSS")
actions = np.zeros(games, np.int64)

def run(count):
    for step in range(count):
        np.add(actions, 1 + step % 3, out=actions)
        np.remainder(actions, 269, out=actions)
        envs.step(actions)
    return resident("VmRSS")

warm = run(1000)
print(json.dumps({
    "bytes_a_game": (after - before - buffers) / games,
    "growth": run(steps // games) - warm,
}))
"""


def start_seconds(*, cold: bool) -> float:
    """Return the seconds that importing, making, resetting and one step take a new process.

    Args:
        cold: Whether no kernel is in the cache yet, so that all that is needed is compiled.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = {"NUMBA_CACHE_DIR": folder} if cold else {}
        return float(_run(_FIRST_STEP, env={**os.environ, **settings}))


def memory(observation: str) -> dict[str, float]:
    """Return bytes a game beyond the arrays handed out, and bytes of growth over many steps."""
    figures: dict[str, float] = json.loads(
        _run(_MEMORY, str(MEMORY_GAMES), str(GROWTH_STEPS), observation)
    )
    return figures


def description() -> dict[str, Any]:
    """Return what the figures depend on: processor, cores, versions."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        # How many programs wanted a core in the minute before, none of them ours yet.
        "load": os.getloadavg()[0],
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("qv-env", "numpy", "numba", "gymnasium")},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _run(program: str, *arguments: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE, text=True, check=True, env=env,
    )  # fmt: skip
    return done.stdout
