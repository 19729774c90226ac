"""Write the boards anew: tables in README and docs, and plots. `make boards` calls it.

All of it comes from the files in ``results`` and from nothing else.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agents.boards.collection import read_boards
from agents.boards.curves import draw_curves
from agents.boards.pages import PLOTS, RESULTS, pages
from agents.boards.plots import draw_board
from qv_env.files import write_whole

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Write all that has changed, and say what."""
    try:
        changed = pages(ROOT)
        boards = read_boards(ROOT / RESULTS)
    except ValueError as error:
        sys.exit(f"boards: {error}")
    for path, text in changed.items():
        if path.read_text(encoding="utf-8") != text:
            write_whole(path, text)
            print(f"{path.relative_to(ROOT)}: written")
    folder = ROOT / PLOTS
    folder.mkdir(parents=True, exist_ok=True)
    for board in boards:
        for path in draw_board(board, folder):
            print(f"{path.relative_to(ROOT)}: drawn")
    for path in draw_curves(ROOT / RESULTS, folder):
        print(f"{path.relative_to(ROOT)}: drawn")


if __name__ == "__main__":
    main()
