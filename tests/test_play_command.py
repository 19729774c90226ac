"""`qv play` as a command: ports, mistakes, and its end."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from qv_env.cli.group import qv
from qv_env.web.serving import listen
from tests.play_asking import CODE


def test_a_taken_port_is_passed_over_unless_it_was_asked_for() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(qv, ["play", "--no-browser", "--port", str(port)])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert f"cannot listen on port {port}" in result.stderr
    with listen(None) as first, listen(None) as second:
        ports = {s.getsockname()[1] for s in (first, second)}
        assert len(ports) == 2
        assert {s.getsockname()[0] for s in (first, second)} == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--deal", "FT1-N-AAA"], "wrong length"),
        (["--agent", "gredy", "--port", "0"], "did you mean greedy?"),
        (["--port", "65536"], "65536 is not in the range"),
    ],
)
def test_wrong_use_gets_one_line(words: list[str], why: str) -> None:
    result = CliRunner().invoke(qv, ["play", "--no-browser", *words])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert why in result.stderr


CUT_OFF = (
    b"POST /games HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9\r\n\r\n{"
)
NONSENSE = [
    b"",
    b"nonsense\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: HERE\r\nContent-Type: application/json\r\n\r\n",
    CUT_OFF,
    b"GET / HTTP/1.1\r\nHost: HERE\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
]


def send_and_hang_up(url: str, message: bytes) -> None:
    """Send a message to a server, wait until it is read, and close the connection."""
    address = url.removeprefix("http://").strip("/")
    name, _, port = address.partition(":")
    with socket.create_connection((name, int(port)), timeout=30) as connection:
        connection.sendall(message.replace(b"HERE", address.encode()))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_the_command_serves_until_it_is_interrupted() -> None:
    words = [sys.executable, "-m", "qv_env.cli", "play", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*words, "--deal", CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        (url,) = re.findall(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        with urllib.request.urlopen(url) as answer:  # noqa: S310  # it is our own server's
            assert b"Quarante Voleurs" in answer.read()
        for nonsense in NONSENSE:
            send_and_hang_up(url, nonsense)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=30)
    assert (process.returncode, said, complained) == (0, "The server has ended.\n", "")


ENDLESS = """
import atexit
import time

atexit.register(print, "taken down under an agent at work")

class Endless:
    name = "endless"
    env_kwargs = {}
    prepared = False

    def reset(self, seeds, rows=None):
        pass

    def act(self, observations, action_masks):
        print("thinking" if self.prepared else "preparing", flush=True)
        if self.prepared:
            time.sleep(3600)
        self.prepared = True
        return [0]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_an_agent_that_thinks_does_not_hold_the_end_up(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    words = [sys.executable, "-m", "qv_env.cli", "play", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*words, "--agent", "endless:Endless"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        (url,) = re.findall(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert process.stdout.readline() == "preparing\n"  # nobody has asked yet
        path = f"games/{asked(url, 'games')['id']}/advice"
        answers: list[dict[str, str]] = []
        ask = threading.Thread(target=lambda: answers.append(asked(url, path)))
        ask.start()
        assert process.stdout.readline() == "thinking\n"
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=30)
        ask.join(30)
    assert (process.returncode, said, complained) == (0, "The server has ended.\n", "")
    assert answers == [{"error": "the server is ending"}]


def asked(url: str, path: str) -> dict[str, str]:
    """Return what the server answers, be it an error."""
    request = urllib.request.Request(  # noqa: S310  # it is our own server's
        url + path, b"{}", {"Content-Type": "application/json"}
    )
    try:
        answer = urllib.request.urlopen(request)  # noqa: S310  # as above
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        said: dict[str, str] = json.load(answer)
    return said


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "qv_env.web.serving", raising=False)
    result = CliRunner().invoke(qv, ["play", "--no-browser"])
    assert result.exit_code == 2
    assert "pip install 'qv-env[web]'" in result.stderr
