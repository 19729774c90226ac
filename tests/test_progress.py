"""How an evaluation tells of itself: a line now and then where nobody watches."""

from __future__ import annotations

import pytest

from qv_env import progress
from qv_env.progress import game_progress


def test_a_log_gets_a_line_a_minute_with_an_estimate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = 500.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock)
    with game_progress(100) as report:
        clock += 1000  # agents are made, kernels compiled
        report("slow", 40, 2)  # from the journal
        clock += 30
        report("slow", 1, 1)
        assert capsys.readouterr().err == ""
        clock += 30
        report("slow", 9, 0)
        # Ten games in a minute, fifty to play.
        assert capsys.readouterr().err == "slow: 50 of 100 games, 3 won, about 5 min left\n"
        clock += 59
        report("slow", 40, 7)
        clock += 1
        report("quick", 5, 0)
        assert capsys.readouterr().err == "quick: 95 of 100 games, 0 won, about 11 s left\n"


def test_a_terminal_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with game_progress(8) as report:
        report("greedy", 6, 2)
    text = capsys.readouterr().err
    assert "greedy, 2 won" in text
    assert "6/8" in text
