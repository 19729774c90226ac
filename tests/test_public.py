"""Rebuilding a state from what is public."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from qv_env import CARDS_DTYPE, QuaranteVoleursEnv, read_observation, rebuild_state
from qv_env.public import OPEN_CARDS_DTYPE
from tests import play, reference, strategies

PUBLIC = ("score", "stock_count", "waste_count", "heights", "foundations", "columns", "waste")


@given(strategies.tables())
def test_a_state_is_rebuilt_but_for_the_order_of_the_stock(table: play.Table) -> None:
    observation = np.frombuffer(reference.cards_observation(table.game, 77), np.uint8)
    rng = np.random.default_rng(0)
    for source in (table.state, observation):
        state = rebuild_state(source, rng)
        for name in (*PUBLIC, "unseen", "tops", "wants"):
            assert np.array_equal(state[name], table.state[name]), name
        assert sorted(state["stock"].tolist()) == sorted(table.state["stock"].tolist())
        drawn = 64 - int(state["stock_count"])
        assert not state["stock"][:drawn].any()
    assert rebuild_state(table.state, rng)["moves"] == table.state["moves"]
    assert rebuild_state(observation, rng)["moves"] == 0


def test_hidden_cards_come_in_many_orders_and_never_from_the_state() -> None:
    env = QuaranteVoleursEnv()
    observation, _ = env.reset(seed=21)
    orders = [
        rebuild_state(source, np.random.default_rng(seed))["stock"].tobytes()
        for seed in range(50)
        for source in (env.state, observation)
    ]
    assert len(set(orders)) == 50
    assert orders[::2] == orders[1::2]
    assert env.state["stock"].tobytes() not in orders
    firsts = {order[0] for order in orders}
    assert len(firsts) > 20


def test_an_open_stock_is_kept() -> None:
    env = QuaranteVoleursEnv(stock="open")
    env.reset(seed=21)
    observation = env.step(0)[0]
    state = rebuild_state(observation, np.random.default_rng(0))
    assert state["stock"].tolist() == env.state["stock"].tolist()


def test_named_fields_cover_every_byte_once() -> None:
    for dtype in (CARDS_DTYPE, OPEN_CARDS_DTYPE):
        covered = np.zeros(dtype.itemsize, np.int64)
        for field, start in dtype.fields.values():  # type: ignore[union-attr]
            covered[start : start + field.itemsize] += 1
        assert (covered == 1).all()


def test_batches_are_read_by_name() -> None:
    observation, _ = QuaranteVoleursEnv().reset(seed=21)
    batch = read_observation(np.stack([observation] * 6).reshape(2, 3, -1))
    assert batch.shape == (2, 3)
    assert (batch["plies_left"] == 1000).all()
    assert batch["columns"].shape == (2, 3, 10, 16)


@pytest.mark.parametrize("shape", [(), (247,), (3, 589)])
def test_other_arrays_are_errors(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="last axis of 248 or 312"):
        read_observation(np.zeros(shape, np.uint8))
    with pytest.raises(ValueError, match="uint8"):
        rebuild_state(np.zeros(248, np.int64), np.random.default_rng(0))
