"""The programs in `examples` run, and learn."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).parent.parent
MOST_LINES = 250

pytestmark = pytest.mark.usefixtures("torch_as_before")


@pytest.fixture(scope="module")
def ppo() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_ppo", ROOT / "examples" / "ppo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_ppo_learns(ppo: ModuleType) -> None:
    torch.set_num_threads(1)
    words = ["--plies", "48_000", "--games", "64", "--steps", "32", "--learning-rate", "3e-3"]
    training = ppo.Training(ppo.parse_arguments(words))
    assert training.run() > 150  # random play scores about 105
    assert training.plies == 49_152


def test_ppo_counts_what_a_game_that_was_cut_off_was_worth(ppo: ModuleType) -> None:
    rollout = ppo.Rollout(ppo.Settings(steps=2, games=1), width=1, actions=1)
    rollout.rewards[:, 0] = torch.tensor([1.0, 2.0])
    rollout.ends[0, 0] = 1
    rollout.values[:, 0] = torch.tensor([0.5, 0.25])
    rollout.weigh(torch.tensor([4.0]), discount=0.5, trace=1.0)
    assert rollout.advantages[:, 0].tolist() == [0.5, 3.75]


def test_examples_are_short() -> None:
    for file in (ROOT / "examples").glob("*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) < MOST_LINES
