"""How a game will probably end for the planner, by a small network.

Playouts stop after some draws and ask it, which costs as much as a few positions of the search.
``scripts/train_value.py`` trains it on the ends of games on train deals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.search.network import ask
from qv_env.jit import kernel, separate_kernel


@separate_kernel
def foresee(state: Any, net: Any, layers: Any) -> tuple[float, float]:
    """Return the chance to win and the share of cards that will end on the foundations.

    Args:
        state: The position, before a draw; its stock is not looked at.
        net: A record of type `agents.search.network.NET`; its outputs are logits.
        layers: See `agents.search.network.ask`.
    """
    win, cards = ask(state, net, layers)
    return _share(win), _share(cards)


@kernel
def _share(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-logit)))
