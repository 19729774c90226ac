"""Lists of deals as a person writes them: a split and a count, a file of codes, or codes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from qv_env.deals import Deal, parse_deal, split_numbers

SPLITS: Final = ("train", "dev", "test", "all")
_COMMENT: Final = "#"
_LONGEST_PATH: Final = 200  # 104 cards are longer, and too long for a file's name on some systems


def parse_deals(values: Iterable[str]) -> list[Deal]:
    """Return the deals that some values name together, in order.

    Args:
        values: Each is ``SPLIT:COUNT`` (the first deals of a split), the path of a file with one
            deal a line (blank lines and what follows ``#`` are ignored), or deals separated by
            commas. A deal is a code, a deal number, or 104 cards written as one word.

    Raises:
        ValueError: A value names no deals, or a deal comes twice; the message is one line.
        OSError: A file cannot be read.
    """
    deals = [deal for value in values for deal in _parse_value(value.strip())]
    if not deals:
        raise ValueError("no deals given; expected for example dev:200, a file of codes, or codes")
    seen: set[str] = set()
    for deal in deals:
        if deal.code in seen:
            raise ValueError(f"deal {deal.code} is listed twice; each deal is played once")
        seen.add(deal.code)
    return deals


def fixed_list(values: Iterable[str]) -> str:
    """Return the name of the list of deals that some values name, such as ``test:1000``.

    Raises:
        ValueError: They name no single ``SPLIT:COUNT``, and so no list that others have as well.
    """
    words = [value.strip().lower() for value in values]
    if len(words) != 1 or words[0].partition(":")[0] not in SPLITS:
        raise ValueError(
            "results are kept for one list of deals that everyone has, such as test:1000 or "
            f"dev:200; got {', '.join(words)}"
        )
    split, _, count = words[0].partition(":")
    return f"{split}:{int(count)}"


def _parse_value(value: str) -> list[Deal]:
    if value.partition(":")[0].lower() in SPLITS:
        return _split_deals(value)
    path = Path(value)
    if value and _may_be_path(value) and path.is_file():
        return _file_deals(path)
    words = [word for word in value.split(",") if word.strip()]
    if len(words) == 1 and not _looks_like_deal(words[0]):
        raise ValueError(_why_no_deals(value))
    return [parse_deal(word) for word in words]


def _split_deals(value: str) -> list[Deal]:
    split, _, count = value.partition(":")
    numbers = split_numbers(split.lower())
    if not (count.isascii() and count.isdigit() and int(count) > 0):
        raise ValueError(f"{value!r} needs a count of deals, 1 or more, such as {split}:200")
    if int(count) > len(numbers):
        raise ValueError(f"{value!r} asks for more deals than the {len(numbers)} of the split")
    return [Deal.from_number(number) for number in numbers[: int(count)]]


def _file_deals(path: Path) -> list[Deal]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()  # a mark at the start is no text
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file of deal codes") from None
    deals = []
    for number, line in enumerate(lines, start=1):
        word = line.partition(_COMMENT)[0].strip()
        if not word:
            continue
        try:
            deals.append(parse_deal(word))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not deals:
        raise ValueError(f"{path} holds no deals")
    return deals


def _may_be_path(value: str) -> bool:
    """Return whether a value can be asked of the file system."""
    return len(value) <= _LONGEST_PATH and "\0" not in value


def _looks_like_deal(word: str) -> bool:
    word = word.strip()
    is_path = "/" in word or "\\" in word or "." in word
    return not is_path and (word[:1].isdigit() or "-" in word or not _may_be_path(word))


def _why_no_deals(value: str) -> str:
    expected = "expected a split and a count (dev:200), a file of codes, or codes (FT1-N-AAAAAAV)"
    close = difflib.get_close_matches(value.partition(":")[0].lower(), SPLITS, n=1)
    if ":" in value and close:
        return f"no split is called {value.partition(':')[0]!r}; did you mean {close[0]}?"
    return f"there is no deal and no file called {value!r}; {expected}"
