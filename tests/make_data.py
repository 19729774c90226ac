"""Writes the files of `tests/data` that the oracle computes: ``python -m tests.make_data``.

The engine takes no part in it. Golden files pin what has been published: a change in one of them
means that the same code names another game from now on.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests import play, reference
from tests.reference import Game

DATA: Final = Path(__file__).parent / "data"

# The first two of each split of interest, the last of all, and two (found by trial) whose shuffle
# draws a number that must be rejected for fairness.
GOLDEN_DEALS: Final = (
    *("FT1-N-AAAAAAA", "FT1-N-AAAAAAB", "FT1-N-AAAAAAV", "FT1-N-BAAAAAA"),
    *("FT1-N-ZZYAAAA", "FT1-N-ZZYAAAB", "FT1-N-ZZZAAAA", "FT1-N-ZZZAAAB", "FT1-N-ZZZZZZZ"),
    *(reference.code_of(number) for number in (2_835_548, 5_200_627)),
)


class Golden(NamedTuple):
    """A whole game to pin: a deal's code, or the seed and noise of a `play.mixed_deal`."""

    name: str
    policy: str
    code: str | None = None
    mixed: tuple[int, float] = (0, 0.0)
    plies: int = 1000


GOLDEN_GAMES: Final = (
    Golden("first_deal_uniform", "uniform", "FT1-N-AAAAAAA"),
    Golden("published_code_greedy", "foundation-greedy", "FT1-N-AAAAAAV"),
    Golden("first_dev_thrifty", "thrifty", "FT1-N-ZZYAAAA"),
    Golden("first_test_draw_averse", "draw-averse", "FT1-N-ZZZAAAA", plies=300),
    Golden("won_by_greed", "foundation-greedy", mixed=(0, 2.0)),
    Golden("won_with_waste_plays", "thrifty", mixed=(2, 3.0)),
    Golden("take_backs", "take-back-loving", mixed=(2, 2.0), plies=400),
)


class Position(NamedTuple):
    """A position to count moves from: a deal, and how many plies of a policy lead on from it."""

    name: str
    code: str | None
    mixed: tuple[int, float]
    policy: str
    plies: int
    depth: int


POSITIONS: Final = (
    Position("first deal", "FT1-N-AAAAAAA", (0, 0.0), "uniform", 0, 9),
    Position("published code", "FT1-N-AAAAAAV", (0, 0.0), "uniform", 0, 9),
    Position("first test deal", "FT1-N-ZZZAAAA", (0, 0.0), "uniform", 0, 7),
    Position("middle game", "FT1-N-AAAAAAV", (0, 0.0), "foundation-greedy", 60, 9),
    Position("another middle game", "FT1-N-ZZZAAAA", (0, 0.0), "uniform", 40, 8),
    Position("take-backs and twins", None, (1, 2.0), "take-back-loving", 150, 6),
    Position("end game", None, (1, 3.0), "thrifty", 190, 3),
)


def start_of(code: str | None, mixed: tuple[int, float]) -> list[str]:
    """Return the cards of a deal given either way."""
    if code is not None:
        return reference.shuffled(reference.number_of(code))
    return play.mixed_deal(mixed[0], noise=mixed[1])


def transcript(golden: Golden) -> str:
    """Play a game by the oracle and return it as text."""
    game = Game(start_of(golden.code, golden.mixed))
    explicit = "".join(start_of(golden.code, golden.mixed))
    lines = [f"deal {golden.code or explicit}", f"policy {golden.policy}"]
    rng = random.Random(golden.name)
    made = play.play(game, rng, play.policy(golden.policy), golden.plies)
    lines += [f"{move.text} {game.score}" for move in made]
    return "\n".join([*lines, f"end {ending(game)}", reference.position_text(game)])


def ending(game: Game) -> str:
    """Return how a game stands."""
    if reference.is_won(game):
        return "won"
    return "stuck" if reference.is_stuck(game) else "open"


def perft_entry(position: Position) -> dict[str, Any]:
    """Return a position and its counts of move sequences at every depth."""
    cards = start_of(position.code, position.mixed)
    game, rng = Game(cards), random.Random(position.name)
    moves = [m.text for m in play.play(game, rng, play.policy(position.policy), position.plies)]
    depths = range(1, position.depth + 1)
    return {
        "name": position.name,
        "deal": "".join(cards),
        "moves": moves,
        "legal": [reference.perft(game, depth, reference.legal_moves) for depth in depths],
        "canonical": [reference.perft(game, depth, reference.canonical_moves) for depth in depths],
    }


def golden_deals() -> dict[str, str]:
    """Return the cards of the golden deals in one word each, by code."""
    return {code: "".join(reference.shuffled(reference.number_of(code))) for code in GOLDEN_DEALS}


def write(path: Path, text: str) -> None:
    """Write a file with the same line ends everywhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="ascii", newline="\n")


def main() -> None:
    """Write every file."""
    write(DATA / "golden_deals.json", json.dumps(golden_deals(), indent=1) + "\n")
    for golden in GOLDEN_GAMES:
        write(DATA / "golden" / f"{golden.name}.txt", transcript(golden))
    entries = [perft_entry(position) for position in POSITIONS]
    write(DATA / "perft.json", json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
