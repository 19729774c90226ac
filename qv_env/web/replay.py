"""An episode as a page to watch, in one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from qv_env.files import write_whole
from qv_env.replay import Replay
from qv_env.web.page import standalone_page
from qv_env.web.view import favoured_views, ply_views, position_view

if TYPE_CHECKING:
    from qv_env.episodes import Episode

STYLES: Final = ("theme.css", "board.css", "waste.css", "replay.css")
SCRIPTS: Final = (
    "cards.js",
    "board.js",
    "waste.js",
    "chart.js",
    "moves.js",
    "ratings.js",
    "player.js",
    "replay.js",
)


def replay_html(episode: Episode, replay: Replay) -> str:
    """Return a page on which an episode is watched.

    Args:
        episode: The episode.
        replay: Its replay, as `qv_env.episodes.verify` returns it.

    Returns:
        HTML in one piece, which loads nothing; some 0.5 kB a ply and 50 kB besides.
    """
    player = episode.agent or "somebody"
    return standalone_page(
        "replay.html",
        title=f"{replay.deal}, played by {player}: Quarante Voleurs",
        styles=STYLES,
        scripts=SCRIPTS,
        data=_data(episode, replay),
    ).html


def write_replay_page(path: str | os.PathLike[str], episode: Episode, replay: Replay) -> Path:
    """Write the page of `replay_html` in one go, replacing an existing file; return its path.

    Raises:
        OSError: The folder does not exist or cannot be written to.
    """
    path = Path(path)
    write_whole(path, replay_html(episode, replay))
    return path


def _data(episode: Episode, replay: Replay) -> dict[str, Any]:
    plies = ply_views(replay)
    policy = episode.policy
    if policy is not None:
        for ply, favoured in zip(plies, policy.favoured, strict=True):
            ply["favoured"] = favoured_views(favoured)
    return {
        "deal": replay.deal,
        "agent": episode.agent,
        "seed": episode.seed,
        "stock": episode.settings.stock,
        "library": episode.library_version,
        "ending": episode.ending,
        "measure": None if policy is None else policy.measure,
        "positions": [position_view(state) for state in replay.states],
        "plies": plies,
    }
