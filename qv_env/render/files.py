"""Replays as files: animation, video, contact sheet and text.

Every file is written beside its destination and moved into place when it is complete, so that
nobody ever finds half a file under the name that was asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from PIL import Image

from qv_env.files import moved_into_place
from qv_env.render.replay import ReplayFrames, replay_text
from qv_env.render.rgb import Frame
from qv_env.replay import Replay

ENDINGS: Final = (".gif", ".mp4", ".png", ".txt")
DEFAULT_FPS: Final = 4.0
HOLD_SECONDS: Final = 3.0

_MILLISECONDS: Final = 1000
_GIF_TICK: Final = 10  # milliseconds; a GIF counts time in these
_PALETTE_COLOURS: Final = 256
_PALETTE_SAMPLES: Final = 8
_VIDEO_QUALITY: Final = 8  # of the encoder's scale from 0 to 10
_VIDEO_BLOCK: Final = 16  # encoders want sides that are multiples of this
# A GIF counts the ticks of a frame in 16 bits: the last frame must fit, at the slowest speed too.
MAX_FPS: Final = _MILLISECONDS / _GIF_TICK
MIN_FPS: Final = 0.01
_LONGEST_HOLD: Final = 500.0
_SHEET_COLUMNS: Final = 3
_SHEET_FRAMES: Final = 9
_SHEET_SHRINK: Final = 2
_SHEET_GAP: Final = 8
_SHEET_COLOUR: Final = (14, 30, 26)


def write_replay(
    path: str | os.PathLike[str],
    replay: Replay,
    *,
    fps: float = DEFAULT_FPS,
    hold_seconds: float = HOLD_SECONDS,
    four_colours: bool = False,
) -> Path:
    """Write a replay in the format that the path's ending names.

    ``.gif`` and ``.mp4`` show every position, the last one longer; ``.png`` is a sheet of evenly
    spaced positions; ``.txt`` lists every move with the score and the position after it.

    Args:
        path: Where to write; an existing file is replaced.
        replay: The positions, the moves and the deal's code.
        fps: Speed of animations and videos.
        hold_seconds: How long the last position is shown in addition.
        four_colours: Whether each suit has its own colour.

    Returns:
        The path.

    Raises:
        ValueError: The path has another ending, or the speed or the time is out of range.
        ImportError: Videos need an extra that is not installed; the message names it.
    """
    path = Path(path)
    if _checked_ending(path) == ".txt":
        path.parent.mkdir(parents=True, exist_ok=True)
        with moved_into_place(path) as draft:
            draft.write_text(replay_text(replay), encoding="ascii")
        return path
    frames = ReplayFrames(replay, four_colours=four_colours)
    return write_frames(path, frames, fps=fps, hold_seconds=hold_seconds)


def write_frames(
    path: str | os.PathLike[str],
    frames: Sequence[Frame],
    *,
    fps: float = DEFAULT_FPS,
    hold_seconds: float = HOLD_SECONDS,
) -> Path:
    """Write frames as ``.gif``, ``.mp4`` or, as a contact sheet, ``.png``.

    Args:
        path: Where to write; an existing file is replaced.
        frames: Pictures of one shape ``(height, width, 3)``, uint8; at least one. They are asked
            for one at a time, so that they can be drawn while they are written.
        fps: Speed of animations and videos; a GIF rounds the time of a frame to
            hundredths of a second.
        hold_seconds: How long the last frame is shown in addition.

    Returns:
        The path.

    Raises:
        ValueError: The path has another ending, there is no frame, or the speed or the time is
            out of range.
        ImportError: Videos need an extra that is not installed; the message names it.
    """
    path = Path(path)
    ending = _checked_ending(path)
    if ending not in _FRAME_WRITERS:
        raise ValueError("a text file shows a replay, not frames; use write_replay")
    if not len(frames):
        raise ValueError("there is no frame to write")
    check_speed(fps, hold_seconds)
    path.parent.mkdir(parents=True, exist_ok=True)
    with moved_into_place(path) as draft:
        _FRAME_WRITERS[ending](draft, frames, fps, hold_seconds)
    return path


def check_speed(fps: float, hold_seconds: float = HOLD_SECONDS) -> None:
    """Check that a file can show frames at a speed, and the last one so much longer.

    Raises:
        ValueError: One of the two is out of range, or no number.
    """
    if not MIN_FPS <= fps <= MAX_FPS:  # false for NaN as well
        raise ValueError(f"fps must lie in [{MIN_FPS:g}, {MAX_FPS:g}], got {fps:g}")
    if not 0 <= hold_seconds <= _LONGEST_HOLD:
        raise ValueError(f"hold_seconds must lie in [0, {_LONGEST_HOLD:g}], got {hold_seconds:g}")


def _checked_ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(
            f"cannot tell the format of {str(path)!r}; it must end in {', '.join(ENDINGS)}"
        )
    return ending


def _write_gif(path: Path, frames: Sequence[Frame], fps: float, hold_seconds: float) -> None:
    palette = _common_palette(frames)
    pictures = (
        Image.fromarray(frames[k]).quantize(palette=palette, dither=Image.Dither.NONE)
        for k in range(len(frames))
    )
    duration = _GIF_TICK * round(_MILLISECONDS / fps / _GIF_TICK)
    durations = [duration] * len(frames)
    durations[-1] += _GIF_TICK * round(hold_seconds * _MILLISECONDS / _GIF_TICK)
    next(pictures).save(
        path,
        format="GIF",
        save_all=True,
        append_images=pictures,
        duration=durations if len(durations) > 1 else durations[0],
        loop=0,
    )


def _common_palette(frames: Sequence[Frame]) -> Image.Image:
    """Return a picture whose palette suits all frames, so that colours never flicker."""
    numbers = _evenly_spaced(len(frames), _PALETTE_SAMPLES)
    samples = np.concatenate([frames[k] for k in numbers])
    return Image.fromarray(samples).quantize(_PALETTE_COLOURS, dither=Image.Dither.NONE)


def _evenly_spaced(count: int, limit: int) -> list[int]:
    """Return at most `limit` of the numbers below `count`, the first and the last among them."""
    return [int(k) for k in np.linspace(0, count - 1, min(count, limit)).round()]


def _write_video(path: Path, frames: Sequence[Frame], fps: float, hold_seconds: float) -> None:
    try:
        import imageio_ffmpeg  # type: ignore[import-untyped]  # it ships no types
    except ImportError as error:
        raise ImportError('videos need an extra: pip install "qv-env[video]"') from error
    frame = frames[0]
    encoder = imageio_ffmpeg.write_frames(
        str(path),
        (frame.shape[1], frame.shape[0]),
        fps=fps,
        quality=_VIDEO_QUALITY,
        macro_block_size=_VIDEO_BLOCK,
    )
    encoder.send(None)  # starts the encoder, as its documentation asks
    try:
        for k in range(len(frames)):
            frame = np.ascontiguousarray(frames[k])
            encoder.send(frame)
        for _ in range(round(hold_seconds * fps)):
            encoder.send(frame)
    finally:
        encoder.close()


def _write_contact_sheet(
    path: Path, frames: Sequence[Frame], fps: float, hold_seconds: float
) -> None:
    """Write a sheet of small pictures, evenly spaced in time; a sheet has no speed."""
    del fps, hold_seconds
    numbers = _evenly_spaced(len(frames), _SHEET_FRAMES)
    tiles = [Image.fromarray(frames[k]).reduce(_SHEET_SHRINK) for k in numbers]
    columns = min(_SHEET_COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    width, height = (side + _SHEET_GAP for side in tiles[0].size)
    size = (columns * width + _SHEET_GAP, rows * height + _SHEET_GAP)
    sheet = Image.new("RGB", size, _SHEET_COLOUR)
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        sheet.paste(tile, (_SHEET_GAP + column * width, _SHEET_GAP + row * height))
    sheet.save(path, format="PNG", optimize=True)


_Writer = Callable[[Path, Sequence[Frame], float, float], None]
_FRAME_WRITERS: Final = MappingProxyType[str, _Writer](
    {".gif": _write_gif, ".mp4": _write_video, ".png": _write_contact_sheet}
)
