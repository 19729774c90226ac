"""Small neural networks over the public facts of a position: what they hold and how they run.

Search asks them where a few microseconds count, so that torch, which trains them, stays outside;
tests hold these kernels to torch.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.search.evaluation import FACTS, write_facts
from qv_env.files import moved_into_place
from qv_env.jit import kernel, separate_kernel

MOST_INPUTS: Final = 64
FIRST: Final = 64
SECOND: Final = 32
OUTPUTS: Final = 2

LAYERS: Final = np.dtype(
    [
        ("facts", np.float64, (len(FACTS),)),
        ("inputs", np.float32, (MOST_INPUTS,)),
        ("first", np.float32, (FIRST,)),
        ("second", np.float32, (SECOND,)),
    ]
)
"""Room for what a network works out on its way."""


def net_dtype(inputs: int) -> np.dtype[np.void]:
    """Return the type of a network's numbers; ``(input - mean) * scale`` is what enters it."""
    return np.dtype(
        [
            ("mean", np.float32, (inputs,)),
            ("scale", np.float32, (inputs,)),
            ("weight1", np.float32, (inputs, FIRST)),
            ("bias1", np.float32, (FIRST,)),
            ("weight2", np.float32, (FIRST, SECOND)),
            ("bias2", np.float32, (SECOND,)),
            ("weight3", np.float32, (SECOND, OUTPUTS)),
            ("bias3", np.float32, (OUTPUTS,)),
        ]
    )


def read_net(path: Path, name: str, dtype: np.dtype[np.void]) -> Any:
    """Return the network of a name that a file holds, as a record of a type of `net_dtype`.

    Raises:
        ValueError: The file does not hold all of its arrays in their shapes.
        OSError: The file cannot be read.
    """
    net = np.zeros(1, dtype)[0]
    with path.open("rb") as stream:
        if not zipfile.is_zipfile(stream):
            raise ValueError(f"{path} is no file of networks, such as train.py makes (.npz)")
    with np.load(path) as arrays:
        for part in dtype.names or ():
            key = f"{name}.{part}"
            if key not in arrays or arrays[key].shape != net[part].shape:
                raise ValueError(f"{path} does not hold {key} of shape {net[part].shape}")
            net[part] = arrays[key]
    return net


def write_net(path: Path, name: str, net: Any) -> None:
    """Write a network into a file under a name, beside the networks it holds."""
    arrays: dict[str, Any] = {}
    if path.exists():
        with np.load(path) as before:
            arrays.update(before)
    arrays.update({f"{name}.{part}": net[part] for part in net.dtype.names})
    with moved_into_place(path) as draft:
        np.savez(draft, **arrays)


@separate_kernel
def ask(net: Any, layers: Any) -> tuple[float, float]:
    """Return a network's two outputs.

    Args:
        net: A record of a type of `net_dtype`.
        layers: A record of type `LAYERS`, which holds the inputs; the rest is written over.
    """
    first, second = layers["first"], layers["second"]
    for j in range(FIRST):
        first[j] = net["bias1"][j]
    for i in range(net["mean"].shape[0]):
        x = (layers["inputs"][i] - net["mean"][i]) * net["scale"][i]
        for j in range(FIRST):
            first[j] += x * net["weight1"][i, j]
    for j in range(SECOND):
        second[j] = net["bias2"][j]
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
def write_public(state: Any, facts: Any, inputs: Any) -> None:
    """Write what a position shows: its facts, and the number of cards in the stock.

    Args:
        state: The position; its stock is not looked at.
        facts: Room for the facts, float64 of shape ``(len(FACTS),)``.
        inputs: Written, float32 of shape ``(len(FACTS) + 1,)`` or longer.
    """
    write_facts(state, facts)
    for k in range(facts.shape[0]):
        inputs[k] = facts[k]
    inputs[facts.shape[0]] = state["stock_count"]
