"""How a game will probably end for the planner: a small neural network over public facts.

Playouts stop after some draws and ask this network, which costs as much as a few positions of the
search. ``scripts/train_value.py`` trains it in torch on the ends of games on train deals; a test
holds this kernel to torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.search.evaluation import FACTS, write_facts
from qv_env.jit import kernel, separate_kernel

FILE: Final = Path(__file__).with_name("value.npz")
INPUTS: Final = len(FACTS) + 1  # the facts and the number of cards in the stock
FIRST: Final = 64
SECOND: Final = 32
OUTPUTS: Final = 2  # logits of the chance to win and of the share of cards on the foundations

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
"""The network's numbers; an input is standardised as ``(input - mean) * scale``."""

LAYERS: Final = np.dtype(
    [
        ("inputs", np.float32, (INPUTS,)),
        ("first", np.float32, (FIRST,)),
        ("second", np.float32, (SECOND,)),
    ]
)
"""Room for what the network works out on its way."""


def load_net(path: Path = FILE) -> Any:
    """Return the record of type `NET` that a file holds.

    Raises:
        ValueError: The file does not hold all arrays in their shapes.
    """
    net = np.zeros(1, NET)[0]
    with np.load(path) as arrays:
        for name in NET.names or ():
            if name not in arrays or arrays[name].shape != net[name].shape:
                raise ValueError(f"{path} does not hold {name} of shape {net[name].shape}")
            net[name] = arrays[name]
    return net


@separate_kernel
def foresee(state: Any, net: Any, facts: Any, layers: Any) -> tuple[float, float]:
    """Return the chance to win and the share of cards that will end on the foundations.

    Args:
        state: The position, before a draw; its stock is not looked at.
        net: A record of type `NET`.
        facts: Room for the facts, float64 of shape ``(len(FACTS),)``.
        layers: A record of type `LAYERS`, written over.
    """
    write_inputs(state, facts, layers["inputs"])
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
    win, cards = float(net["bias3"][0]), float(net["bias3"][1])
    for i in range(SECOND):
        x = max(second[i], np.float32(0))
        win += x * net["weight3"][i, 0]
        cards += x * net["weight3"][i, 1]
    return _share(win), _share(cards)


@kernel
def write_inputs(state: Any, facts: Any, inputs: Any) -> None:
    """Write the network's inputs for a position, float32 of shape ``(INPUTS,)``."""
    write_facts(state, facts)
    for k in range(facts.shape[0]):
        inputs[k] = facts[k]
    inputs[facts.shape[0]] = state["stock_count"]


@kernel
def _share(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-logit)))
