"""Training runs of a second or two, by the command itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import yaml
from click.testing import CliRunner, Result
from stable_baselines3.common.save_util import load_from_zip_file

import train
from agents.training.metrics import read_metrics
from agents.training.run_folder import RunFolder

TINY: dict[str, Any] = {
    "algo": "MaskablePPO",
    "n_timesteps": 256,
    "env": {"mask": "canonical", "takebacks": False, "max_episode_steps": 60},
    "n_envs": 4,
    "n_steps": 16,
    "batch_size": 32,
    "n_epochs": 1,
    "learning_rate": "lin_1e-3",
    "reward_scale": 0.1,
    "policy_kwargs": {
        "features_extractor_class": "agents.training.networks:ScaledTrunk",
        "features_extractor_kwargs": {"features_dim": 8},
        "net_arch": [8],
    },
    "device": "cpu",
    "save_freq": 128,
    "final_deals": "dev:1",
}


def write_config(folder: Path, **changes: Any) -> Path:
    file = folder / "tiny.yaml"
    file.write_text(yaml.safe_dump({**TINY, **changes}))
    return file


def call(*words: object) -> Result:
    return CliRunner().invoke(train.main, [str(word) for word in words])


def trained(folder: Path, run: Path, **changes: Any) -> Path:
    result = call("--config", write_config(folder, **changes), "--run", run)
    assert result.exit_code == 0, result.output
    return run


def weights(run: Path) -> dict[str, torch.Tensor]:
    _, parameters, _ = load_from_zip_file(run / "model.zip", device="cpu")
    policy: dict[str, torch.Tensor] = parameters["policy"]
    return policy


def assert_same_run(run: Path, other: Path) -> None:
    """Assert that two runs ended alike, and logged the same figures but for times."""
    ours, theirs = weights(run), weights(other)
    assert ours.keys() == theirs.keys()
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name
    figures = [
        [
            {key: value for key, value in row.items() if not key.startswith("time/")}
            for row in read_metrics(RunFolder(path).metrics)
        ]
        for path in (run, other)
    ]
    assert figures[0] == figures[1]
