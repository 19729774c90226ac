"""The peers: installed into throw-away environments, measured in processes of their own."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, cast

from speed.answering import PeerRow
from speed.rows import Row

_HERE: Final = Path(__file__).parent
_INSTALL_SECONDS: Final = 600
_TRIES: Final = 3


@dataclasses.dataclass(frozen=True)
class Peer:
    """A package to compare with.

    Attributes:
        name: For people.
        requirements: What pip installs, in exact versions.
        script: File of this folder that measures it.
    """

    name: str
    requirements: tuple[str, ...]
    script: str


PEERS: Final = (
    Peer("OpenSpiel", ("open_spiel==2.0.2",), "peer_open_spiel.py"),
    Peer("pgx", ("pgx==2.6.0", "jax==0.10.2"), "peer_pgx.py"),
    Peer("EnvPool", ("envpool==1.2.5", "gymnasium==1.4.0"), "peer_envpool.py"),
    Peer("Gymnasium", ("gymnasium==1.4.0", "numpy==2.4.6"), "peer_gymnasium.py"),
)


class PeerMissingError(Exception):
    """A peer cannot be measured; the message is the reason in one line."""


class PeerProcess:
    """A peer's process, which measures one row at a time when it is asked.

    Attributes:
        rows: What it can measure.
        versions: Version of each package it names.
        compile_seconds: Time to make each row and step it once, by key.
    """

    def __init__(self, python: Path, peer: Peer) -> None:
        command = [str(python), "-W", "ignore", str(_HERE / peer.script)]
        # What a peer has to say, of missing GPUs and the like, is read only if it fails.
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # closed by `close`
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )  # fmt: skip
        # Pipes were asked for, so they are there.
        self._questions = cast(IO[str], self._process.stdin)
        self._answers = cast(IO[str], self._process.stdout)
        hello = self._read()
        self.versions: dict[str, str] = hello["versions"]
        self.compile_seconds = {row["key"]: row.pop("compile_seconds") for row in hello["rows"]}
        self.rows = [self._row(PeerRow(**row)) for row in hello["rows"]]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def _row(self, row: PeerRow) -> Row:
        return Row(
            key=row.key,
            group="peer",
            name=row.name,
            games=row.games,
            threads=row.threads,
            measure=lambda seconds: self._measure(row.key, seconds),
        )

    def _measure(self, key: str, seconds: float) -> tuple[int, float]:
        self._questions.write(json.dumps({"row": key, "seconds": seconds}) + "\n")
        self._questions.flush()
        reply = self._read()
        return reply["steps"], reply["seconds"]

    def _read(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            self._log.seek(0)
            raise PeerMissingError(_last_line(self._log.read()))
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def running(
    peers: Sequence[Peer], say: Callable[[str], None]
) -> Iterator[tuple[list[PeerProcess], dict[str, str]]]:
    """Install and start peers; give the processes, and the reason for each peer that is missing."""
    processes: list[PeerProcess] = []
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="qv-env-peers-") as folder:
        for peer in peers:
            say(f"Installing {peer.name} into an environment of its own")
            try:
                python = _install(peer, Path(folder) / peer.name)
                processes.append(PeerProcess(python, peer))
            except PeerMissingError as reason:
                missing[peer.name] = str(reason)
        try:
            yield processes, missing
        finally:
            for process in processes:
                process.close()


def _install(peer: Peer, folder: Path) -> Path:
    """Return the Python of a fresh environment that has the peer."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    command = [
        str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--retries", str(_TRIES), *peer.requirements,
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise PeerMissingError(f"not installed within {_INSTALL_SECONDS} seconds") from None
    if done.returncode != 0:
        raise PeerMissingError(_last_line(done.stderr))
    return python


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else f"ended without a word under Python {sys.version.split()[0]}"
