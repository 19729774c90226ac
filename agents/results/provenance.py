"""Where figures come from: the sources, the versions of the packages, the machine."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent.parent

_PACKAGES: Final = {
    "qv_env": "qv-env",
    "gymnasium": "gymnasium",
    "numpy": "numpy",
    "numba": "numba",
    "scipy": "scipy",
    "torch": "torch",
    "stable_baselines3": "stable-baselines3",
    "sb3_contrib": "sb3-contrib",
}
# What shows results and what trains models does not play.
_NOT_PLAYING: Final = ("agents/boards", "agents/training", "qv_env/cli", "qv_env/render")
_DIGEST_BYTES: Final = 8
_CPU_FILE: Final = Path("/proc/cpuinfo")
_CPU_KEY: Final = "model name"


class Source(NamedTuple):
    """The code that plays.

    Attributes:
        commit: See `source_commit`.
        digest: See `source_digest`.
    """

    commit: str | None
    digest: str


def current_source() -> Source:
    """Return the code as it is now."""
    return Source(source_commit(), source_digest())


def source_commit() -> str | None:
    """Return the commit of the source tree this file belongs to, or None where there is none.

    It ends in ``-dirty`` where files differ from the commit.
    """
    top = _git("rev-parse", "--show-toplevel")
    # Installed into some other project's environment, the package is not part of that project.
    if top is None or Path(top).resolve() != ROOT:
        return None
    commit = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", *_playing_folders())
    return f"{commit}-dirty" if commit and changes else commit


def source_digest() -> str:
    """Return a digest of all that plays: the game, the agents with their data, the evaluation."""
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for folder in _playing_folders():
        for file in sorted((ROOT / folder).rglob("*")):
            name = file.relative_to(ROOT).as_posix()
            compiled = "__pycache__" in file.parts
            if file.is_file() and not compiled and not name.startswith(_NOT_PLAYING):
                digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of Python and of those packages that are loaded."""
    loaded = {name for module, name in _PACKAGES.items() if module in sys.modules}
    found = {"python": platform.python_version()}
    for name in sorted(loaded):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # run from a source tree without installation
            continue
    return found


def hardware() -> dict[str, Any]:
    """Return what the machine is, as far as it bears on times: system, processor, cores."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    if _CPU_FILE.is_file():
        for line in _CPU_FILE.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == _CPU_KEY:
                return value.strip()
    return platform.processor()


def _playing_folders() -> tuple[str, ...]:
    return ("agents", "qv_env")


def _git(*arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    command = [git, "-C", str(ROOT), *arguments]
    # The arguments are all written in this file.
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return answer.stdout.strip() if answer.returncode == 0 else None
