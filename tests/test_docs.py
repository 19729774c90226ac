"""README and docs keep their word: their examples run, their links lead somewhere."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

import qv_env
from agents.training.config import Config
from qv_env.actions import ACTIONS
from qv_env.deals import SPLITS, deal_code
from qv_env.episodes import schema
from qv_env.settings import DEFAULT_MAX_EPISODE_STEPS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")
KEYWORD_ROW = r"`(\w+)` \| `(\S+)` \|"
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
            words = shlex.split(command)
            done = subprocess.run(words, capture_output=True, text=True, check=False)
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


@pytest.mark.parametrize("page", ["README.md", "docs/environment.md"])
def test_keyword_tables_show_the_defaults(page: str) -> None:
    parameters = inspect.signature(qv_env.QuaranteVoleursEnv).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    defaults["max_episode_steps"] = DEFAULT_MAX_EPISODE_STEPS  # which None stands for
    assert table(ROOT / page, KEYWORD_ROW) >= {
        (name, repr(value).replace("'", '"')) for name, value in defaults.items()
    }


def test_vector_keyword_table_shows_the_defaults() -> None:
    parameters = inspect.signature(qv_env.QuaranteVoleursVectorEnv).parameters
    shown = {name for name, _ in table(ROOT / "docs/environment.md", KEYWORD_ROW)}
    assert shown == set(parameters)


def test_config_table_shows_the_keys_and_defaults() -> None:
    shown = dict(table(ROOT / "docs/training.md", r"`(\w+)` \| (.*?) \|"))
    fields = {name: field for name, field in Config.model_fields.items() if name != "kwargs"}
    assert set(shown) == set(fields)
    for name, field in fields.items():
        if shown[name].startswith("`"):
            assert yaml.safe_load(shown[name].strip("`")) == field.default, name


def test_observation_table_shows_the_layout() -> None:
    fields = qv_env.OPEN_CARDS_DTYPE.fields
    assert fields is not None
    layout = set()
    for name, (dtype, first, *_) in fields.items():
        last = first + dtype.itemsize - 1
        span = str(first) if first == last else f"{first}–{last}"
        kind = " × ".join([np.dtype(dtype.base).name, *map(str, dtype.shape)])
        layout.add((span, name, kind))
    assert table(ROOT / "docs/environment.md", r"([\d–]+) \| `(\w+)` \| (uint[^|]*) \|") == layout


def test_features_table_shows_the_sections() -> None:
    sections = set()
    for feature in qv_env.FEATURES:
        last = feature.start + feature.size - 1
        span = str(last) if feature.size == 1 else f"{feature.start}–{last}"
        sections.add((span, feature.name, str(feature.high), feature.meaning))
    row = r"([\d–]+) \| `(\w+)` \| (\d+) \| (.*) \|"
    assert table(ROOT / "docs/environment.md", row) == sections


def test_episode_table_shows_the_keys() -> None:
    required = set(schema()["required"])
    rows = table(ROOT / "docs/episodes.md", r"`(\w+)` \| (yes|no) \|")
    assert rows == {(name, "yes" if name in required else "no") for name in schema()["properties"]}


def test_action_table_shows_the_actions() -> None:
    rows = table(ROOT / "docs/environment.md", r"(\d+(?:–\d+)?) \|[^|]+\|[^|]+\| (`.*`) \|")
    numbers = {action.text: action.number for action in ACTIONS}
    covered = []
    for span, examples in rows:
        ends = [int(end) for end in span.split("–")]
        covered += range(ends[0], ends[-1] + 1)
        for text in re.findall(r"`(.*?)`", examples):
            assert ends[0] <= numbers[text] <= ends[-1], text
    assert sorted(covered) == [action.number for action in ACTIONS]


def test_splits_table_shows_the_splits() -> None:
    rows = table(ROOT / "docs/deals.md", r"`(\w+)` \| ([\d,]+) \| (.*) \|")
    assert rows == {
        (
            name,
            f"{len(deals):,}",
            "every code"
            if name == "all"
            else f"`{deal_code(deals[0])}` … `{deal_code(deals[-1])}`",
        )
        for name, deals in SPLITS.items()
    }


def table(page: Path, row: str) -> set[tuple[str, ...]]:
    """Return what the groups of a pattern match in the table rows of a page."""
    return set(re.findall(rf"^\| {row}", page.read_text(encoding="utf-8"), re.MULTILINE))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, by the rule that code hosts use."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
