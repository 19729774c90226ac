"""Results files and journals: nothing played is lost, and nothing false passes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agents.deal_lists import parse_deals
from agents.evaluate import play_deals
from agents.greedy import GreedyAgent
from agents.loading import load
from agents.oracle import oracle, replay_by_oracle
from agents.results.checking import check_result, replay_by_engine
from agents.results.evaluation import Order, board_of, make_result, play, save_result
from agents.results.journal import Journal
from agents.results.provenance import current_source, source_digest
from agents.results.result import Result, read_result
from agents.results.rows import decode_actions, encode_actions
from agents.workers import Recipe

ROOT = Path(__file__).parent.parent
LIST = "dev:140"
DEALS = parse_deals([LIST])
WON = ["FT1-N-ZZYAAEV", "FT1-N-ZZYAAFI"]  # by the greedy agent


def order_of(spec: str, deals: str = LIST) -> Order:
    recipe = Recipe(spec)
    return Order(recipe, load(spec), spec, parse_deals([deals]), deals, current_source())


@pytest.fixture(scope="module")
def order() -> Order:
    return order_of("greedy")


@pytest.fixture(scope="module")
def result(order: Order) -> Result:
    return make_result(order, play(order), processes=1)


def test_actions_are_two_digits_each() -> None:
    actions = tuple(range(269))
    assert len(encode_actions(actions)) == 538
    assert decode_actions(encode_actions(actions)) == actions
    for wrong in ("0", "0Z", "0-", "é0"):
        with pytest.raises(ValueError, match="two digits"):
            decode_actions(wrong)


def test_a_result_says_what_reproduces_it(result: Result) -> None:
    assert (result.board, result.agent, result.deals, result.count) == (
        "hidden",
        "greedy",
        LIST,
        140,
    )
    assert result.command == f"qv evaluate --agent greedy --deals {LIST} --seed 0 --results results"
    assert result.env == GreedyAgent.env_kwargs
    assert set(result.hardware) == {"system", "machine", "processor", "cores"}
    assert {"python", "numba", "numpy"} <= set(result.versions)
    assert len(result.sources) == 16
    assert list(result.wins) == WON
    assert result.win_rate.value == 2 / 140


def test_a_result_reads_back_whole(result: Result, order: Order, tmp_path: Path) -> None:
    path = save_result(tmp_path, order, result)
    assert path.name == "greedy-dev-140.json"
    assert read_result(path) == result
    expected = play_deals(GreedyAgent(), DEALS)
    games = [g.untimed() for g in read_result(path).rows]
    assert games == [
        (game if game.won else game._replace(actions=())).untimed() for game in expected
    ]
    assert path.read_text().count("\n") > len(DEALS)
    assert "/" not in json.loads(path.read_text())["command"].replace("--", "")


def test_a_right_result_passes_by_engine_and_oracle(result: Result) -> None:
    assert check_result(result) == ["engine", "oracle"]


def test_engine_and_oracle_agree_on_wins(result: Result) -> None:
    rules = oracle()
    assert rules is not None
    for deal, text in result.wins.items():
        actions = decode_actions(text)
        by_oracle = replay_by_oracle(rules, deal, actions)
        assert by_oracle == replay_by_engine(deal, actions)
        assert by_oracle.won


def edited(result: Result, **changes: Any) -> Result:
    return Result.model_validate({**result.model_dump(), **changes})


def test_a_forged_win_is_found(result: Result) -> None:
    first, second = (decode_actions(result.wins[deal]) for deal in WON)
    for actions, why in (
        (first[:-1], "by the engine: the file says"),
        (second, r"by the engine: ply \d+, "),
        ((268, *first[1:]), "by the engine: ply 1, f8>t10"),
    ):
        wins = {**result.wins, WON[0]: encode_actions(actions)}
        with pytest.raises(ValueError, match=f"{WON[0]}, {why}"):
            check_result(edited(result, wins=wins))


def test_the_oracle_judges_by_itself(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    def believe(code: str, _: Any) -> Any:
        return replay_by_engine(code, decode_actions(result.wins[code]))

    monkeypatch.setattr("agents.results.checking.replay_by_engine", believe)
    wins = {**result.wins, WON[0]: encode_actions((268, *decode_actions(result.wins[WON[0]])[1:]))}
    with pytest.raises(
        ValueError, match=r"by the oracle: ply 1: f8>t10 is not legal: source empty"
    ):
        check_result(edited(result, wins=wins))


def test_a_forged_figure_is_found(result: Result) -> None:
    rate = {"value": 0.5, "low": 0.4, "high": 0.6}
    with pytest.raises(ValueError, match="win_rate is not what the games give"):
        check_result(edited(result, win_rate=rate))
    games = [list(row) for row in result.games]
    games[0][3] += 5  # the score
    with pytest.raises(ValueError, match="score is not what the games give"):
        check_result(edited(result, games=games))
    with pytest.raises(ValueError, match="the games are not those of dev:140, in order"):
        check_result(edited(result, games=result.games[::-1]))


def test_wins_without_actions_are_no_result(result: Result) -> None:
    with pytest.raises(ValueError, match="wins must name the deals that were won"):
        edited(result, wins={})
    with pytest.raises(ValueError, match="count is 140 and there are 139 games"):
        edited(result, games=result.games[1:])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not whole JSON"),
        ("1" * 5_000, "is not whole JSON"),
        ("[" * 100_000, "is not whole JSON"),
        ("[]", "is not a results file"),
        ('{"format": "qv-env result", "version": 2}', "version: Input should be 1"),
    ],
)
def test_files_that_are_no_results(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=f"x.json.*{why}"):
        read_result(tmp_path / "x.json")


def test_who_sees_the_stock_is_on_the_thoughtful_board() -> None:
    class Seer(GreedyAgent):
        env_kwargs = {"stock": "open"}  # noqa: RUF012 - as users write it

    assert board_of(Seer()) == "thoughtful"
    assert board_of(GreedyAgent()) == "hidden"


def test_the_digest_is_of_all_that_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.results.provenance.ROOT", tmp_path)
    digests = [source_digest()]
    for name in (
        "agents/planner.py",
        "agents/search/weights.json",
        "qv_env/engine.py",
        "agents/boards/tables.py",
        "qv_env/render/rgb.py",
        "agents/__pycache__/planner.pyc",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
        digests.append(source_digest())
    assert len(set(digests[:4])) == 4
    assert set(digests[4:]) == {digests[3]}


def test_a_journal_goes_on_where_a_kill_has_cut_it(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    games = play_deals(GreedyAgent(), DEALS[:4])
    with Journal(path, {"agent": "greedy"}) as journal:
        journal.add(games[:1])
        journal.add(games[1:3])
    whole = path.read_bytes()
    for cut in (1, 40, len(whole.splitlines()[-1])):
        path.write_bytes(whole[:-cut])
        with Journal(path, {"agent": "greedy"}) as journal:
            assert list(journal.games.values()) == games[:2]
            journal.add(games[2:])
        with Journal(path, {"agent": "greedy"}) as journal:
            assert list(journal.games.values()) == games


def test_a_journal_that_was_cut_in_its_first_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    path.write_text('{"format": "qv-env jou')
    with Journal(path, {"agent": "greedy"}) as journal:
        assert not journal.games
    assert path.read_text() == '{"format": "qv-env journal", "agent": "greedy"}\n'


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("hello\n", "is not the journal of an evaluation"),
        (
            '{"format": "qv-env journal", "agent": "random"}\n',
            "with agent 'random' and this is 'gr",
        ),
        ('{"format": "qv-env journal", "agent": "greedy"}\n{}\n', "line 2: not a game"),
    ],
)
def test_a_journal_of_something_else_is_refused(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "x.journal"
    path.write_text(content)
    with pytest.raises(ValueError, match=why):
        Journal(path, {"agent": "greedy"})
    assert path.read_text() == content


SLOW = """
import time
from agents.random_agent import RandomAgent
class Slow(RandomAgent):
    name = "slow"
    def act(self, observations, action_masks):
        if (self._plies == 0).any():
            time.sleep(0.25 * len(action_masks))
        return super().act(observations, action_masks)
"""


def test_an_evaluation_survives_interrupts_and_kills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_agent.py").write_text(SLOW)
    journal = tmp_path / "results" / "slow_agent-Slow-dev-24.journal"
    words = ["--agent", "slow_agent:Slow", "--deals", "dev:24", "--results", "results"]

    def start(*more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "qv_env.cli", "evaluate", *words, *more],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def stop(run: subprocess.Popen[str], number: int, lines: int) -> str:
        while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
            assert run.poll() is None, run.communicate()
            time.sleep(0.02)
        run.send_signal(number)
        return run.communicate()[1]

    interrupted = start("--processes", "2")
    told = stop(interrupted, signal.SIGINT, 3)
    assert interrupted.returncode == 130
    assert told == (
        "qv: stopped; what was played is kept in results, and the same command with --resume "
        "goes on\n"
    )
    refused = start()
    assert "holds an evaluation that was stopped; go on with it by" in refused.communicate()[1]
    assert refused.returncode == 2
    killed = start("--resume")
    stop(killed, signal.SIGKILL, journal.read_bytes().count(b"\n") + 1)
    with journal.open("a") as file:
        file.write('{"deal": "FT1-')
    last = start("--resume", "--processes", "2")
    assert last.communicate()[1] == ""
    assert last.returncode == 0
    assert not journal.exists()
    monkeypatch.syspath_prepend(str(tmp_path))
    result = read_result(journal.with_suffix(".json"))
    expected = play(order_of("random", "dev:24"))
    assert [g.untimed() for g in result.rows] == [
        (g if g.won else g._replace(actions=())).untimed() for g in expected
    ]
    check_result(result)
