"""What search remembers of each pile, so that a new position costs little.

A search move changes few piles. The value of a position is a sum over piles as long as the stock
stays as it is, and so is its key before mixing; a node keeps both for every pile, and its
successors work out anew only what has changed. `agents.search.evaluation.evaluate` and
`qv_env.mask.canonical_key` say the same from scratch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.search.evaluation import (
    ANY_EMPTY_COLUMN,
    FEWEST_RUNS,
    add_column_facts,
    add_table_facts,
    add_waste_facts,
    stock_share,
)
from qv_env.jit import kernel, separate_kernel
from qv_env.mask import column_key, finish_key, waste_key
from qv_env.sizes import FULL, Sizes


def ledger_dtype(sizes: Sizes = FULL) -> np.dtype[np.void]:
    """Return the type of what a node remembers: for the columns, and last for the waste."""
    piles = sizes.columns + 1
    return np.dtype(
        [
            ("keys", np.uint64, (piles,)),
            ("values", np.float64, (piles,)),
            ("runs", np.uint8, (sizes.columns,)),
        ]
    )


@kernel
def set_weights(room: Any, state: Any, weights: Any) -> None:
    """Work out the weights for the stock of a state, which all positions of a search share."""
    share = stock_share(state)
    for k in range(room["weights"].shape[0]):
        room["weights"][k] = weights[0, k] + share * (weights[1, k] - weights[0, k])


@separate_kernel
def open_ledger(ledger: Any, state: Any, room: Any) -> None:
    """Work out all piles of a position."""
    for c in range(state["columns"].shape[0]):
        ledger["keys"][c] = column_key(state, c)
        _value_column(ledger, state, c, room)
    ledger["keys"][-1] = waste_key(state)
    _value_waste(ledger, state, room)


@separate_kernel
def update_keys(ledger: Any, state: Any, before: Any) -> Any:
    """Work out the keys of changed piles, and return the position's key.

    Args:
        ledger: Of the position ``before``; its ``keys`` become those of ``state``.
        state: A position that a search move has led to.
        before: Where it came from. A column that is as high as before holds the same cards, since
            a search move adds to one column only, and safe moves only take away.
    """
    keys = ledger["keys"]
    total = np.uint64(0)
    for c in range(state["columns"].shape[0]):
        if state["heights"][c] != before["heights"][c]:
            keys[c] = column_key(state, c)
        total += keys[c]
    if state["waste_count"] != before["waste_count"]:
        keys[-1] = waste_key(state)
    return finish_key(total + keys[-1], state)


@separate_kernel
def update_value(ledger: Any, state: Any, before: Any, room: Any) -> float:
    """Work out the values of changed piles, and return the position's value; see `update_keys`."""
    up = False
    for f in range(state["foundations"].shape[0]):
        up |= state["foundations"][f] != before["foundations"][f]
    for c in range(state["columns"].shape[0]):
        if up or state["heights"][c] != before["heights"][c]:
            _value_column(ledger, state, c, room)
    if up or state["waste_count"] != before["waste_count"]:
        _value_waste(ledger, state, room)
    return total_value(ledger, state, room)


@kernel
def total_value(ledger: Any, state: Any, room: Any) -> float:
    """Return the value of a position whose piles are worked out."""
    facts, weights = room["facts"], room["weights"]
    facts[:] = 0.0
    add_table_facts(state, facts)
    value, fewest = _weighed(facts, weights), ledger["runs"][0]
    for c in range(ledger["runs"].shape[0]):
        fewest = min(fewest, ledger["runs"][c])
    value += weights[FEWEST_RUNS] * fewest
    if fewest == 0:
        value += weights[ANY_EMPTY_COLUMN]
    for pile in range(ledger["values"].shape[0]):
        value += ledger["values"][pile]
    return float(value)


@kernel
def _value_column(ledger: Any, state: Any, c: int, room: Any) -> None:
    facts = room["facts"]
    facts[:] = 0.0
    ledger["runs"][c] = add_column_facts(state, c, facts)
    facts[ANY_EMPTY_COLUMN] = 0.0  # counts once, however many columns are empty
    ledger["values"][c] = _weighed(facts, room["weights"])


@kernel
def _value_waste(ledger: Any, state: Any, room: Any) -> None:
    facts = room["facts"]
    facts[:] = 0.0
    add_waste_facts(state, facts)
    ledger["values"][-1] = _weighed(facts, room["weights"])


@kernel
def _weighed(facts: Any, weights: Any) -> float:
    value = 0.0
    for k in range(facts.shape[0]):
        value += facts[k] * weights[k]
    return value
