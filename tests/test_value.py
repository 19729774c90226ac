"""The network that judges where playouts stop, against torch, and the script that trains it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.search import value
from qv_env import QuaranteVoleursEnv

torch = pytest.importorskip("torch", reason="torch is in the extra [train]")
ROOT = Path(__file__).parents[1]


def by_torch(net: Any, inputs: Any) -> Any:
    """Return both outputs, worked out by torch with 64-bit numbers."""
    x = (torch.tensor(inputs) - torch.tensor(net["mean"])) * torch.tensor(net["scale"])
    x = x.double()
    for layer in "123":
        weight, bias = (torch.tensor(net[name + layer]).double() for name in ("weight", "bias"))
        x = x @ weight + bias
        if layer != "3":
            x = x.relu()
    return x.sigmoid().numpy()


def test_the_kernel_agrees_with_torch() -> None:
    net, room = value.load_net(), np.zeros(1, value.LAYERS)[0]
    facts = np.zeros(value.INPUTS - 1)
    env = QuaranteVoleursEnv()
    _, info = env.reset(seed=5)
    rng, seen = np.random.default_rng(5), set()
    for _ in range(200):
        foreseen = value.foresee(env.state, net, facts, room)
        assert foreseen == pytest.approx(by_torch(net, room["inputs"]), abs=1e-5)
        seen.add(foreseen)
        legal = np.flatnonzero(info["action_mask"])
        _, _, terminated, _, info = env.step(int(rng.choice(legal)))
        if terminated:
            break
    assert len(seen) > 100


def test_the_stock_is_not_looked_at() -> None:
    net, room = value.load_net(), np.zeros(1, value.LAYERS)[0]
    facts = np.zeros(value.INPUTS - 1)
    env = QuaranteVoleursEnv()
    env.reset(seed=5)
    state = env.state.copy()
    before = value.foresee(state, net, facts, room)
    state["stock"][:] = state["stock"][::-1].copy()
    assert value.foresee(state, net, facts, room) == before


def test_a_file_that_lacks_something_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "net.npz", mean=np.zeros(3, np.float32))
    with pytest.raises(ValueError, match=r"does not hold mean of shape \(26,\)"):
        value.load_net(tmp_path / "net.npz")


def test_training_writes_a_network_that_loads(tmp_path: Path) -> None:
    out = tmp_path / "net.npz"
    options = ["--games", "500", "--nodes", "20", "--epochs", "1", "--threads", "1"]
    ran = subprocess.run(
        [sys.executable, "scripts/train_value.py", *options, "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "positions of held-out deals" in ran.stdout
    trained = value.load_net(out)
    assert all(np.all(np.isfinite(trained[name])) for name in value.NET.names or ())
