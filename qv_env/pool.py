"""Arrays that are used again once nobody holds them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np

_MOST_KEPT: Final = 3

Arrays = TypeVar("Arrays", bound=Sequence[np.ndarray[Any, Any]])


class ArrayPool(Generic[Arrays]):
    """Hands out sets of arrays, fresh ones or such as nobody but the pool holds any more.

    Fresh memory costs more than it looks: the system clears it page by page, and does so again
    at every step where the allocator gives large arrays back at once. Whoever holds an array, or a
    view of it, keeps it from being used again.

    Args:
        make: Returns a fresh set.
    """

    def __init__(self, make: Callable[[], Arrays]) -> None:
        self._make = make
        self._kept: list[Arrays] = []

    def take(self) -> Arrays:
        """Return a set of arrays to be overwritten."""
        for arrays in self._kept:
            if _references(arrays) <= _OURS:
                return arrays
        fresh = self._make()
        self._kept = [*self._kept[1 - _MOST_KEPT :], fresh]
        return fresh

    def __reduce__(self) -> Any:
        # Copies of an environment begin with arrays of their own.
        return ArrayPool, (self._make,)


def _references(arrays: Sequence[Any]) -> int:
    """Return the number of references to that array which has most."""
    return max(map(sys.getrefcount, arrays))


# What a set has that only its tuple holds, counted in the way that differs between Pythons.
_OURS: Final = _references((np.empty(0), np.empty(0)))
