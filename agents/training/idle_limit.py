"""Ends training games of which nothing more will come."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from agents.sb3_vec_env import QuaranteVoleursSB3VecEnv

_STATE: Final = ("idle", "most_cards")


class IdleLimit(VecEnvWrapper):
    """Ends a game as lost when the stock is used up and no further card goes up for long.

    There cards can be pushed to and fro for ever: two plies in three of a policy that wins one
    game in ten, from which nothing can be learnt.

    Args:
        venv: The native games.
        plies: After so many plies without a draw left and without more cards on the foundations
            than ever before in the game, it ends.
    """

    def __init__(self, venv: QuaranteVoleursSB3VecEnv, plies: int) -> None:
        super().__init__(venv)
        self._games, self._plies = venv.vector_env, plies
        self.idle = np.zeros(venv.num_envs, np.int64)
        self.most_cards = np.zeros(venv.num_envs, np.int64)

    def reset(self) -> VecEnvObs:
        """Start all games."""
        observations = self.venv.reset()
        self.idle[:] = 0
        self.most_cards = self._cards()
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """Step the games, and start a new one for each that is stuck."""
        observations, rewards, dones, infos = self.venv.step_wait()
        cards = self._cards()
        progress = dones | (cards > self.most_cards) | (self._games.states["stock_count"] > 0)
        self.most_cards = np.where(dones, cards, np.maximum(cards, self.most_cards))
        self.idle = np.where(progress, 0, self.idle + 1)
        stuck = self.idle >= self._plies
        if stuck.any():
            for row in np.flatnonzero(stuck).tolist():
                infos[row] = self._last_info(observations, row)
            observations, _ = self._games.reset(options={"reset_mask": stuck})
            self.idle[stuck] = 0
            self.most_cards = np.where(stuck, self._cards(), self.most_cards)
        return observations, rewards, dones | stuck, infos

    def get_state(self) -> dict[str, NDArray[np.int64]]:
        """Return what decides which games end next, for `set_state`."""
        return {name: getattr(self, name).copy() for name in _STATE}

    def set_state(self, state: dict[str, NDArray[np.int64]]) -> None:
        """Go on where `get_state` was called."""
        for name in _STATE:
            setattr(self, name, state[name].copy())

    def _cards(self) -> NDArray[np.int64]:
        cards: NDArray[np.int64] = self._games.states["foundations"].sum(axis=1, dtype=np.int64)
        return cards

    def _last_info(self, observations: Any, row: int) -> dict[str, Any]:
        state = self._games.states[row]
        return {
            "deal": self._games.deals[row],
            "score": int(state["score"]),
            "moves": int(state["moves"]),
            "foundation_cards": int(state["foundations"].sum()),
            "is_success": False,
            "terminal_observation": observations[row].copy(),
            "TimeLimit.truncated": False,
        }
