"""Expert iteration: a small run from start to end, stopped and continued."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.chance import mix
from agents.search import closure
from agents.search.moves import make_safe_moves
from agents.search.player import new_player
from agents.search.playout import copy_state
from agents.search.ranking import search_exit
from agents.search.sampling import playout_result
from qv_env import engine
from qv_env.deals import Deal, split_numbers

pytest.importorskip("torch", reason="torch is in the extra [train]")

from agents.expert.config import FitConfig
from agents.expert.lessons import lessons
from agents.expert.ranking_fit import Decisions, fit_ranking, inputs_of
from agents.expert.shards import Shards

ROOT = Path(__file__).parents[1]
SMALL = new_player(learned=None, nodes=60, playout_nodes=20, candidates=8, worlds=2, horizon=4)
TINY = (
    "rounds=1",
    "processes=1",
    "outcomes.games=30",
    "outcomes.nodes=40",
    "teacher.games=3",
    "teacher.nodes=40",
    "teacher.playout_nodes=20",
    "teacher.worlds=1",
    "teacher.horizon=2",
    "value.epochs=1",
    "ranking.epochs=1",
)


def train(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "train.py", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_run_makes_networks_and_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = train("--config", "configs/expert.yaml", "--run", str(run), "--set", *TINY)
    assert ran.returncode == 0, ran.stderr
    assert "qv evaluate --agent planner:weights=" in ran.stdout.replace("\n", "")
    learned = run / "learned-1.npz"
    first = new_player(learned=learned)
    assert np.isfinite(first["ranking"]["weight1"]).all()
    (figures,) = json.loads((run / "figures.json").read_text())
    assert figures["ranking_decisions"] > 20

    assert "nothing is left" in train("--resume", str(run)).stdout
    learned.unlink()
    (run / "lessons-1" / "00000.npz").unlink()
    (run / "figures.json").unlink()
    again = train("--resume", str(run))
    assert again.returncode == 0, again.stderr
    assert new_player(learned=learned) == first
    assert json.loads((run / "figures.json").read_text()) == [figures]


def test_a_wrong_key_is_named(tmp_path: Path) -> None:
    ran = train("--config", "configs/expert.yaml", "--run", str(tmp_path / "r"), "--set", "round=3")
    assert ran.returncode == 2
    assert ran.stderr.strip() == "Error: unknown key round; did you mean rounds?"
    assert not (tmp_path / "r").exists()


def test_deals_are_train_deals_and_follow_from_the_seed(tmp_path: Path) -> None:
    shards = Shards(tmp_path, 100, 30, (1, 2))
    assert shards.missing() == [0, 1, 2, 3]
    deals = shards.deals(3)
    assert all(int(deal) in split_numbers("train") for deal in deals)
    assert (deals == Shards(tmp_path, 100, 30, (1, 2)).deals(3)).all()
    assert (deals != shards.deals(2)).any()


def test_lessons_are_means_of_playouts() -> None:
    siblings = lessons(np.array([6]), SMALL)
    room, playout_room = (closure.workspace(60)[0] for _ in range(2))
    state = engine.new_state()
    cards = Deal.from_number(6).cards
    engine.deal(state, np.array(cards, np.uint8))
    first = siblings[siblings["decision"] == siblings["decision"][0]]
    for decision in range(int(first["decision"][0]) + 1):
        make_safe_moves(state, room["actions"], 0)
        chosen = search_exit(room, state, SMALL, 60)
        if decision < first["decision"][0]:
            copy_state(state, room["states"][chosen])
            engine.apply(state, 0)
    results = [
        np.mean(
            [
                playout_result(
                    room,
                    playout_room,
                    room["arms"][a],
                    SMALL,
                    mix(6, 2 * int(first["decision"][0]) + k),
                )
                for k in range(2)
            ]
        )
        for a in range(len(first))
    ]
    assert first["result"] == pytest.approx(results)
    assert first["chosen"].sum() == 1


def test_decisions_are_told_apart() -> None:
    siblings = lessons(np.array([6, 7]), SMALL)
    decisions = Decisions(siblings)
    assert decisions.sizes.min() >= 2
    assert decisions.sizes.sum() == len(siblings)
    rows, groups = decisions.rows(np.array([2, 0]))
    assert rows.tolist() == [
        *range(decisions.starts[2], decisions.starts[3]),
        *range(decisions.sizes[0]),
    ]
    assert np.bincount(groups).tolist() == [decisions.sizes[2], decisions.sizes[0]]
    sums = np.add.reduceat(decisions.centred(siblings["result"]), decisions.starts)
    assert np.abs(sums).max() < 1e-5


def test_a_ranking_learns_what_there_is_to_learn() -> None:
    siblings = lessons(np.arange(100, 130), SMALL)
    cards_up = inputs_of(siblings, Decisions(siblings))[:, 0]
    siblings["result"] = cards_up / 100
    config = FitConfig(epochs=30, batch=32, learning_rate=1e-2, weight_decay=1e-3)
    _, figures = fit_ranking(siblings, config, seed=1)
    assert figures["hand_gain"] < figures["preference_gain"]
    assert figures["estimate_correlation"] > 0.9
