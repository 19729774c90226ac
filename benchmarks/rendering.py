"""How many positions a second become text and pictures, on one thread.

Draws the positions of one random game again and again, and prints the median of several rounds.
Run it with ``python benchmarks/rendering.py``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from qv_env import engine
from qv_env.actions import NUM_ACTIONS
from qv_env.deals import Deal
from qv_env.mask import write_mask
from qv_env.render import FRAME_SHAPE, render_rgb, render_text
from qv_env.replay import Replay

DEAL = "FT1-N-AAAAAAV"
PLIES = 300
ROUNDS = 7


def main() -> None:
    """Measure and print."""
    replay = random_replay(Deal.from_code(DEAL), plies=PLIES)
    frame = np.empty(FRAME_SHAPE, dtype=np.uint8)
    tasks: dict[str, Callable[[Any], Any]] = {
        "text": lambda state: render_text(state, deal=DEAL),
        "picture, new array": lambda state: render_rgb(state, deal=DEAL),
        "picture, same array": lambda state: render_rgb(state, deal=DEAL, out=frame),
    }
    height, width, _ = FRAME_SHAPE
    print(f"{len(replay.states)} positions of {DEAL}; pictures of {width} x {height} pixels")
    for name, draw in tasks.items():
        rates = [positions_a_second(draw, replay.states) for _ in range(ROUNDS + 1)][1:]
        spread = f"{min(rates):,.0f} to {max(rates):,.0f}"
        print(f"{name:20} {statistics.median(rates):8,.0f} a second ({ROUNDS} rounds: {spread})")


def random_replay(deal: Deal, *, plies: int) -> Replay:
    """Return a game of random legal actions."""
    state = engine.new_state()
    engine.deal(state, deal.cards)
    start, rng = state.copy(), np.random.default_rng(0)
    actions: list[int] = []
    mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
    for _ in range(plies):
        write_mask(state, mask)
        if not mask.any():
            break
        actions.append(int(rng.choice(np.flatnonzero(mask))))
        engine.apply(state, actions[-1])
    return Replay.play(start, actions, deal=deal.code)


def positions_a_second(draw: Callable[[Any], Any], states: Any) -> float:
    """Return how many states a second `draw` gets through."""
    start = time.perf_counter()
    for state in states:
        draw(state)
    return len(states) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
