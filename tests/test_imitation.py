"""Learning from the planner: its labels, the samples on disk, and runs that begin with it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

pytest.importorskip("stable_baselines3")

import torch

import train
from agents.deal_lists import parse_deals
from agents.evaluate import play_deals
from agents.greedy import GreedyAgent
from agents.imitation import learning
from agents.imitation.samples import Samples
from agents.imitation.teacher import NOTHING, Teacher
from agents.training.metrics import read_metrics
from qv_env import QuaranteVoleursVectorEnv, read_observation
from qv_env.sizes import FULL
from tests.tiny_runs import TINY, assert_same_run, call, weights

pytestmark = pytest.mark.usefixtures("torch_as_before")

NODES = 60
PLAYING_NODES = 200
GAMES = 24
CARDS = {"observation": "cards", "mask": "canonical", "takebacks": False}
TINY_IMITATION: dict[str, Any] = {
    **{key: value for key, value in TINY.items() if key not in ("policy_kwargs", "env")},
    "policy": "agents.training.card_policy:CardPolicy",
    "policy_kwargs": {
        "features_extractor_kwargs": {"card_width": 4, "column_width": 4, "table_width": 8},
        "net_arch": [8],
    },
    "env": {**CARDS, "max_episode_steps": 60},
    "save_freq": 64,
    "imitation": {
        "n_timesteps": 300,
        "n_envs": 8,
        "n_steps": 4,
        "nodes": NODES,
        "max_episode_steps": 20,
        "buffer_size": 1000,
        "batch_size": 16,
        "value_warmup": 64,
    },
}


class TeacherAgent:
    """The teacher as a player; where it has nothing to say, the first action allowed."""

    name = "teacher"
    env_kwargs = CARDS

    def reset(self, seeds: Any, rows: Any = None) -> None:
        if rows is None:
            self.teacher = Teacher(len(seeds), PLAYING_NODES)
        else:
            self.teacher.forget(rows)

    def act(self, observations: Any, action_masks: Any) -> Any:
        labels = self.teacher.label(observations, action_masks)
        actions = np.where(labels == NOTHING, action_masks.argmax(1), labels)
        self.teacher.follow(labels, actions)
        return actions


def test_the_teacher_plays_better_than_greedy() -> None:
    deals = parse_deals(["dev:30"])
    ours, greedy = (
        np.mean([game.score for game in play_deals(agent, deals)])
        for agent in (TeacherAgent(), GreedyAgent())
    )
    assert ours > greedy


def test_labels_are_allowed_and_depend_on_the_position_alone() -> None:
    env = QuaranteVoleursVectorEnv(GAMES, **CARDS)
    observations, infos = env.reset(seed=0)
    teacher, rng = Teacher(GAMES, NODES), np.random.default_rng(0)
    for _ in range(60):
        masks = infos["action_mask"]
        labels = teacher.label(observations, masks)
        rows = np.flatnonzero(labels != NOTHING)
        assert masks[rows, labels[rows]].all()
        again = Teacher(GAMES, NODES).label(observations, masks)
        assert np.array_equal(labels, again)
        actions = (rng.random(masks.shape) * masks).argmax(1)
        teacher.follow(labels, actions)
        observations, *_, infos = env.step(actions)
    assert len(rows) > 0


def test_a_plan_that_wins_is_kept_while_it_is_followed() -> None:
    observations, masks = almost_won()
    teacher = Teacher(1, NODES)
    label = teacher.label(observations, masks)
    assert teacher.plans["length"][0] == 2
    teacher.follow(label, label)
    teacher.label(observations, masks)
    assert teacher.plans["next"][0] == 2
    other = label + 1
    teacher.follow(label, other)
    assert teacher.plans["length"][0] == 0


def almost_won() -> tuple[Any, Any]:
    """Return a position two moves before a win, and a mask that allows everything."""
    env = QuaranteVoleursVectorEnv(1, **CARDS)
    observations, _ = env.reset(seed=0)

    row = read_observation(observations)[0]
    for name in ("columns", "heights", "waste", "waste_count", "stock_count"):
        row[name] = 0
    row["foundations"] = 13
    row["foundations"][0], row["foundations"][1] = 12, 12
    row["columns"][0, 0], row["columns"][1, 0] = 13, 26
    row["heights"][:2] = 1
    return observations, np.ones((1, FULL.actions), np.int8)


def test_samples_come_back_as_they_were_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    samples = Samples(tmp_path / "s.bin", 50)
    observations = rng.integers(0, 53, (70, 248)).astype(np.uint8)
    masks = rng.integers(0, 2, (70, FULL.actions)).astype(np.int8)
    labels = np.arange(70)
    for first in (0, 35):
        samples.add(*(part[first : first + 35] for part in (observations, masks, labels)))
    assert (len(samples), samples.written) == (50, 70)
    reopened = Samples(tmp_path / "s.bin", 50, 70)
    batch = reopened.draw(400, rng)
    assert set(batch.labels.tolist()) == set(range(20, 70))  # the first 20 were written over
    assert np.array_equal(batch.observations, observations[batch.labels])
    assert np.array_equal(batch.masks, masks[batch.labels] == 1)


def write(folder: Path, **changes: Any) -> Path:
    file = folder / "tiny.yaml"
    imitation = {**TINY_IMITATION["imitation"], **changes.pop("imitation", {})}
    file.write_text(yaml.safe_dump({**TINY_IMITATION, **changes, "imitation": imitation}))
    return file


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    result = call("--config", write(folder), "--run", folder / "run")
    assert result.exit_code == 0, result.output
    return folder / "run"


def test_a_run_that_begins_with_imitation(whole: Path) -> None:
    names = {path.name for path in (whole / "imitation").iterdir()}
    assert names == {"metrics.jsonl", "model.zip", "state.pt", "tensorboard"}
    rows = read_metrics(whole / "imitation" / "metrics.jsonl")
    assert rows[-1]["step"] >= 300
    assert {"imitation/accuracy", "imitation/loss", "time/plies_per_second"} <= rows[-1].keys()
    learnt = read_metrics(whole / "metrics.jsonl")
    assert learnt[-1]["step"] == 256
    assert learnt[0]["time/hours"] > rows[-1]["time/hours"]
    figures = {key for row in learnt for key in row}
    assert {
        "rollout/score", "rollout/win_rate", "rollout/foundation_cards", "rollout/plies",
        "rollout/illegal_share", "time/plies_per_second", "time/share_playing",
        "time/share_learning",
    } <= figures  # fmt: skip
    table = (whole / "learning_curve.csv").read_text().splitlines()
    assert table[0].startswith("part,plies,hours,training_score")
    assert {line.split(",")[0] for line in table[1:]} == {"imitation", "algorithm"}
    report = yaml.safe_load((whole / "evaluation.json").read_text())
    assert report["agents"][-1]["name"] == "run"


def test_only_the_value_learns_at_first(tmp_path: Path) -> None:
    run = tmp_path / "run"
    changes = {"n_timesteps": 128, "imitation": {"value_warmup": 128}}
    assert call("--config", write(tmp_path, **changes), "--run", run).exit_code == 0
    before = torch.load(run / "imitation" / "state.pt", weights_only=False)["policy"]
    after = weights(run)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all("value_net" in name for name in changed)


def test_ratings_are_divided_once_however_often_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    changes = {"n_timesteps": 128, "imitation": {"value_warmup": 128, "temperature": 0.5}}

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(train, "learn", stop)
        assert call("--config", write(tmp_path, **changes), "--run", run).exit_code == 130
    assert call("--resume", run).exit_code == 0
    before = torch.load(run / "imitation" / "state.pt", weights_only=False)["policy"]
    after = weights(run)
    for name in before:
        if name.startswith("action_net"):
            assert torch.equal(after[name], 2 * before[name])
        elif "value_net" not in name:
            assert torch.equal(after[name], before[name])


@pytest.mark.parametrize("rounds", [2, 7])
def test_imitation_that_is_stopped_goes_on_to_the_same_end(
    rounds: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, played = tmp_path / "run", []
    original = learning.Imitation.round

    def stop(imitation: learning.Imitation) -> dict[str, float]:
        played.append(1)
        if len(played) > rounds:
            raise KeyboardInterrupt
        return original(imitation)

    with monkeypatch.context() as patch:
        patch.setattr(learning.Imitation, "round", stop)
        stopped = call("--config", write(tmp_path), "--run", run)
    assert stopped.exit_code == 130
    assert "--resume" in stopped.output
    result = call("--resume", run)
    assert result.exit_code == 0, result.output
    assert_same_run(run, whole)


def test_a_full_disk_is_one_line_and_loses_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    run = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full, raising=False)
        result = call("--config", write(tmp_path), "--run", run)
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == (
        f"Error: cannot write {run}: No space left on device; what the run has saved is whole: "
        f"when there is room, go on with: python train.py --resume {run}"
    )
    assert call("--resume", run).exit_code == 0
    assert_same_run(run, whole)


def test_a_loss_that_is_no_number_stops_imitation(tmp_path: Path) -> None:
    changes = {"imitation": {"learning_rate": 1e30, "n_timesteps": 2000}}
    result = call("--config", write(tmp_path, **changes), "--run", tmp_path / "run")
    assert result.exit_code == 1
    assert "the loss is not finite" in result.output
    assert "imitation.learning_rate" in result.output


def test_a_state_that_cannot_be_used_is_one_line(whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "imitation").mkdir(parents=True)
    (run / "config.yaml").write_text((whole / "config.yaml").read_text())
    (run / "imitation" / "state.pt").write_bytes(b"garbage")
    result = call("--resume", run)
    assert result.exit_code == 2
    assert "state.pt cannot be used" in result.output
    assert f"remove {run / 'imitation'} to learn from the planner anew" in result.output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"env": {**CARDS, "takebacks": True}}, "imitation needs env.takebacks: false"),
        ({"env": {**CARDS, "observation": "features"}}, "imitation needs env.observation: cards"),
        ({"imitation": {"nodes": 1}}, "imitation.nodes"),
        ({"imitation": {"buffer_size": 4}}, "buffer_size should be at least n_envs times n_steps"),
        ({"imitation": {"teacher": 1}}, "unknown key imitation.teacher"),
        ({"policy": "MlpPolicy", "policy_kwargs": {}}, "imitation needs a policy derived from"),
    ],
)
def test_mistakes_in_the_config(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    result = call("--config", write(tmp_path, **changes), "--run", tmp_path / "run")
    assert result.exit_code == 2
    assert message in result.output
