"""A game from its first position to its last, and how it looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from qv_env import engine
from qv_env.actions import action_text
from qv_env.refusals import refusal_text
from qv_env.render.rgb import Frame, render_rgb
from qv_env.render.text import render_text


class Episode(NamedTuple):
    """Positions and the moves between them.

    Attributes:
        states: Positions in order, a record array of `engine.STATE`, one longer than `actions`.
        actions: The moves: ``actions[k]`` leads from ``states[k]`` to ``states[k + 1]``.
        deal: The deal's code, or nothing.
    """

    states: NDArray[np.void]
    actions: tuple[int, ...]
    deal: str = ""

    @classmethod
    def play(cls, start: Any, actions: Iterable[int], *, deal: str = "") -> Self:
        """Return the episode that starts from a state, which stays as it is, and makes the moves.

        Args:
            start: A state record.
            actions: Actions in [0, 268], in the order in which they are made.
            deal: The deal's code.

        Raises:
            ValueError: An action is none, or is illegal where it is to be made; the message says
                which one and why.
        """
        moves = tuple(int(action) for action in actions)
        states = np.zeros(len(moves) + 1, dtype=start.dtype)
        states[0] = start
        for number, action in enumerate(moves):
            states[number + 1] = states[number]
            text = action_text(action)
            refusal = engine.refusal(states[number], action)
            if refusal != engine.LEGAL:
                raise ValueError(f"move {number + 1}, {text}: {refusal_text(refusal)}")
            engine.apply(states[number + 1], action)
        return cls(states, moves, deal)


class EpisodeFrames(Sequence[Frame]):
    """The pictures of an episode, each drawn when it is asked for."""

    def __init__(self, episode: Episode, *, four_colours: bool = False) -> None:
        self._episode = episode
        self._four_colours = four_colours

    def __len__(self) -> int:
        return len(self._episode.states)

    def __getitem__(self, number: Any) -> Any:
        """Return the frame of a position, or the frames of a slice as a list."""
        if isinstance(number, slice):
            return [self[position] for position in range(*number.indices(len(self)))]
        position = range(len(self))[number]
        return render_rgb(
            self._episode.states[position],
            deal=self._episode.deal,
            action=self._episode.actions[position - 1] if position else None,
            four_colours=self._four_colours,
        )


def episode_text(episode: Episode) -> str:
    """Return an episode as ASCII text: the first position, then each move, score and position."""
    blocks = [render_text(episode.states[0], deal=episode.deal)]
    for number, action in enumerate(episode.actions, start=1):
        state = episode.states[number]
        heading = f"{number}. {action_text(action)}   score {int(state['score'])}"
        blocks.append(f"{heading}\n{'-' * len(heading)}\n\n{render_text(state)}")
    return "\n\n\n".join(blocks) + "\n"
