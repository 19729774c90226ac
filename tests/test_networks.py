"""The small networks of search: the kernel against torch, their file, and what they may see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.search import closure, network, value
from agents.search.moves import make_safe_moves
from agents.search.player import LEARNED_FILE, new_player
from agents.search.playout import copy_state
from agents.search.ranking import HAND_WORTH, RANK_WORTH, RESULT_SCALE, search_exit
from agents.search.value import foresee
from qv_env import QuaranteVoleursEnv
from qv_env.actions import DRAW
from qv_env.deals import Deal
from qv_env.engine import apply, deal, new_state

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


def test_the_value_kernel_agrees_with_torch() -> None:
    net, room = network.read_net(LEARNED_FILE, "value", value.NET), np.zeros(1, network.LAYERS)[0]
    env = QuaranteVoleursEnv()
    _, info = env.reset(seed=5)
    rng, seen = np.random.default_rng(5), set()
    for _ in range(200):
        answer = value.foresee(env.state, net, room)
        expected = 1 / (1 + np.exp(-by_torch(net, room["inputs"][: value.INPUTS])))
        assert answer == pytest.approx(expected, abs=1e-5)
        seen.add(answer)
        legal = np.flatnonzero(info["action_mask"])
        _, _, terminated, _, info = env.step(int(rng.choice(legal)))
        if terminated:
            break
    assert len(seen) > 100


def test_the_ranking_kernel_agrees_with_torch() -> None:
    player, room = new_player(nodes=100), closure.workspace(100)[0]
    net, state, ranked = player["ranking"], new_state(), 0
    deal(state, Deal.from_number(5).cards)
    actions = np.zeros(64, np.int16)
    while state["stock_count"] > 20:
        make_safe_moves(state, actions, 0)
        best = search_exit(room, state, player, 100)
        count = int(room["arm_count"])
        alone = room["arm_inputs"][:count]
        if count > 1:
            expected = by_torch(net, np.hstack([alone, alone - alone.mean(axis=0)]))
            ranks = expected[:, 0] + room["best"][room["arms"][:count]] * HAND_WORTH
            estimates = expected[:, 1] / RESULT_SCALE + ranks * RANK_WORTH
            assert room["ranks"][:count] == pytest.approx(ranks, abs=1e-3)
            assert room["estimates"][:count] == pytest.approx(estimates, abs=1e-4)
            assert room["arms"][room["ranks"][:count].argmax()] == best
            ranked += 1
        copy_state(state, room["states"][best])
        apply(state, DRAW)
    assert ranked > 5


def test_the_stock_is_not_looked_at() -> None:
    net, room = network.read_net(LEARNED_FILE, "value", value.NET), np.zeros(1, network.LAYERS)[0]
    env = QuaranteVoleursEnv()
    env.reset(seed=5)
    state = env.state.copy()
    before = foresee(state, net, room)
    state["stock"][:] = state["stock"][::-1].copy()
    assert foresee(state, net, room) == before
    assert all(0 < share < 1 for share in before)


def test_a_file_keeps_the_networks_that_it_holds(tmp_path: Path) -> None:
    file, player = tmp_path / "learned.npz", new_player()
    network.write_net(file, "value", player["value"])
    network.write_net(file, "ranking", player["ranking"])
    copied = new_player(learned=file)
    assert copied["value"] == player["value"]
    assert copied["ranking"] == player["ranking"]


def test_a_file_that_lacks_something_is_refused(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"value.mean": np.zeros(3, np.float32)}
    np.savez(tmp_path / "net.npz", **arrays)
    with pytest.raises(ValueError, match=r"does not hold value\.mean of shape \(26,\)"):
        network.read_net(tmp_path / "net.npz", "value", value.NET)


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "net.npz"
    file.write_bytes(LEARNED_FILE.read_bytes()[:5000])
    with pytest.raises(ValueError, match=r"net\.npz is no file of networks"):
        new_player(learned=file)
