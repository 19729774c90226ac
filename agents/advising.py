"""Agents as advisers of people who play: what an agent would do in a game that is not its own."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

import numpy as np

from agents.agent import Agent, check_env_kwargs
from agents.chance import game_seed
from agents.rating import RatingAgent, favoured_actions
from qv_env import engine
from qv_env.actions import DRAW, action_text
from qv_env.game import Game
from qv_env.observing import observe
from qv_env.settings import DEFAULT_MAX_EPISODE_STEPS
from qv_env.web.advice import Advice, AdviceError

_MOST_ACTIONS: Final = 64
_MOST_PLANS: Final = 1024
_WARM_UP_DEAL: Final = 0  # of the train split


class AgentAdviser:
    """Speaks for an agent; see `qv_env.web.advice.Adviser`.

    The agent is asked for all that it would do up to its next draw at once, as if a game began
    there. What it said is remembered, so that a game that follows it keeps to one plan. Nothing is
    known at a draw that was not known before, so nothing hidden is given away.

    Args:
        agent: The agent; its batch is used for this alone.

    Raises:
        ValueError: The agent asks for an environment keyword that is not its to choose.
    """

    def __init__(self, agent: Agent) -> None:
        check_env_kwargs(agent)
        self._agent = agent
        self._plans: OrderedDict[bytes, tuple[int, ...]] = OrderedDict()

    @property
    def name(self) -> str:
        """The agent's name."""
        return self._agent.name

    @property
    def sees_stock(self) -> bool:
        """Whether the agent is shown the order of the stock."""
        return self._agent.env_kwargs.get("stock") == "open"

    def prepare(self) -> None:
        """Ask the agent for advice on some deal, so that no person waits for its compilation."""
        self.advise(Game(_WARM_UP_DEAL))

    def advise(self, game: Game, *, rated: bool = True) -> Advice:
        """Say what the agent would do; see `qv_env.web.advice.Adviser.advise`."""
        state = game.state
        try:
            if state.tobytes() not in self._plans:
                self._plan(state, game_seed(game.moves, game.code or ""))
            actions = self._plans.get(state.tobytes(), ())
            if not actions:
                raise AdviceError(f"agent {self.name} is allowed none of the moves that are left")
            if not rated or not isinstance(self._agent, RatingAgent):
                return Advice(actions, None, ())
            observation, mask = self._shown(state)
            (favoured,) = favoured_actions(self._agent, observation[None], mask[None])
            return Advice(actions, self._agent.measure, favoured)
        except AdviceError:
            raise
        except Exception as error:
            # A user's agent can fail in any way, and the game goes on without it.
            raise AdviceError(
                f"agent {self.name} failed: {type(error).__name__}: {error}"
            ) from error

    def _plan(self, start: Any, seed: np.uint64) -> None:
        """Remember, for every position that the agent would pass, what it would do from there."""
        self._agent.reset(np.array([seed], np.uint64))
        state = start.copy()
        passed: list[bytes] = []
        actions: list[int] = []
        while len(actions) < _MOST_ACTIONS:
            observation, mask = self._shown(state)
            if engine.is_won(state) or not mask.any():
                break
            action = int(self._agent.act(observation[None], mask[None])[0])
            if not 0 <= action < len(mask) or not mask[action]:
                raise AdviceError(f"agent {self.name} chose {_named(action)}, which is not allowed")
            passed.append(state.tobytes())
            actions.append(action)
            if action == DRAW:
                break
            engine.apply(state, action)
        for k, position in enumerate(passed):
            self._plans[position] = tuple(actions[k:])
            self._plans.move_to_end(position)
        while len(self._plans) > _MOST_PLANS:
            self._plans.popitem(last=False)

    def _shown(self, state: Any) -> tuple[Any, Any]:
        plies_left = max(DEFAULT_MAX_EPISODE_STEPS - int(state["moves"]), 1)
        return observe(state, plies_left=plies_left, **self._agent.env_kwargs)


def _named(action: int) -> str:
    try:
        return action_text(action)
    except ValueError:
        return f"{action}, which is no action"
