"""OpenSpiel's solitaire (Klondike), driven from Python one game at a time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pyspiel
from answering import PeerRow, answer
from open_spiel.python.observation import make_observation

GAME = pyspiel.load_game("solitaire")
_clock = time.perf_counter
_rng = random.Random(0)  # noqa: S311  # chance in a game, no secret


def new_state() -> pyspiel.State:
    """Return a game whose first cards lie open."""
    state = GAME.new_initial_state()
    settle(state)
    return state


def settle(state: pyspiel.State) -> None:
    """Turn cards over until it is the player's turn."""
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        state.apply_action(outcomes[int(_rng.random() * len(outcomes))][0])


def stepper(observe: Callable[[pyspiel.State], object]) -> Callable[[], float]:
    """Return a function that plays a random legal action and observes, mask included."""
    state = new_state()
    legal = state.legal_actions()

    def step() -> float:
        nonlocal state, legal
        action = _rng.choice(legal)
        begin = _clock()
        state.apply_action(action)
        settle(state)
        if state.is_terminal():
            state = new_state()
        observe(state)
        seconds = _clock() - begin
        legal = state.legal_actions()
        return seconds

    return step


def tensor_and_mask() -> Callable[[], float]:
    """Return the stepper that takes tensor and mask as the state gives them: as lists."""
    return stepper(lambda state: (state.observation_tensor(0), state.legal_actions_mask()))


def array_and_mask() -> Callable[[], float]:
    """Return the stepper that has the tensor written into one NumPy array again and again."""
    observation = make_observation(GAME)

    def observe(state: pyspiel.State) -> object:
        observation.set_from(state, 0)
        return observation.tensor, state.legal_actions_mask()

    return stepper(observe)


if __name__ == "__main__":
    answer(
        [
            PeerRow("open_spiel", "OpenSpiel solitaire, tensor and mask", 1, "1", tensor_and_mask),
            PeerRow(
                "open_spiel_array",
                "OpenSpiel solitaire, tensor in a reused array, mask",
                1,
                "1",
                array_and_mask,
            ),
        ],
        ["open_spiel", "numpy"],
    )
