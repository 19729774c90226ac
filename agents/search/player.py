"""What makes a player of search: its judgement and how hard it thinks, in one record."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.search import ranking, value
from agents.search.closure import MOST_ARMS
from agents.search.evaluation import FACTS
from agents.search.network import read_net
from agents.search.weights import STAGES, load_weights

LEARNED_FILE: Final = Path(__file__).with_name("learned.npz")
CARDS_WORTH: Final = 0.2  # of all cards on the foundations, beside a win
CHOICES: Final = 8

PLAYER: Final = np.dtype(
    [
        ("weights", np.float64, (len(STAGES), len(FACTS))),  # of the hand-tuned evaluation
        ("ranking", ranking.NET),  # which exit to draw from; see `agents.search.ranking`
        ("value", value.NET),  # how the game will end; see `agents.search.value`
        ("is_learned", np.bool_),  # whether the ranking network has a say
        ("nodes", np.int64),  # positions looked at between two draws
        ("playout_nodes", np.int64),  # the same in playouts
        ("choices", np.int64),  # exits of the best evaluation that are ranked
        ("candidates", np.int64),  # exits of the best rank that are played out
        ("worlds", np.int64),  # random stocks in each round; 0 for no playouts
        ("horizon", np.int64),  # draws after which a playout is judged instead of played on
        ("prior_worlds", np.float64),  # playouts that the rank counts for
        ("cards_worth", np.float64),  # of all cards on the foundations, beside a win
    ]
)

LEAST: Final = {"nodes": 2, "playout_nodes": 2, "candidates": 1, "worlds": 0, "horizon": 1}


def new_player(
    *,
    learned: Path | None = LEARNED_FILE,
    nodes: int = 4000,
    playout_nodes: int = 2,
    candidates: int = 1,
    worlds: int = 0,
    horizon: int = 1,
    prior_worlds: float = 0.0,
) -> Any:
    """Return a record of type `PLAYER`.

    Args:
        learned: The file with the networks; None for one that ranks by the hand-tuned evaluation
            alone.
        nodes: Most positions looked at between two draws.
        playout_nodes: The same in playouts.
        candidates: Exits that are played out.
        worlds: Random orders of the unseen cards in each round of playouts; 0 for no playouts.
        horizon: Draws after which a playout is judged.
        prior_worlds: Playouts that the rank of a candidate counts for.

    Raises:
        TypeError: A number is not a whole one.
        ValueError: A number is out of its range, or the file lacks something.
        OSError: The file cannot be read.
    """
    player = np.zeros(1, PLAYER)[0]
    numbers = {
        "nodes": nodes,
        "playout_nodes": playout_nodes,
        "candidates": candidates,
        "worlds": worlds,
        "horizon": horizon,
    }
    for name, number in numbers.items():
        player[name] = _checked(name, number)
    if candidates > MOST_ARMS:
        raise ValueError(f"candidates must be {MOST_ARMS} or fewer; got {candidates}")
    player["choices"] = max(CHOICES, candidates)
    player["weights"] = load_weights()
    player["value"] = read_net(learned or LEARNED_FILE, "value", value.NET)
    player["is_learned"] = learned is not None
    if learned is not None:
        player["ranking"] = read_net(learned, "ranking", ranking.NET)
        player["prior_worlds"] = prior_worlds
    player["cards_worth"] = CARDS_WORTH
    return player


def _checked(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if value < LEAST[name]:
        raise ValueError(f"{name} must be {LEAST[name]} or more; got {value}")
    return int(value)
