"""Whole training runs, tiny ones: every algorithm, kills and resumption, and what a run leaves."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

pytest.importorskip("stable_baselines3")

from PIL import Image
from sb3_contrib import MaskablePPO

from agents.loading import load_agent
from agents.training import callbacks
from agents.training.checkpoint import checkpoints
from agents.training.metrics import read_metrics
from agents.training.run_folder import RunFolder, free_folder, moved_into_place
from qv_env.episodes import read_episode, verify
from tests.tiny_runs import TINY, assert_same_run, call, trained, write_config

pytestmark = pytest.mark.usefixtures("torch_as_before")

ROOT = Path(__file__).parent.parent
ON_POLICY = {"n_steps": 16, "learning_rate": "lin_1e-3"}
ALGORITHMS: dict[str, dict[str, Any]] = {
    "MaskablePPO": {**ON_POLICY, "batch_size": 32, "n_epochs": 1},
    "PPO": {**ON_POLICY, "batch_size": 32, "n_epochs": 1},
    "A2C": {**ON_POLICY, "log_interval": 1},
    "DQN": {"buffer_size": 500, "learning_starts": 64, "batch_size": 16, "log_interval": 1},
    "sb3_contrib:QRDQN": {"buffer_size": 500, "learning_starts": 64, "batch_size": 16},
}
RUN_KEYS = ("n_timesteps", "env", "n_envs", "device", "save_freq", "final_deals")


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_every_algorithm_leaves_a_whole_run(algo: str, tmp_path: Path) -> None:
    config = {key: TINY[key] for key in RUN_KEYS} | {"algo": algo} | ALGORITHMS[algo]
    file = tmp_path / "c.yaml"
    file.write_text(yaml.safe_dump(config))
    run = tmp_path / "run"
    result = call("--config", file, "--run", run)
    assert result.exit_code == 0, result.output
    assert yaml.safe_load((run / "config.yaml").read_text())["algo"] == algo
    assert read_metrics(run / "metrics.jsonl")
    assert list((run / "tensorboard").glob("events*"))
    report = json.loads((run / "evaluation.json").read_text())
    assert [agent["name"] for agent in report["agents"]] == ["random", "greedy", "run"]
    with Image.open(run / "learning_curve.png") as image:
        assert min(image.size) > 400
    episode = read_episode(run / "episode.json")
    assert verify(episode).actions == episode.actions
    assert (episode.agent, episode.score) == ("run", report["agents"][2]["games"][0]["score"])
    assert episode.policy is not None
    assert episode.policy.measure == ("value" if "DQN" in algo else "probability")
    agent = load_agent(str(run))
    assert agent.env_kwargs["mask"] == "canonical"
    assert checkpoints(run / "checkpoints")[-1] == run / "checkpoints" / "000000000256"
    assert sorted(path.name for path in run.iterdir()) == [
        ".lock", "checkpoints", "config.yaml", "episode.json", "evaluation.json",
        "learning_curve.csv", "learning_curve.png", "metrics.jsonl", "model.zip", "tensorboard",
    ]  # fmt: skip


def test_evaluations_checkpoints_and_figures(tmp_path: Path) -> None:
    run = trained(tmp_path, tmp_path / "run", eval_freq=128, eval_deals="dev:2")
    rows = read_metrics(run / "metrics.jsonl")
    evaluated = [row["step"] for row in rows if "eval/score" in row]
    assert evaluated == [128]  # the end has an evaluation of its own
    assert {row["step"] for row in rows} == {64, 128, 192, 256}
    scores = [row["rollout/ep_rew_mean"] for row in rows if "rollout/ep_rew_mean" in row]
    assert all(score % 5 == 0 or score > 5 for score in scores)  # scores, not scaled rewards
    names = sorted(path.name for path in (run / "checkpoints").iterdir())
    assert names == ["000000000128", "000000000256"]


def test_the_same_seed_gives_the_same_run_and_another_does_not(tmp_path: Path) -> None:
    runs = [
        trained(tmp_path, tmp_path / name, seed=seed, n_timesteps=128)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert_same_run(runs[0], runs[1])
    with pytest.raises(AssertionError):
        assert_same_run(runs[0], runs[2])


def test_a_run_killed_at_any_moment_goes_on_to_the_same_end(tmp_path: Path) -> None:
    changes = {
        "n_timesteps": 8_192,
        "n_envs": 32,
        "n_steps": 8,
        "save_freq": 512,
        "eval_freq": 2_048,
        "eval_deals": "dev:1",
        "env": {**TINY["env"], "max_episode_steps": 40},
    }
    run = tmp_path / "killed"
    command = [sys.executable, "train.py", "--config", str(write_config(tmp_path, **changes))]
    process = subprocess.Popen(
        [*command, "--run", str(run)], cwd=ROOT, stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )  # fmt: skip
    while len(list((run / "checkpoints").glob("[0-9]*"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not RunFolder(run).finished
    assert not (run / "model.zip").exists()
    result = call("--resume", run)
    assert result.exit_code == 0, result.output
    assert_same_run(run, trained(tmp_path, tmp_path / "whole", **changes))
    again = call("--resume", run)
    assert again.exit_code == 0
    assert "is finished" in again.output


@pytest.mark.parametrize(
    "changes",
    [
        {"normalize": {"gamma": 0.9}},
        {"algo": "A2C", "log_interval": 2},
        {"algo": "DQN", "train_freq": 4, "batch_size": 16, "learning_starts": 100},
    ],
    ids=["normalized", "A2C", "DQN"],
)
def test_a_stopped_run_goes_on_to_the_same_end(
    changes: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = dict(TINY) | changes
    if changes.get("algo") in ("A2C", "DQN"):
        base = {key: value for key, value in base.items() if key != "n_epochs"}
    if changes.get("algo") == "A2C":
        del base["batch_size"]
    if changes.get("algo") == "DQN":
        base = {**base, "buffer_size": 1000}
        del base["n_steps"], base["policy_kwargs"]
    file = tmp_path / "c.yaml"
    file.write_text(yaml.safe_dump(base))
    assert call("--config", file, "--run", tmp_path / "whole").exit_code == 0

    def stop_at_150(bar: callbacks.ProgressBar) -> bool:
        if bar.model.num_timesteps >= 150:
            raise KeyboardInterrupt
        return True

    with monkeypatch.context() as patch:
        patch.setattr(callbacks.ProgressBar, "_on_step", stop_at_150)
        stopped = call("--config", file, "--run", tmp_path / "stopped")
    assert stopped.exit_code == 130
    assert "Go on with: python train.py --resume" in stopped.output
    assert call("--resume", tmp_path / "stopped").exit_code == 0
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


def test_a_run_killed_before_its_first_checkpoint_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: callbacks.ProgressBar) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(callbacks.ProgressBar, "_on_step", stop)
        assert call("--config", write_config(tmp_path), "--run", tmp_path / "a").exit_code == 130
    assert call("--resume", tmp_path / "a").exit_code == 0
    assert_same_run(tmp_path / "a", trained(tmp_path, tmp_path / "b"))


def test_half_written_files_do_no_harm(tmp_path: Path) -> None:
    run = trained(tmp_path, tmp_path / "run")
    (run / "evaluation.json").unlink()
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 300, "x": 1}\n{"step": 3')
    (run / "checkpoints" / ".writing").mkdir()
    (run / "checkpoints" / "000000000999").mkdir()
    assert call("--resume", run).exit_code == 0
    assert max(row["step"] for row in read_metrics(run / "metrics.jsonl")) == 256


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with moved_into_place(target) as path:
        path.write_text("old")

    def fail_half_way() -> None:
        with moved_into_place(target) as path:
            path.write_text("ne")
            raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - the test raises it itself
        fail_half_way()
    assert target.read_text() == "old"
    with moved_into_place(target) as path:
        path.write_text("new")
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
    assert target.read_text() == "new"


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path) -> None:
    result = call("--config", write_config(tmp_path, learning_rate=1e30), "--run", tmp_path / "run")
    assert result.exit_code == 1
    assert "not finite" in result.output
    assert "lower learning_rate" in result.output
    assert not (tmp_path / "run" / "model.zip").exists()
    for checkpoint in (tmp_path / "run" / "checkpoints").glob("[0-9]*"):
        model = MaskablePPO.load(checkpoint / "model.zip")
        assert all(bool(torch.isfinite(p).all()) for p in model.policy.parameters())


def test_settings_on_the_command_line(tmp_path: Path) -> None:
    result = call(
        "--config", write_config(tmp_path), "--run", tmp_path / "run",
        "--set", "n_timesteps=64", "env.mask=legal", "--set", "seed=5",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    config = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())
    assert (config["n_timesteps"], config["env"]["mask"], config["seed"]) == (64, "legal", 5)
    assert config["env"]["takebacks"] is False


def test_open_stock_is_never_ranked_with_hidden(tmp_path: Path) -> None:
    run = trained(
        tmp_path, tmp_path / "run", n_timesteps=64,
        env={"observation": "cards", "stock": "open", "max_episode_steps": 60},
    )  # fmt: skip
    report = json.loads((run / "evaluation.json").read_text())
    assert [agent["name"] for agent in report["agents"]] == ["run"]


def test_mistakes_are_one_line_and_exit_code_2(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    full = tmp_path / "full"
    full.mkdir()
    (full / "something").touch()
    started = tmp_path / "started"
    started.mkdir()
    (started / "config.yaml").touch()
    for words, message in [
        ([], "give --config FILE to train, or --resume RUN"),
        (["--config", tmp_path / "none.yaml"], "cannot read config"),
        (["--config", config, "--set", "n_step=3"], "did you mean n_steps?"),
        (["--config", config, "--run", full], "is not empty; name another folder"),
        (["--config", config, "--run", started], "holds a run already; continue it with --resume"),
        (["--config", config, "--run", config / "x"], "cannot write to"),
        (["--resume", tmp_path / "none"], "is no run"),
        (["--resume", full], "is no run"),
        (["--resume", full, "--set", "seed=1"], "--resume takes everything from the run"),
    ]:
        result = call(*words)
        assert result.exit_code == 2, words
        assert result.output.startswith("Error: ")
        assert message in result.output
        assert result.output.count("\n") == 1


def test_runs_without_a_name_get_one(tmp_path: Path) -> None:
    assert free_folder(tmp_path, "quick") == tmp_path / "quick"
    (tmp_path / "quick").mkdir()
    (tmp_path / "quick-2").mkdir()
    assert free_folder(tmp_path, "quick") == tmp_path / "quick-3"


def test_a_missing_extra_is_one_sentence(tmp_path: Path) -> None:
    blocker = tmp_path / "sitecustomize.py"
    blocker.write_text("import sys\nsys.modules['torch'] = None\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "train.py", "--help"], cwd=ROOT, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        'Training needs torch, which is not installed: pip install "qv-env[train]"\n'
    )


def test_metrics_hold_null_for_what_is_no_number(tmp_path: Path) -> None:
    run = trained(tmp_path, tmp_path / "run", n_timesteps=64)
    for row in read_metrics(run / "metrics.jsonl"):
        assert all(value is None or math.isfinite(value) for value in row.values())
