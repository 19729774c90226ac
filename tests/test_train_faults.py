"""Damaged runs, configs that no algorithm takes, and two processes in one run: a line for each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("stable_baselines3")

from stable_baselines3 import PPO

from agents.training import callbacks
from agents.training.checkpoint import checkpoints
from agents.training.metrics import read_metrics
from agents.training.run_folder import RunFolder
from tests.tiny_runs import assert_same_run, call, trained, write_config

pytestmark = pytest.mark.usefixtures("torch_as_before")


class Stub:
    """Has the methods of an algorithm, and nothing behind them."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None: ...
    def learn(self) -> None: ...
    def predict(self) -> None: ...
    def save(self) -> None: ...
    def load(self) -> None: ...


class CannotStart(PPO):
    """Fails when it is made, in more than one line."""

    def __init__(self, policy: str, env: object, seed: int, device: str = "auto") -> None:
        raise RuntimeError(f"first line\nsecond line: {policy}, {env}, {seed}, {device}")


def halve(name: str) -> Callable[[Path], None]:
    def damage(checkpoint: Path) -> None:
        content = (checkpoint / name).read_bytes()
        (checkpoint / name).write_bytes(content[: len(content) // 2])

    return damage


def overwrite(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(checkpoint: Path) -> None:
        (checkpoint / name).write_bytes(content)

    return damage


def remove(name: str) -> Callable[[Path], None]:
    return lambda checkpoint: (checkpoint / name).unlink()


def empty(checkpoint: Path) -> None:
    shutil.rmtree(checkpoint)
    checkpoint.mkdir()


DAMAGES = {
    "model.zip cut short": halve("model.zip"),
    "model.zip missing": remove("model.zip"),
    "state.pkl cut short": halve("state.pkl"),
    "state.pkl garbage": overwrite("state.pkl", b"garbage"),
    "state.pkl empty": overwrite("state.pkl", b""),
    "state.pkl of something else": overwrite("state.pkl", b"\x80\x04]\x94."),
    "state.pkl missing": remove("state.pkl"),
    "empty folder": empty,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    return trained(folder, folder / "run")


@pytest.fixture
def unfinished(whole: Path, tmp_path: Path) -> Path:
    """A run with checkpoints at plies 128 and 256, killed before its model was written."""
    run = tmp_path / "run"
    shutil.copytree(whole, run)
    for name in ("evaluation.json", "model.zip"):
        (run / name).unlink()
    return run


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_checkpoint_is_passed_over_and_replaced(
    damage: Callable[[Path], None], unfinished: Path, whole: Path
) -> None:
    older, newest = checkpoints(unfinished / "checkpoints")
    damage(newest)
    result = call("--resume", unfinished)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].startswith(f"checkpoint {newest} cannot be used (")
    assert lines[1].endswith("plies to train: 128")
    assert_same_run(unfinished, whole)
    assert checkpoints(unfinished / "checkpoints") == [older, newest]
    assert {path.name for path in newest.iterdir()} == {"model.zip", "state.pkl"}


def test_without_a_whole_checkpoint_nothing_is_trained(unfinished: Path) -> None:
    for checkpoint in checkpoints(unfinished / "checkpoints"):
        halve("model.zip")(checkpoint)
    metrics = (unfinished / "metrics.jsonl").read_bytes()
    result = call("--resume", unfinished)
    assert result.exit_code == 2
    *passed_over, last = result.output.splitlines()
    assert len(passed_over) == 2
    assert last.startswith(f"Error: no checkpoint in {unfinished / 'checkpoints'} can be used; ")
    assert (unfinished / "metrics.jsonl").read_bytes() == metrics


def test_checkpoints_of_more_plies_than_a_run_has_are_removed(unfinished: Path) -> None:
    (unfinished / "checkpoints" / "000000000999").mkdir()
    (unfinished / "checkpoints" / "000000000256" / "state.pkl").unlink()
    assert call("--resume", unfinished).exit_code == 0
    names = [path.name for path in checkpoints(unfinished / "checkpoints")]
    assert names == ["000000000128", "000000000256"]


@pytest.mark.parametrize("folder_stays", [True, False])
def test_a_run_that_starts_anew_says_so(folder_stays: bool, unfinished: Path, whole: Path) -> None:
    shutil.rmtree(unfinished / "checkpoints")
    if folder_stays:
        (unfinished / "checkpoints").mkdir()
    result = call("--resume", unfinished)
    assert result.exit_code == 0, result.output
    first = result.output.splitlines()[0]
    assert first == f"{unfinished} has no checkpoint; training starts anew, from ply 0"
    assert_same_run(unfinished, whole)


def test_a_trained_model_is_not_replaced_by_one_that_starts_anew(
    unfinished: Path, whole: Path
) -> None:
    shutil.rmtree(unfinished / "checkpoints")
    shutil.copy(whole / "model.zip", unfinished)
    result = call("--resume", unfinished)
    assert result.exit_code == 2
    assert "holds a trained model.zip but no checkpoint to go on from" in result.output
    assert result.output.count("\n") == 1


def test_a_trained_run_is_only_evaluated(tmp_path: Path) -> None:
    run = trained(tmp_path, tmp_path / "run", n_timesteps=100)  # ends at ply 128
    (run / "evaluation.json").unlink()
    rows = read_metrics(run / "metrics.jsonl")
    result = call("--resume", run)
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"{run} is trained; what is left is the evaluation\n")
    assert "plies to train" not in result.output
    assert read_metrics(run / "metrics.jsonl") == rows
    assert RunFolder(run).finished


def test_one_process_at_a_time(unfinished: Path) -> None:
    with RunFolder(unfinished).locked():
        result = call("--resume", unfinished)
    assert result.exit_code == 2
    assert result.output == (
        f"Error: another train.py is at work in {unfinished}; wait for its end, or stop it\n"
    )
    assert call("--resume", unfinished).exit_code == 0


def test_the_lock_is_held_while_a_run_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []

    def resume_as_well(_: callbacks.ProgressBar) -> bool:
        if not answers:
            answers.append(call("--resume", tmp_path / "run"))
        return True

    with monkeypatch.context() as patch:
        patch.setattr(callbacks.ProgressBar, "_on_step", resume_as_well)
        trained(tmp_path, tmp_path / "run", n_timesteps=64)
    assert answers[0].exit_code == 2
    assert "another train.py is at work" in answers[0].output


def test_damaged_metrics_lose_their_damaged_lines_only(unfinished: Path) -> None:
    metrics = unfinished / "metrics.jsonl"
    rows = read_metrics(metrics)
    lines = metrics.read_bytes().splitlines(keepends=True)
    metrics.write_bytes(b"".join([lines[0], b"\xff\xfe{\n", b"3\n", b"{}\n", *lines[1:]]))
    assert read_metrics(metrics) == rows
    assert call("--resume", unfinished).exit_code == 0
    assert read_metrics(metrics) == rows
    metrics.read_text(encoding="utf-8")


def test_another_number_of_games_is_no_damage(unfinished: Path) -> None:
    config = yaml.safe_load((unfinished / "config.yaml").read_text())
    (unfinished / "config.yaml").write_text(yaml.safe_dump({**config, "n_envs": 8}))
    result = call("--resume", unfinished)
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert "n_envs: " in result.output
    assert "was written with 4, the config of the run says 8; put 4 back" in result.output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policy": "Nope"}, "MaskablePPO does not take this config; ValueError: Policy Nope"),
        ({"policy": "collections:OrderedDict"}, "MaskablePPO does not take this config; TypeErr"),
        ({"policy_kwargs": {"nope": 1}}, "unexpected keyword argument 'nope'"),
        ({"policy_kwargs": {"net_arch": "abc"}}, "MaskablePPO does not take this config; "),
        ({"device": "foo"}, "device string: foo"),
        ({"n_envs": 10**9}, "num_envs must lie in"),
        ({"algo": f"{__name__}:Stub"}, f"models of {__name__}:Stub have no num_timesteps, policy"),
        ({"algo": f"{__name__}:CannotStart"}, "RuntimeError: first line second line"),
        ({"algo": "stable_baselines3:DDPG"}, "AssertionError: The algorithm only supports"),
        ({"algo": "sb3_contrib:RecurrentPPO"}, "ValueError: Policy MlpPolicy unknown"),
        (
            {"algo": "sb3_contrib:RecurrentPPO", "policy": "MlpLstmPolicy"},
            "algo: evaluation cannot play with a model of sb3_contrib:RecurrentPPO; TypeError: ",
        ),
    ],
    ids=lambda value: None if isinstance(value, dict) else value.split(";")[0][:30],
)
def test_a_config_that_does_not_work_leaves_nothing_behind(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    base = {"n_timesteps": 128, "n_envs": 2, "device": "cpu", "final_deals": "dev:1"}
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(base | changes))
    result = call("--config", file, "--run", tmp_path / "run")
    assert result.exit_code == 2, result.output
    assert result.output.startswith("Error: ")
    assert message in result.output
    assert result.output.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_tables_in_a_file_break_no_names(tmp_path: Path) -> None:
    name = "a_run_with_a_long_name"
    result = call("--config", write_config(tmp_path, n_timesteps=64), "--run", tmp_path / name)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines()]
    assert [row[0] for row in rows if row and row[0] in ("random", "greedy", name)] == [
        "random", "greedy", name, "greedy", name,
    ]  # fmt: skip
    assert "Deals dev:1, 1 in all" in result.output


def test_results_are_written_before_they_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise UnicodeEncodeError("ascii", "…", 0, 1, "not in range")

    monkeypatch.setattr("train.print_tables", fail)
    result = call("--config", write_config(tmp_path, n_timesteps=64), "--run", tmp_path / "run")
    assert isinstance(result.exception, UnicodeEncodeError)
    assert RunFolder(tmp_path / "run").finished
