"""Random numbers that depend on a game's seed and a counter, and on nothing else.

Agents that leave something to chance take it from here. A generator with inner state would hand
its numbers out in the order in which games happen to be asked for, and results would depend on the
batch size; a function of (seed, counter) cannot.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numba import uint64

from qv_env.jit import kernel


@kernel
def mix(seed: Any, counter: Any) -> Any:
    """Return output number ``counter`` of SplitMix64 started at ``seed``, as uint64.

    Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    Its state after ``counter + 1`` steps is a sum, so any output can be had without the others.
    """
    z = uint64(seed) + (uint64(counter) + uint64(1)) * uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@kernel
def below(bits: Any, bound: int) -> int:
    """Map 64 random bits to [0, bound); a bound of 269 is biased by less than one in 10^7."""
    return int(((bits >> uint64(32)) * uint64(bound)) >> uint64(32))


def game_seed(seed: int, deal_code: str) -> np.uint64:
    """Return the seed of an agent's choices in one game: a digest of the run's seed and the deal.

    It does not depend on which other deals are played or in which order, and neighbouring seeds
    have nothing in common.
    """
    digest = hashlib.blake2b(f"{seed}/{deal_code}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))
