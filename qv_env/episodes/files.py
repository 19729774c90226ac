"""Reading and writing episode files."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from qv_env.episodes.episode import FORMAT, VERSION, Episode
from qv_env.files import write_whole

SCHEMA_FILE: Final = "episode.schema.json"
_LONGEST_VALUE: Final = 40


class EpisodeError(ValueError):
    """A file holds no right episode; the message is one line that names the file."""


def read_episode(path: str | os.PathLike[str]) -> Episode:
    """Return the episode that a file holds; `qv_env.episodes.verify` checks it against the rules.

    Raises:
        EpisodeError: The file is no JSON, no episode, of another version, or has something wrong
            in it; the message says what and where.
        OSError: The file cannot be read.
    """
    path = Path(path)
    try:
        # Editors on Windows begin a text with a byte order mark, which means nothing.
        text = path.read_text(encoding="utf-8-sig")
        document = json.loads(text, object_pairs_hook=_without_repeats)
    except UnicodeDecodeError:
        raise EpisodeError(f"{path}: not a text file; expected an episode in JSON") from None
    except json.JSONDecodeError as error:
        raise EpisodeError(
            f"{path}: not whole JSON (line {error.lineno}, column {error.colno}: {error.msg}); "
            "the file may be cut off"
        ) from None
    except ValueError as error:  # a key twice, or a number of more digits than Python reads
        reason = str(error).partition(";")[0]  # Python goes on to advise its programmers
        raise EpisodeError(f"{path}: {reason}") from None
    except RecursionError:
        raise EpisodeError(f"{path}: JSON nested too deeply for an episode") from None
    try:
        return parse_episode(document)
    except ValueError as error:
        raise EpisodeError(f"{path}: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, of which readers would differ on what it says if a key stood twice."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {_shown(name)} stands there twice")
        found[name] = value
    return found


def parse_episode(document: Any) -> Episode:
    """Return the episode in a JSON document that has been decoded.

    Raises:
        ValueError: It is no episode, of another version, or has something wrong in it; the
            message is one line.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'no episode: expected a JSON object with "format": "{FORMAT}"')
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        raise ValueError(
            f"version {_shown(version)} of the episode format; "
            f"this version of qv-env reads version {VERSION}"
        )
    try:
        return Episode.model_validate(document)
    except ValidationError as error:
        raise ValueError(_one_line(error)) from None


def save_episode(path: str | os.PathLike[str], episode: Episode) -> Path:
    """Write an episode file in one go, replacing an existing one, and return its path.

    Raises:
        OSError: The folder does not exist or cannot be written to.
    """
    path = Path(path)
    write_whole(path, episode_text(episode))
    return path


def episode_text(episode: Episode) -> str:
    """Return an episode as JSON with one key a line."""
    fields = episode.model_dump(mode="json").items()
    lines = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in fields)
    return "{\n" + ",\n".join(lines) + "\n}\n"


def schema() -> dict[str, Any]:
    """Return the published JSON schema of episode files (draft 2020-12)."""
    text = resources.files(__package__).joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    published: dict[str, Any] = json.loads(text)
    return published


def _one_line(error: ValidationError) -> str:
    """Return the first thing that is wrong, where it stands, and how many others there are."""
    first, *others = error.errors()
    where = ".".join(str(part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] not in ("value_error", "missing"):
        reason += f", got {_shown(first['input'])}"
    more = f" (and {len(others)} more)" if others else ""
    return " ".join(f"{where + ': ' if where else ''}{reason}{more}".split())


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
