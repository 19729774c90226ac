"""Small neural networks over the public facts of a position: what they hold and how they run.

Search asks them where a few microseconds count, so that torch, which trains them, stays outside;
tests hold these kernels to torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.search.evaluation import FACTS, write_facts
from qv_env.files import moved_into_place
from qv_env.jit import kernel, separate_kernel

INPUTS: Final = len(FACTS) + 1  # the facts and the number of cards in the stock
FIRST: Final = 64
SECOND: Final = 32
OUTPUTS: Final = 2

NET: Final = np.dtype(
    [
        ("mean", np.float32, (INPUTS,)),
        ("scale", np.float32, (INPUTS,)),
        ("weight1", np.float32, (INPUTS, FIRST)),
        ("bias1", np.float32, (FIRST,)),
        ("weight2", np.float32, (FIRST, SECOND)),
        ("bias2", np.float32, (SECOND,)),
        ("weight3", np.float32, (SECOND, OUTPUTS)),
        ("bias3", np.float32, (OUTPUTS,)),
    ]
)
"""A network's numbers; an input is standardised as ``(input - mean) * scale``."""

LAYERS: Final = np.dtype(
    [
        ("facts", np.float64, (len(FACTS),)),
        ("inputs", np.float32, (INPUTS,)),
        ("first", np.float32, (FIRST,)),
        ("second", np.float32, (SECOND,)),
    ]
)
"""Room for what a network works out on its way."""


def read_net(path: Path, name: str) -> Any:
    """Return the network of a name that a file holds, as a record of type `NET`.

    Raises:
        ValueError: The file does not hold all of its arrays in their shapes.
        OSError: The file cannot be read.
    """
    net = np.zeros(1, NET)[0]
    with np.load(path) as arrays:
        for part in NET.names or ():
            key = f"{name}.{part}"
            if key not in arrays or arrays[key].shape != net[part].shape:
                raise ValueError(f"{path} does not hold {key} of shape {net[part].shape}")
            net[part] = arrays[key]
    return net


def write_net(path: Path, name: str, net: Any) -> None:
    """Write a record of type `NET` into a file under a name, beside the networks it holds."""
    arrays: dict[str, Any] = {}
    if path.exists():
        with np.load(path) as before:
            arrays.update(before)
    arrays.update({f"{name}.{part}": net[part] for part in NET.names or ()})
    with moved_into_place(path) as draft:
        np.savez(draft, **arrays)


@separate_kernel
def ask(state: Any, net: Any, layers: Any) -> tuple[float, float]:
    """Return a network's two outputs for a position.

    Args:
        state: The position, before a draw; its stock is not looked at.
        net: A record of type `NET`.
        layers: A record of type `LAYERS`, written over.
    """
    write_inputs(state, layers["facts"], layers["inputs"])
    first, second = layers["first"], layers["second"]
    first[:] = net["bias1"]
    for i in range(INPUTS):
        x = (layers["inputs"][i] - net["mean"][i]) * net["scale"][i]
        for j in range(FIRST):
            first[j] += x * net["weight1"][i, j]
    second[:] = net["bias2"]
    for i in range(FIRST):
        x = max(first[i], np.float32(0))
        for j in range(SECOND):
            second[j] += x * net["weight2"][i, j]
    one, two = float(net["bias3"][0]), float(net["bias3"][1])
    for i in range(SECOND):
        x = max(second[i], np.float32(0))
        one += x * net["weight3"][i, 0]
        two += x * net["weight3"][i, 1]
    return one, two


@kernel
def write_inputs(state: Any, facts: Any, inputs: Any) -> None:
    """Write the inputs for a position, float32 of shape ``(INPUTS,)``, and its facts."""
    write_facts(state, facts)
    for k in range(facts.shape[0]):
        inputs[k] = facts[k]
    inputs[facts.shape[0]] = state["stock_count"]
