"""The `qv` command: what it makes, and one line with exit code 2 for whatever a user gets wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from qv_env import __version__
from qv_env.cli.group import qv
from qv_env.deals import Deal
from qv_env.episodes import make_episode, read_episode, save_episode


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run every test in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(qv, words, input=stdin, prog_name="qv")


def output(*words: str, stdin: str | None = None) -> str:
    result = run(*words, stdin=stdin)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def complaint(*words: str, exit_code: int = 2) -> str:
    """Return the one line on stderr that a command ends with, which tells of no traceback."""
    result = run(*words)
    assert result.exit_code == exit_code, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("qv: ")
    return result.stderr


def evaluate(agent: str, deals: str, *more: str) -> tuple[str, ...]:
    return ("evaluate", "--agent", agent, "--deals", deals, *more)


@pytest.mark.parametrize(
    ("agent", "deals", "why"),
    [
        ("gredy", "dev:2", "unknown agent 'gredy'; did you mean greedy? Known agents: greedy, "),
        ("runs/none", "dev:2", "unknown agent 'runs/none'. Known agents: "),
        ("", "dev:2", "unknown agent ''."),
        (".", "dev:2", "holds no model.zip"),
        ("no_such_module:X", "dev:2", "cannot import 'no_such_module'"),
        ("math:Greedy", "dev:2", "module math has no class 'Greedy'"),
        ("decimal:Decimal", "dev:2", "it has no name, env_kwargs, reset, act"),
        ("greedy", "", "no deals given"),
        ("greedy", ",", "no deals given"),
        ("greedy", "dev", "'dev' needs a count of deals"),
        ("greedy", "dev:0", "'dev:0' needs a count of deals"),
        ("greedy", "dev:-1", "'dev:-1' needs a count of deals"),
        ("greedy", "dev:many", "'dev:many' needs a count of deals"),
        ("greedy", "dev:456977", "more deals than the 456976 of the split"),
        ("greedy", "tset:2", "no split is called 'tset'; did you mean test?"),
        ("greedy", "codes.txt", "no file called 'codes.txt'"),
        ("greedy", "FT1-N-AAAAAA1", "wrong letter '1'"),
        ("greedy", "FT1-N-AAA", "wrong length"),
        ("greedy", "FT2-N-AAAAAAA", "wrong prefix"),
        ("greedy", "FT1-N-AAAAAAV,ft1-n-aaaaaav", "FT1-N-AAAAAAV is listed twice"),
        ("greedy", "8031810176", "must lie in [0, 8031810175]"),
    ],
)
def test_wrong_agents_and_deals(agent: str, deals: str, why: str) -> None:
    assert why in complaint(*evaluate(agent, deals))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("FT1-N-AAAAAAA\n\nFT1-N-AAAAAA?\n", "codes.txt, line 3: wrong letter '?'"),
        ("# nothing\n\n", "codes.txt holds no deals"),
        ("FT1-N-AAAAAAA\n0 # the same\n", "FT1-N-AAAAAAA is listed twice"),
    ],
)
def test_wrong_files_of_codes(folder: Path, text: str, why: str) -> None:
    (folder / "codes.txt").write_text(text)
    assert why in complaint(*evaluate("greedy", "codes.txt"))


def test_files_that_are_no_text(folder: Path) -> None:
    (folder / "codes.txt").write_bytes(b"\xff\xfe\x00")
    assert "not a text file of deal codes" in complaint(*evaluate("greedy", "codes.txt"))
    (folder / "model.zip").write_bytes(b"PK")
    assert "model.zip is not a model file" in complaint(*evaluate("model.zip", "dev:2"))


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("missing/figures.json", "there is no folder missing"),
        (".", "cannot write .: it is a folder"),
        ("file/figures.json", "there is no folder file"),
    ],
)
def test_unwritable_json(folder: Path, path: str, why: str) -> None:
    (folder / "file").touch()
    assert why in complaint(*evaluate("greedy", "dev:2", "--json", path))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("evaluate", "--agent", "greedy"), "Missing option '--deals'. Try 'qv evaluate --help'."),
        (("evaluate", "--deals", "dev:2"), "Missing option '--agent'"),
        (evaluate("greedy", "dev:2", "--processes", "0"), "'--processes': 0"),
        (evaluate("greedy", "dev:2", "--processes", "99999"), "range 1<=x<=256"),
        (evaluate("greedy", "dev:2", "--resume"), "--resume needs --results"),
        (evaluate("greedy", "7", "--results", "r"), "such as test:1000 or dev:200; got 7"),
        (evaluate("greedy:x=1", "dev:2"), "agent greedy has no options"),
        (evaluate("greedy", "dev:2", "--weights", "none"), "none of the agents has weights"),
        (evaluate("planner", "dev:2", "--weights", "no.npz"), "no.npz"),
        (("agents", "gredy"), "unknown agent 'gredy'; did you mean greedy?"),
        (("compare", "one.json"), "give two results files or more"),
        (("compare", "one.json", "two.json"), "one.json: No such file"),
        (evaluate("greedy", "dev:2", "--batch", "x"), "'--batch': 'x'"),
        (evaluate("greedy", "dev:2", "--seed", "-1"), "'--seed': -1"),
        (evaluate("greedy", "dev:2", "--jsno", "x"), "No such option '--jsno'"),
        (("evalute",), "No such command 'evalute'"),
        (("deal",), "Missing argument 'CODE'"),
        (("deal", "FT1-N-AAA"), "wrong length"),
        (("deal", "²"), "wrong prefix"),
        (("render", "--agent", "greedy", "--deal", "21"), "Missing option '--out'"),
    ],
)
def test_wrong_options(words: tuple[str, ...], why: str) -> None:
    assert why in complaint(*words)


@pytest.mark.parametrize(
    ("agent", "deal", "out", "why"),
    [
        ("greedy", "21", "game.avi", "must end in .gif, .mp4, .png, .txt, .json"),
        ("greedy", "21", "missing/game.gif", "there is no folder missing"),
        ("greedy", "FT1", "game.gif", "wrong prefix"),
        ("gredy", "21", "game.gif", "did you mean greedy?"),
    ],
)
def test_wrong_renderings(agent: str, deal: str, out: str, why: str) -> None:
    assert why in complaint("render", "--agent", agent, "--deal", deal, "--out", out)


RENDER = ("render", "--agent", "greedy", "--deal", "21", "--out", "game.gif")

ILLEGAL = """
import numpy as np
from agents.random_agent import RandomAgent
class Illegal(RandomAgent):
    name = "illegal"
    def act(self, observations, action_masks):
        return np.full(len(action_masks), 268)
"""


def test_an_illegal_action_is_the_agents_fault_not_the_users(folder: Path) -> None:
    (folder / "illegal_agent.py").write_text(ILLEGAL)
    line = complaint(*evaluate("illegal_agent:Illegal", "0"), exit_code=1)
    assert "agent illegal chose f8>t10 (deal FT1-N-AAAAAAA, ply 1)" in line
    words = ("render", "--agent", "illegal_agent:Illegal", "--deal", "0", "--out", "game.txt")
    assert "agent illegal, ply 1, f8>t10" in complaint(*words, exit_code=1)
    assert not (folder / "game.txt").exists()


def test_weights_are_an_option_of_the_agents_that_have_it() -> None:
    words = ("--weights", "none", "--json", "figures.json", "--agent", "random")
    output(*evaluate("planner:nodes=30", "dev:2", *words))
    command = json.loads(Path("figures.json").read_text())["command"]
    assert "--agent planner:nodes=30,weights=none --agent random " in command


def test_evaluate_prints_a_table_and_writes_every_figure(folder: Path) -> None:
    (folder / "codes.txt").write_text("# two deals\nFT1-N-AAAAAAV\n ft1-n-zzyaaaa # of dev\n\n")
    agents = ("evaluate", "--agent", "random", "--agent", "greedy")
    where = str(folder / "figures.json")
    table = output(*agents, "--deals", str(folder / "codes.txt"), "--deals", "3,4", "--json", where)
    assert "4 deals (codes.txt, 3,4), seed 0, 95 % intervals" in table
    assert "Difference from random, paired by deal" in table
    document = json.loads((folder / "figures.json").read_text())
    codes = ["FT1-N-AAAAAAV", "FT1-N-ZZYAAAA", "FT1-N-AAAAAAD", "FT1-N-AAAAAAE"]
    for agent in document["agents"]:
        assert [game["deal"] for game in agent["games"]] == codes
    assert str(folder) not in json.dumps(document)
    assert sorted(path.name for path in folder.iterdir()) == ["codes.txt", "figures.json"]
    again = [*document["command"].split()[1:], "--json", "again.json", "--batch", "1"]
    output(*again)
    assert without_time(json.loads(Path("again.json").read_text())) == without_time(document)


def without_time(document: dict[str, object]) -> object:
    for agent in document["agents"]:  # type: ignore[attr-defined]
        for timed in (agent, *agent["games"]):
            del timed["seconds"], timed["cpu_seconds"]
    return document


def test_an_existing_file_is_replaced(folder: Path) -> None:
    (folder / "figures.json").write_text("old")
    output(*evaluate("greedy", "dev:2", "--json", "figures.json"))
    assert json.loads((folder / "figures.json").read_text())["seed"] == 0


@pytest.mark.parametrize("ending", ["txt", "png", "gif", "mp4"])
def test_render_writes_an_episode(folder: Path, ending: str) -> None:
    name = f"game.{ending}"
    words = ("render", "--agent", "greedy", "--deal", "FT1-N-AAAAAAV", "--out", name)
    line = output(*words, "--plies", "5")
    assert line.startswith(f"{name}: greedy on FT1-N-AAAAAAV, 5 plies, score ")
    content = (folder / name).read_bytes()
    if ending == "txt":
        assert b"5. " in content
    elif ending == "mp4":
        assert content[4:8] == b"ftyp"
    else:
        with Image.open(folder / name) as picture:
            assert getattr(picture, "n_frames", 1) == (6 if ending == "gif" else 1)
    assert [path.name for path in folder.iterdir()] == [name]


def test_recorded_games_verify_and_render(folder: Path) -> None:
    explicit = Deal.from_number(5).text.replace(" ", "").replace("\n", "")
    agents = ("evaluate", "--agent", "greedy", "--agent", "greedy", "--agent", "random")
    printed = output(*agents, "--deals", f"21,{explicit}", "--record", "games")
    assert "6 episodes in games" in printed
    files = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.json"))]
    assert files == [
        f"games/{agent}/{deal}.json"
        for agent in ("greedy", "greedy#2", "random")
        for deal in ("FT1-N-AAAAAAV", "explicit-2")
    ]
    lines = output("verify", *files).splitlines()
    assert lines[0].startswith("games/greedy/FT1-N-AAAAAAV.json: right; greedy on FT1-N-AAAAAAV, ")
    assert [line.partition(":")[0] for line in lines] == files
    line = output("render", files[0], "--out", "game.txt", "--plies", "3")
    assert line.startswith("game.txt: greedy on FT1-N-AAAAAAV, 3 plies, score ")
    by_agent = ("render", "--agent", "greedy", "--deal", "21", "--plies", "3")
    output(*by_agent, "--out", "same.txt")
    assert (folder / "game.txt").read_bytes() == (folder / "same.txt").read_bytes()


def test_render_writes_an_episode_file_too(folder: Path) -> None:
    words = ("render", "--agent", "random", "--deal", "21", "--plies", "4", "--out", "game.json")
    output(*words)
    episode = read_episode(folder / "game.json")
    assert (episode.agent, len(episode.actions), episode.ending) == ("random", 4, "unfinished")
    assert episode.policy is not None
    assert [sum(number for _, number in ply) for ply in episode.policy.favoured[:1]] == [1.0]
    assert "right; random on FT1-N-AAAAAAV, 4 plies" in output("verify", "game.json")


def test_verify_looks_at_every_file(folder: Path) -> None:
    save_episode(folder / "good.json", make_episode(21, [0]))
    save_episode(folder / "bad.json", make_episode(21, [0]))
    text = (folder / "bad.json").read_text()
    (folder / "bad.json").write_text(text.replace('"actions": [0]', '"actions": [1]'))
    (folder / "cut.json").write_text(text[:200])
    broken = run("verify", "bad.json", "good.json")
    assert broken.exit_code == 1
    assert broken.stdout == "good.json: right; FT1-N-AAAAAAV, 1 ply, score 0, unfinished\n"
    assert broken.stderr == "qv: bad.json: ply 1, t1>t2: A column is built in one suit.\n"
    unreadable = run("verify", "cut.json", "bad.json", "none.json", "good.json")
    assert unreadable.exit_code == 2
    assert unreadable.stdout == broken.stdout
    assert [line.split(":")[1].strip() for line in unreadable.stderr.splitlines()] == [
        "cut.json",
        "bad.json",
        "none.json",
    ]


def test_verify_names_the_file_that_is_strange(folder: Path) -> None:
    (folder / "long.json").write_text('{"version": ' + "9" * 5_000 + "}")
    assert complaint("verify", "long.json").startswith("qv: long.json: Exceeds the limit")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("verify",), "Missing argument 'FILE...'"),
        ((*RENDER, "--fps", "nan"), "fps must lie in [0.01, 100], got nan"),
        ((*RENDER, "--fps", "0.001"), "fps must lie in [0.01, 100], got 0.001"),
        ((*RENDER, "--agent", "random"), "--agent is given 2 times; one game is rendered"),
        ((*RENDER, "--deal", "22"), "--deal is given 2 times; one game is rendered"),
        (("verify", "none.json"), "none.json: No such file or directory"),
        (("render", "none.json", "--out", "game.gif"), "none.json: No such file or directory"),
        (("render", "--out", "game.gif"), "give an episode file, or --agent and --deal."),
        (("render", "--agent", "greedy", "--out", "game.gif"), "give an episode file, or --agent"),
        (
            ("render", "a.json", "--agent", "greedy", "--out", "game.gif"),
            "give an episode file, or --agent and --deal, but not both",
        ),
        (("render", "a.json", "--out", "b.json"), "a.json is an episode file already"),
        (evaluate("greedy", "dev:2", "--record", "file"), "'--record': Directory 'file' is a file"),
    ],
)
def test_wrong_use_of_episode_files(folder: Path, words: tuple[str, ...], why: str) -> None:
    (folder / "file").touch()
    assert why in complaint(*words)


@pytest.mark.parametrize("word", ["FT1-N-AAAAAAV", " ft1-n-aaaaaav ", "21"])
def test_deal_shows_the_table(word: str) -> None:
    text = output("deal", word)
    assert "FT1-N-AAAAAAV" in text
    assert text.isascii()
    assert "\x1b" not in text


def test_deal_shows_the_cards_and_takes_them_back() -> None:
    cards = output("deal", "21", "--explicit")
    assert cards == Deal.from_number(21).text + "\n"
    assert output("deal", "--explicit", *cards.split()) == cards
    assert output("deal", "--explicit", "-", stdin=cards) == cards
    assert "explicit deal" in output("deal", "-", stdin=cards)
    assert "each card exists 2 times" in complaint("deal", *["AS"] * 104)


def test_deal_takes_colours_and_symbols() -> None:
    assert "\x1b[" in output("deal", "21", "--colour")
    assert "♠" in output("deal", "21", "--symbols")
    assert output("deal", "21", "--four-colours") != output("deal", "21", "--colour")


def test_agents_are_told_of_with_their_options(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = output("agents")
    assert "greedy: Chooses by fixed rules" in text
    assert "random: Chooses uniformly" in text
    (folder / "agent_with_options.py").write_text(
        'class Best:\n    """Plays best."""\n    def __init__(self, *, nodes=3, size): ...\n'
    )
    monkeypatch.syspath_prepend(str(folder))
    text = output("agents", "agent_with_options:Best")
    assert text == "agent_with_options:Best: Plays best.\n  nodes=3\n  size=VALUE, needed\n"


def test_results_are_kept_verified_and_compared(folder: Path) -> None:
    agents = ("--agent", "random", "--agent", "greedy")
    output("evaluate", *agents, "--deals", "dev:9", "--results", "kept", "--seed", "1")
    names = ["greedy-dev-9-seed-1.json", "random-dev-9-seed-1.json"]
    assert sorted(path.name for path in (folder / "kept").iterdir()) == names
    files = [f"kept/{name}" for name in names]
    lines = output("verify", *files).splitlines()
    wins = "0 wins replayed by engine and oracle"
    assert lines[0] == f"{files[0]}: right; greedy on dev:9, {wins}"
    text = output("compare", *files, "--json", "compared.json")
    assert "Difference from greedy, paired by deal" in text
    assert text.endswith("deals compared: 9\n")
    (against,) = json.loads(Path("compared.json").read_text())["against"]
    assert (against["agent"], against["deals"]) == ("random", 9)
    assert against["score"]["high"] < 0
    assert against["wins"]["p_value"] == 1
    forged = Path(files[0]).read_text().replace('"board": "hidden"', '"board": "thoughtful"')
    Path("forged.json").write_text(forged)
    line = complaint("compare", "forged.json", files[1])
    assert "random is of the hidden board and greedy of the thoughtful one" in line
    Path("forged.json").write_text(forged.replace('"count": 9', '"count": 8'))
    assert "count is 8 and there are 9 games" in complaint("verify", "forged.json")
    Path("forged.json").write_text(forged.replace('"score": {"value": ', '"score": {"value": 1'))
    assert "score is not what the games give" in complaint("verify", "forged.json", exit_code=1)


def test_an_agent_is_not_kept_twice(folder: Path) -> None:
    words = ("--agent", "greedy", "--agent", "greedy", "--deals", "dev:2", "--results", "kept")
    assert "agent greedy is given twice" in complaint("evaluate", *words)
    assert not list(folder.glob("kept/*"))


def test_version_and_help() -> None:
    assert __version__ in output("--version")
    for words in ((), ("evaluate",), ("render",), ("deal",), ("verify",), ("compare",)):
        assert "Usage: qv" in output(*words, "--help")


HEAVY = ("torch", "numba", "numpy", "scipy", "rich", "gymnasium.vector", "PIL")


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from qv_env.cli.group import qv; qv(['--help'], standalone_mode=False); "
        f"sys.exit(', '.join(set({HEAVY!r}) & set(sys.modules)))"
    )
    # Gymnasium itself, which registration needs, brings numpy along.
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert set(answer.stderr.strip().split(", ")) <= {"numpy", "gymnasium.vector"}


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from qv_env.cli import main

    monkeypatch.setitem(sys.modules, "qv_env.cli.group", None)
    monkeypatch.setitem(sys.modules, "click", None)
    monkeypatch.delitem(sys.modules, "qv_env.cli.group")
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 2
    line = (
        "qv: click is not installed; the command needs the eval extra: pip install 'qv-env[eval]'"
    )
    assert capsys.readouterr().err == line + "\n"


def test_what_one_command_alone_needs_is_missed_in_one_line() -> None:
    hidden = "import sys; sys.modules['pydantic'] = None; from qv_env.cli import main; main()"
    words = [sys.executable, "-c", hidden, "replay", "game.json", "--out", "game.html"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("qv: pydantic is not installed; the command needs the eval extra")
    assert done.stderr.count("\n") == 1
