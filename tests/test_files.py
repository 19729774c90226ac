"""Writing files: whole or not at all, through links, and into what cannot be replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from agents.files import check_writable
from qv_env.files import moved_into_place, write_whole


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(TypeError), moved_into_place(path) as draft:
        draft.write_bytes("no bytes")  # type: ignore[arg-type]  # this is what fails
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [True, False])
def test_links_stay_and_lead_to_the_new_file(tmp_path: Path, *, there: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "real.txt", tmp_path / "link.txt"
    link.symlink_to(Path("elsewhere") / "real.txt")
    if there:
        target.write_text("old")
    check_writable(link)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert not target.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    circle, dangling = tmp_path / "circle", tmp_path / "dangling"
    circle.symlink_to(circle)
    dangling.symlink_to(tmp_path / "missing" / "file.txt")
    with pytest.raises(OSError, match=r"cannot write .*circle: "):
        check_writable(circle)
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(circle, "text")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*missing"):
        check_writable(dangling)
    assert circle.is_symlink()


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    check_writable(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    write_whole(pipe, "through\n")
    reader.join(timeout=10)
    assert got == ["through\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]
