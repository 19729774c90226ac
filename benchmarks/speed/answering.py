"""The loop of a process that measures a peer in an environment of its own.

It needs the standard library alone. The process first writes one JSON line that lists its rows,
then answers each line ``{"row": key, "seconds": s}`` with ``{"steps": n, "seconds": t}``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple


class PeerRow(NamedTuple):
    """One thing that a peer's process can measure.

    Attributes:
        key: Unique among all rows.
        name: What it is, for people.
        games: Games that one step advances.
        threads: What its threads are, for people.
        make: Returns a function that steps once and returns the seconds spent in the peer.
    """

    key: str
    name: str
    games: int
    threads: str
    make: Callable[[], Callable[[], float]]


def answer(rows: Sequence[PeerRow], packages: Sequence[str]) -> None:
    """Answer on the standard streams until the input ends."""
    # Whatever a peer prints must not get between the answers.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    start = time.perf_counter
    steppers, described = {}, []
    for row in rows:
        begin = start()
        steppers[row.key] = row.make()
        steppers[row.key]()
        described.append({**row._asdict(), "make": None, "compile_seconds": start() - begin})
    hello: dict[str, Any] = {"rows": described, "versions": {p: version(p) for p in packages}}
    print(json.dumps(hello), file=replies, flush=True)
    games = {row.key: row.games for row in rows}
    for line in sys.stdin:
        asked = json.loads(line)
        steps, seconds = run_for(steppers[asked["row"]], asked["seconds"])
        reply = {"steps": steps * games[asked["row"]], "seconds": seconds}
        print(json.dumps(reply), file=replies, flush=True)


def run_for(step: Callable[[], float], seconds: float) -> tuple[int, float]:
    """Step until the seconds that count have passed, or ten times as many on the clock.

    Returns:
        Number of calls, and the seconds that count of all of them.
    """
    calls, spent = 0, 0.0
    begin = time.perf_counter()
    while spent < seconds and time.perf_counter() - begin < 10 * seconds:
        spent += step()
        calls += 1
    return calls, spent
