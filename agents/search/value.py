"""How a game will probably end for the planner, by a small network.

Playouts stop after some draws and ask it, which costs as much as a few positions of the search.
``scripts/train_value.py`` trains it on the ends of games on train deals.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.search.evaluation import FACTS
from agents.search.network import ask, net_dtype, write_public
from qv_env.jit import kernel, separate_kernel

INPUTS: Final = len(FACTS) + 1  # see `agents.search.network.write_public`
NET: Final = net_dtype(INPUTS)


@separate_kernel
def foresee(state: Any, net: Any, layers: Any) -> tuple[float, float]:
    """Return the chance to win and the share of cards that will end on the foundations.

    Args:
        state: The position, before a draw; its stock is not looked at.
        net: A record of type `NET`; its outputs are logits.
        layers: See `agents.search.network.ask`.
    """
    write_public(state, layers["facts"], layers["inputs"])
    win, cards = ask(net, layers)
    return _share(win), _share(cards)


@kernel
def _share(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-logit)))
