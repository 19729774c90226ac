"""Public knowledge: rebuilding a state from what an agent is allowed to see."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from qv_env import engine
from qv_env.cards import CARD_TYPES, COPIES
from qv_env.sizes import FULL

PLIES_BYTES: Final = 2

_PUBLIC_FIELDS: Final = (
    "score",
    "stock_count",
    "waste_count",
    "heights",
    "foundations",
    "columns",
    "waste",
)


def _public_dtype(*, stock: bool) -> np.dtype[np.void]:
    fields: Any = engine.STATE.fields
    names = [*_PUBLIC_FIELDS, "stock"] if stock else list(_PUBLIC_FIELDS)
    return np.dtype(
        {
            "names": ["plies_left", *names],
            "formats": [np.dtype("<u2"), *(fields[name][0] for name in names)],
            "offsets": [0, *(PLIES_BYTES + fields[name][1] for name in names)],
            "itemsize": PLIES_BYTES + (engine.OPEN_BYTES if stock else engine.PUBLIC_BYTES),
        }
    )


CARDS_DTYPE: Final = _public_dtype(stock=False)
"""The `cards` observation with named fields: ``observation.view(CARDS_DTYPE)``."""

OPEN_CARDS_DTYPE: Final = _public_dtype(stock=True)
"""The `cards` observation with ``stock="open"``, which ends in the order of the stock."""


def read_observation(observation: npt.NDArray[np.uint8]) -> npt.NDArray[np.void]:
    """Return a `cards` observation, single or batched, as records with named fields.

    Args:
        observation: uint8 of shape ``(..., 248)``, or ``(..., 312)`` with an open stock.

    Returns:
        Record array of shape ``(...)`` and type `CARDS_DTYPE` or `OPEN_CARDS_DTYPE`.

    Raises:
        ValueError: The array has another length or type.
    """
    array = np.ascontiguousarray(observation)
    by_width = {dtype.itemsize: dtype for dtype in (CARDS_DTYPE, OPEN_CARDS_DTYPE)}
    if array.dtype != np.uint8 or array.ndim == 0 or array.shape[-1] not in by_width:
        raise ValueError(
            "expected a cards observation, uint8 with a last axis of "
            f"{' or '.join(map(str, by_width))}; got {array.dtype} of shape {array.shape}"
        )
    return array.view(by_width[array.shape[-1]])[..., 0]


def rebuild_state(source: Any, rng: np.random.Generator) -> Any:
    """Return a state that agrees with all that is public, its hidden cards in a random order.

    Args:
        source: A `cards` observation of one game, or a state record (of which only the public
            part is read). An observation with an open stock keeps the order it shows.
        rng: Where the order of the unseen cards comes from.

    Returns:
        A new state record. Its ``moves`` counter is that of the given state, and 0 for an
        observation, which does not show it.

    Raises:
        ValueError: The source is not an observation of one game, or shows no possible position.
        TypeError: ``rng`` is no generator.
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a NumPy Generator such as default_rng(0), got {rng!r}")
    is_state = getattr(source, "dtype", None) == engine.STATE
    public = source if is_state else read_observation(np.asarray(source))
    if np.ndim(public):
        raise ValueError(f"expected one game, got an array of shape {np.shape(public)}")
    state = engine.new_state()
    for name in _PUBLIC_FIELDS:
        state[name] = public[name]
    if is_state:
        state["moves"] = source["moves"]
    shown = None if is_state or "stock" not in (public.dtype.names or ()) else public["stock"]
    _count_unseen(state)
    if shown is None:
        reshuffle_stock(state, rng)
    else:
        state["stock"] = shown
    engine.refresh_all(state)
    return state


def reshuffle_stock(state: Any, rng: np.random.Generator) -> None:
    """Put the unseen cards of a state into a random order, in place."""
    counts = state["unseen"].ravel()
    unseen = np.repeat(np.arange(1, len(counts) + 1, dtype=np.uint8), counts)
    state["stock"] = 0
    if len(unseen):
        state["stock"][-len(unseen) :] = rng.permutation(unseen)


def _count_unseen(state: Any) -> None:
    """Work out which cards lie in the stock from those that lie anywhere else.

    Raises:
        ValueError: The stock would not have as many, or a card is there too often.
    """
    seen = np.concatenate([state["columns"].ravel(), state["waste"]])
    in_place = np.array_equal(np.count_nonzero(state["columns"], axis=1), state["heights"])
    if not in_place or seen.max() > CARD_TYPES or state["foundations"].max() > FULL.ranks:
        raise ValueError("this shows no position of the game: a pile holds what it cannot hold")
    counts = COPIES - np.bincount(seen, minlength=1 + FULL.suits * FULL.ranks)[1:]
    counts = counts.reshape(FULL.suits, FULL.ranks)
    for f, height in enumerate(state["foundations"]):
        counts[f % FULL.suits, :height] -= 1
    if counts.min() < 0 or counts.sum() != state["stock_count"]:
        raise ValueError(
            f"this shows no position of the game: {counts.sum()} cards are not seen, "
            f"and the stock has {state['stock_count']}"
        )
    state["unseen"] = counts
