"""Episodes as files."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from qv_env import engine
from qv_env.actions import action_text, parse_action
from qv_env.render import (
    FRAME_SHAPE,
    ReplayFrames,
    render_rgb,
    render_text,
    write_frames,
    write_replay,
)
from qv_env.render.files import MIN_FPS
from qv_env.replay import Replay
from tests import positions

CODE = "FT1-N-AAAAAAF"
PLIES = 6


@pytest.fixture(scope="module")
def replay() -> Replay:
    actions = positions.random_actions(5, plies=PLIES)
    return Replay.play(positions.fresh(5), actions, deal=CODE)


def test_a_replay_holds_every_position(replay: Replay) -> None:
    state = positions.fresh(5)
    assert len(replay.states) == PLIES + 1
    assert replay.states[0].tobytes() == state.tobytes()
    for number, action in enumerate(replay.actions, start=1):
        engine.apply(state, action)
        assert replay.states[number].tobytes() == state.tobytes()


def test_playing_a_replay_leaves_its_start_alone() -> None:
    start = positions.fresh()
    before = start.tobytes()
    Replay.play(start, [0, 0])
    assert start.tobytes() == before


def test_an_illegal_move_is_named() -> None:
    with pytest.raises(ValueError, match=r"^ply 2, w>f8: A foundation"):
        Replay.play(positions.fresh(), [0, parse_action("w>f8")])
    with pytest.raises(ValueError, match=r"^ply 1, action 270: There is no such action"):
        Replay.play(positions.fresh(), [270])


def test_frames_are_drawn_on_demand(replay: Replay) -> None:
    frames = ReplayFrames(replay)
    assert len(frames) == PLIES + 1
    np.testing.assert_array_equal(frames[0], render_rgb(replay.states[0], deal=CODE))
    last = render_rgb(replay.states[-1], deal=CODE, action=replay.actions[-1])
    np.testing.assert_array_equal(frames[-1], last)
    assert len(frames[1:4]) == 3
    with pytest.raises(IndexError):
        frames[PLIES + 1]


def test_a_gif_loads_back(tmp_path: Path, replay: Replay) -> None:
    path = write_replay(tmp_path / "game.gif", replay, fps=5, hold_seconds=1.5)
    durations = []
    with Image.open(path) as picture:
        assert picture.size == FRAME_SHAPE[1::-1]
        for k, shown in enumerate(ImageSequence.Iterator(picture)):
            durations.append(shown.info["duration"])
            frame = np.asarray(shown.convert("RGB")).astype(int)
            difference = np.abs(frame - ReplayFrames(replay)[k])
            assert difference.mean() < 3
    assert durations == [200] * PLIES + [1700]


def test_a_gif_of_one_frame(tmp_path: Path) -> None:
    path = write_replay(tmp_path / "one.gif", Replay.play(positions.fresh(), []))
    with Image.open(path) as picture:
        assert len(list(ImageSequence.Iterator(picture))) == 1


def test_a_video_loads_back(tmp_path: Path, replay: Replay) -> None:
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = write_replay(tmp_path / "game.mp4", replay, fps=5, hold_seconds=2)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == PLIES + 1 + 10
    assert seconds == pytest.approx(frames / 5, abs=0.1)
    reader = imageio_ffmpeg.read_frames(str(path))
    assert next(reader)["size"] == FRAME_SHAPE[1::-1]
    first = np.frombuffer(next(reader), np.uint8).reshape(FRAME_SHAPE).astype(int)
    reader.close()
    assert np.abs(first - ReplayFrames(replay)[0]).mean() < 4


@pytest.mark.parametrize(("plies", "size"), [(0, (416, 336)), (1, (824, 336)), (12, (1232, 992))])
def test_a_contact_sheet_loads_back(tmp_path: Path, plies: int, size: tuple[int, int]) -> None:
    actions = positions.random_actions(5, plies=plies)
    path = write_replay(tmp_path / "game.png", Replay.play(positions.fresh(5), actions))
    with Image.open(path) as picture:
        assert picture.size == size
        assert picture.mode == "RGB"


def test_a_text_has_every_move_score_and_position(tmp_path: Path, replay: Replay) -> None:
    text = write_replay(tmp_path / "game.txt", replay).read_text(encoding="ascii")
    assert text.startswith(render_text(replay.states[0], deal=CODE) + "\n")
    for number, action in enumerate(replay.actions, start=1):
        state = replay.states[number]
        assert f"\n{number}. {action_text(action)}   score {state['score']}\n---" in text
        assert render_text(state) in text
    assert text.endswith("\n")


@pytest.mark.parametrize("name", ["game.jpeg", "game", "game.gif.zip"])
def test_an_unknown_ending_is_refused_with_the_known_ones(
    tmp_path: Path, replay: Replay, name: str
) -> None:
    with pytest.raises(ValueError, match=r"must end in \.gif, \.mp4, \.png, \.txt"):
        write_replay(tmp_path / name, replay)
    assert not list(tmp_path.iterdir())


def test_endings_may_be_capital(tmp_path: Path, replay: Replay) -> None:
    path = write_replay(str(tmp_path / "GAME.PNG"), replay)
    with Image.open(path) as picture:
        assert picture.format == "PNG"


def test_wrong_times_and_no_frames_are_refused(tmp_path: Path) -> None:
    frame = np.zeros((4, 4, 3), np.uint8)
    path = tmp_path / "game.gif"
    with pytest.raises(ValueError, match="no frame"):
        write_frames(path, [])
    with pytest.raises(ValueError, match=r"fps must lie in \[0.01, 100\], got 0"):
        write_frames(path, [frame], fps=0)
    with pytest.raises(ValueError, match=r"hold_seconds must lie in \[0, 500\], got -1"):
        write_frames(path, [frame], hold_seconds=-1)
    for fps in (0.001, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="fps must lie in"):
            write_frames(path, [frame], fps=fps)
    with pytest.raises(ValueError, match="hold_seconds must lie in"):
        write_frames(path, [frame], hold_seconds=float("nan"))
    with pytest.raises(ValueError, match="use write_replay"):
        write_frames(tmp_path / "game.txt", [frame])
    assert not list(tmp_path.iterdir())


def test_a_gif_can_show_the_slowest_frames(tmp_path: Path) -> None:
    frames = [np.full((4, 4, 3), shade, np.uint8) for shade in (0, 255)]
    path = write_frames(tmp_path / "game.gif", frames, fps=MIN_FPS, hold_seconds=500)
    with Image.open(path) as picture:
        assert picture.info["duration"] == 100_000
        picture.seek(1)
        assert picture.info["duration"] == 600_000


@pytest.mark.parametrize("ending", [".gif", ".mp4", ".png"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, ending: str) -> None:
    class Failing(list[np.ndarray]):
        def __getitem__(self, number: object) -> np.ndarray:  # type: ignore[override]
            raise RuntimeError("drawing failed")

    path = tmp_path / f"game{ending}"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="drawing failed"):
        write_frames(path, Failing([np.zeros(FRAME_SHAPE, np.uint8)] * 3))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folders_are_made(tmp_path: Path, replay: Replay) -> None:
    assert write_replay(tmp_path / "a" / "b" / "game.txt", replay).is_file()


def test_a_missing_encoder_is_named(
    tmp_path: Path, replay: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ImportError, match=r'pip install "qv-env\[video\]"'):
        write_replay(tmp_path / "game.mp4", replay)
    assert not list(tmp_path.iterdir())
