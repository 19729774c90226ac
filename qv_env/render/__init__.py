"""A state as text, as a picture, in a window; a replay as a file.

Everything here is a pure function of states: nothing is ever changed in them, no random number is
drawn, and what is hidden from a player (the order of the stock) is never shown. pygame and imageio
are imported only where a window or a video is asked for.
"""

from qv_env.render.files import ENDINGS, check_speed, write_frames, write_replay
from qv_env.render.replay import ReplayFrames, replay_text
from qv_env.render.rgb import FRAME_SHAPE, render_rgb
from qv_env.render.text import render_text
from qv_env.render.window import Window

__all__ = [
    "ENDINGS",
    "FRAME_SHAPE",
    "ReplayFrames",
    "Window",
    "check_speed",
    "render_rgb",
    "render_text",
    "replay_text",
    "write_frames",
    "write_replay",
]
