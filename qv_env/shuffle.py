"""Random numbers for dealing, specified in full so that any language can deal the same games.

The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014): a 64-bit counter that advances by a fixed odd step, and a finalizer.
`docs/deals.md` spells out the shuffle and the stream of episodes with worked values.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env.jit import kernel

STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2: Final = np.uint64(0x94D049BB133111EB)
_LOW_32: Final = np.uint64(0xFFFFFFFF)
_TWO_32: Final = np.uint64(1 << 32)
_TWO_64_MINUS_1: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def mix(counter: Any) -> Any:
    """Return SplitMix64's output for a counter that has already advanced (uint64)."""
    z = np.uint64(counter)
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@kernel
def shuffle(seed: Any, cards: Any, first: int) -> None:
    """Shuffle ``cards[first:]`` in place by Fisher-Yates, all orders equally likely.

    Args:
        seed: Where the generator starts (uint64); for a deal it is the deal's number.
        cards: Card codes, shape ``(n,)`` with n < 2^32.
        first: Cards before this index stay where they are.
    """
    counter = np.uint64(seed)
    for i in range(cards.shape[0] - 1, first, -1):
        bound = np.uint64(i + 1 - first)
        rejected_below = _TWO_32 % bound
        while True:
            counter += STEP
            product = (mix(counter) >> np.uint64(32)) * bound
            # Without this test the first few values of each remainder would come up more often.
            if (product & _LOW_32) >= rejected_below:
                break
        j = first + np.int64(product >> np.uint64(32))
        cards[i], cards[j] = cards[j], cards[i]


@kernel
def fill_deck(cards: Any) -> None:
    """Write an unshuffled deck, two copies one after the other, into ``cards`` (uint8, even n)."""
    half = cards.shape[0] // 2
    for k in range(half):
        cards[k] = k + 1
        cards[half + k] = k + 1


@kernel
def episode_deal(seed: Any, episode: Any, first: int, count: int) -> Any:
    """Return the deal number of an episode: a pure function of its arguments.

    Args:
        seed: The seed of the environment (uint64).
        episode: Which episode since that seed was set (uint64).
        first: First deal number of the split.
        count: Number of deals in the split.

    Returns:
        A deal number in ``[first, first + count)``, all equally likely.
    """
    size = np.uint64(count)
    rejected_from = _TWO_64_MINUS_1 - (_TWO_64_MINUS_1 % size + np.uint64(1)) % size
    value = mix(mix(np.uint64(seed) + STEP) + (np.uint64(episode) + np.uint64(1)) * STEP)
    while value > rejected_from:
        value = mix(value + STEP)
    return first + np.int64(value % size)
