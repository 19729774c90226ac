"""README and docs keep their word: their examples run, their links lead somewhere."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
# ... in what a console example prints stands for anything, and columns may shift.
LIKE_THE_EXAMPLE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder, with the commands of this Python first on the path."""
    monkeypatch.chdir(tmp_path)
    commands = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    shutil.copy(ROOT / "train.py", tmp_path)
    return tmp_path


def blocks(page: Path, language: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of each fenced block in a language."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        if match[1] == language:
            yield text.count("\n", 0, match.start()) + 2, match[2]


@by_page
@pytest.mark.usefixtures("elsewhere")
def test_python_examples_run(page: Path) -> None:
    # The blocks of a page are read one after another, so they share their names.
    names: dict[str, object] = {"__name__": "__main__"}
    for line, source in blocks(page, "python"):
        code = compile("\n" * (line - 1) + source, str(page), "exec")
        exec(code, names)


@by_page
@pytest.mark.usefixtures("elsewhere")
def test_console_examples_print_what_they_show(page: Path) -> None:
    for line, session in blocks(page, "console"):
        for example in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, expected = example.partition("\n")
            done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            where = f"{page.name}, line {line}: {command}"
            assert done.returncode == 0, f"{where}\n{done.stderr}"
            matches = doctest.OutputChecker().check_output(expected, done.stdout, LIKE_THE_EXAMPLE)
            assert matches, f"{where}\n{done.stdout}"


@by_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in (a or b for a, b in LINK.findall(page.read_text(encoding="utf-8"))):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, by the rule that code hosts use."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
