"""A state as text, as a picture, in a window; an episode as a file.

Everything here is a pure function of states: nothing is ever changed in them, no random number is
drawn, and what is hidden from a player (the order of the stock) is never shown. pygame and imageio
are imported only where a window or a video is asked for.
"""

from qv_env.render.episode import Episode, EpisodeFrames, episode_text
from qv_env.render.files import ENDINGS, write_episode, write_frames
from qv_env.render.rgb import FRAME_SHAPE, render_rgb
from qv_env.render.text import render_text
from qv_env.render.window import Window

__all__ = [
    "ENDINGS",
    "FRAME_SHAPE",
    "Episode",
    "EpisodeFrames",
    "Window",
    "episode_text",
    "render_rgb",
    "render_text",
    "write_episode",
    "write_frames",
]
