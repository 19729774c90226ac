"""Episodes as files: one game, who played it and how, checked against the rules.

An `Episode` is what stands in a file: a deal, settings, and operations with what they earned.
`verify` plays it again through the engine and gives its `qv_env.replay.Replay`, which has every
position. `docs/episodes.md` describes the format.

pydantic, which validates the files, comes with the ``eval`` extra.
"""

from qv_env.episodes.checking import make_episode, verify
from qv_env.episodes.episode import (
    FORMAT,
    VERSION,
    Ending,
    Episode,
    EpisodeSettings,
    Policy,
)
from qv_env.episodes.files import (
    EpisodeError,
    episode_text,
    parse_episode,
    read_episode,
    save_episode,
    schema,
)

__all__ = [
    "FORMAT",
    "VERSION",
    "Ending",
    "Episode",
    "EpisodeError",
    "EpisodeSettings",
    "Policy",
    "episode_text",
    "make_episode",
    "parse_episode",
    "read_episode",
    "save_episode",
    "schema",
    "verify",
]
