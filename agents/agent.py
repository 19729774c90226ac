"""What an agent is: something that chooses actions for many games at once.

An agent sees what `qv_env` shows it and nothing else: an observation and an action mask for each
game. It plays a *batch* of games side by side, one game in each *row*; a row keeps its place from
call to call, and when its game ends another game may begin in it. `Agent.reset` says when.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Observations: TypeAlias = NDArray[np.uint8]
ActionMasks: TypeAlias = NDArray[np.int8]
Actions: TypeAlias = NDArray[np.int64]
Seeds: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]

ENV_KEYWORDS: Final = ("observation", "mask", "takebacks", "stock")


@runtime_checkable
class Agent(Protocol):
    """A player of batches of games; plain attributes will do for the two properties.

    Three more attributes are read where an agent has them; the first and the last are written into
    results:

    ``counts``
        A mapping of names to whole numbers, each an array of shape ``(n,)``: the work that the
        agent has done for the game of each row since it began. ``nodes`` (positions expanded) and
        ``playouts`` (games played in thought) stand on the boards; other names are kept too.
    ``rows_at_once``
        Rows that cost no more than one, because they are worked on together; 1 without it.
    ``training``
        A mapping with ``steps`` (plies played in training) and ``hours`` (of training).
    """

    @property
    def name(self) -> str:
        """What tables call the agent."""
        ...

    @property
    def env_kwargs(self) -> Mapping[str, Any]:
        """The environment keywords the agent wants, some of `ENV_KEYWORDS`.

        They restrict what the agent sees (``observation``, ``stock``) or chooses from (``mask``,
        ``takebacks``); the rules, the step limit and the reward are never the agent's choice.
        Keywords left out keep the environment's defaults.
        """
        ...

    def reset(self, seeds: Seeds, rows: Rows | None = None) -> None:
        """Learn that new games begin.

        Args:
            seeds: One seed a new game, shape ``(k,)``. All chance in an agent's choices comes from
                the game's seed and the number of actions asked for since, so that a game goes the
                same way whatever else the batch holds.
            rows: The rows in which the new games begin, shape ``(k,)``; the games of all other
                rows go on. None begins a new batch of ``k`` rows and forgets any earlier one.
        """
        ...

    def act(self, observations: Observations, action_masks: ActionMasks) -> Actions:
        """Choose an action for every row.

        Args:
            observations: Shape ``(n, length)``, as the environment made with `env_kwargs` gives
                them; ``n`` is the number of rows of the batch.
            action_masks: Shape ``(n, 269)``, 1 where an action may be chosen. No row is empty. A
                row whose game is over and not followed by another keeps its last observation and
                allows action 0 only; whatever is chosen there is ignored.

        Returns:
            Shape ``(n,)``; each action has a 1 in its row of the mask. The arguments are the
            caller's: an agent that wants to keep them copies them.
        """
        ...


def check_env_kwargs(agent: Agent) -> None:
    """Refuse an agent whose `env_kwargs` hold anything that is not the agent's to choose.

    Raises:
        ValueError: A keyword is not one of `ENV_KEYWORDS`; the message names it.
    """
    for keyword in agent.env_kwargs:
        if keyword not in ENV_KEYWORDS:
            raise ValueError(
                f"agent {agent.name} asks for the environment keyword {keyword!r}, which is not "
                f"an agent's to choose; it may ask for {', '.join(ENV_KEYWORDS)}"
            )
