"""How a replay looks, as pictures and as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qv_env.history import operation_text
from qv_env.render.rgb import Frame, render_rgb
from qv_env.render.text import render_text
from qv_env.replay import Replay


class ReplayFrames(Sequence[Frame]):
    """The pictures of a replay, each drawn when it is asked for."""

    def __init__(self, replay: Replay, *, four_colours: bool = False) -> None:
        self._replay = replay
        self._four_colours = four_colours

    def __len__(self) -> int:
        return len(self._replay.states)

    def __getitem__(self, number: Any) -> Any:
        """Return the frame of a position, or the frames of a slice as a list."""
        if isinstance(number, slice):
            return [self[position] for position in range(*number.indices(len(self)))]
        position = range(len(self))[number]
        return render_rgb(
            self._replay.states[position],
            deal=self._replay.deal,
            action=self._replay.actions[position - 1] if position else None,
            four_colours=self._four_colours,
        )


def replay_text(replay: Replay) -> str:
    """Return a replay as ASCII text: the first position, then each move, score and position."""
    blocks = [render_text(replay.states[0], deal=replay.deal)]
    for number, action in enumerate(replay.actions, start=1):
        state = replay.states[number]
        heading = f"{number}. {operation_text(action)}   score {int(state['score'])}"
        blocks.append(f"{heading}\n{'-' * len(heading)}\n\n{render_text(state)}")
    return "\n\n\n".join(blocks) + "\n"
