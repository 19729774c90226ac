"""The small networks of search: the kernel against torch, their file, and what they may see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.search import network
from agents.search.player import LEARNED_FILE, new_player
from agents.search.value import foresee
from qv_env import QuaranteVoleursEnv

torch = pytest.importorskip("torch", reason="torch is in the extra [train]")


def by_torch(net: Any, inputs: Any) -> Any:
    """Return both outputs, worked out by torch with 64-bit numbers."""
    x = (torch.tensor(inputs) - torch.tensor(net["mean"])) * torch.tensor(net["scale"])
    x = x.double()
    for layer in "123":
        weight, bias = (torch.tensor(net[name + layer]).double() for name in ("weight", "bias"))
        x = x @ weight + bias
        if layer != "3":
            x = x.relu()
    return x.numpy()


@pytest.mark.parametrize("name", ["ranking", "value"])
def test_the_kernel_agrees_with_torch(name: str) -> None:
    net, room = network.read_net(LEARNED_FILE, name), np.zeros(1, network.LAYERS)[0]
    env = QuaranteVoleursEnv()
    _, info = env.reset(seed=5)
    rng, seen = np.random.default_rng(5), set()
    for _ in range(200):
        answer = network.ask(env.state, net, room)
        assert answer == pytest.approx(by_torch(net, room["inputs"]), abs=1e-4)
        seen.add(answer)
        legal = np.flatnonzero(info["action_mask"])
        _, _, terminated, _, info = env.step(int(rng.choice(legal)))
        if terminated:
            break
    assert len(seen) > 100


def test_the_stock_is_not_looked_at() -> None:
    net, room = network.read_net(LEARNED_FILE, "value"), np.zeros(1, network.LAYERS)[0]
    env = QuaranteVoleursEnv()
    env.reset(seed=5)
    state = env.state.copy()
    before = foresee(state, net, room)
    state["stock"][:] = state["stock"][::-1].copy()
    assert foresee(state, net, room) == before
    assert all(0 < share < 1 for share in before)


def test_a_file_keeps_the_networks_that_it_holds(tmp_path: Path) -> None:
    file, net = tmp_path / "learned.npz", network.read_net(LEARNED_FILE, "value")
    network.write_net(file, "value", net)
    network.write_net(file, "ranking", network.read_net(LEARNED_FILE, "ranking"))
    assert network.read_net(file, "value") == net
    assert new_player(learned=file)["ranking"] == network.read_net(LEARNED_FILE, "ranking")


def test_a_file_that_lacks_something_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "net.npz", **{"value.mean": np.zeros(3, np.float32)})
    with pytest.raises(ValueError, match=r"does not hold value\.mean of shape \(26,\)"):
        network.read_net(tmp_path / "net.npz", "value")
