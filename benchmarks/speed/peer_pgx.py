"""pgx's 2048 on the CPU, compiled, with autoreset."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import jax
import pgx
from answering import PeerRow, answer
from pgx.experimental import auto_reset

SIZES = (1024, 4096)


def stepper(games: int) -> Callable[[], float]:
    """Return a function that makes a random legal action in every game."""
    env = pgx.make("2048")
    advance = jax.jit(jax.vmap(auto_reset(env.step, env.init)))

    def draw(key: jax.Array, mask: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        key, for_actions, for_steps = jax.random.split(key, 3)
        logits = jax.numpy.where(mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(for_actions, logits, axis=-1)
        return key, actions, jax.random.split(for_steps, games)

    choose = jax.jit(draw)
    key = jax.random.key(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, games))

    def step() -> float:
        nonlocal key, state
        key, actions, keys = jax.block_until_ready(choose(key, state.legal_action_mask))
        begin = time.perf_counter()
        state = jax.block_until_ready(advance(state, actions, keys))
        return time.perf_counter() - begin

    return step


if __name__ == "__main__":
    answer(
        [
            PeerRow(
                f"pgx_{games}", "pgx 2048, jit", games, "all", functools.partial(stepper, games)
            )
            for games in SIZES
        ],
        ["pgx", "jax", "numpy"],
    )
