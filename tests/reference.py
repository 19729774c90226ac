"""The oracle: the rulebook once more, in slow and plain Python, to judge the engine by.

It was written from the rules of the game and shares nothing with `qv_env` but the way cards and
moves are written. A card is a string (``"TD"``), a pile is a list of cards from the bottom up, a
game is a dictionary of piles named as in moves (``t1``, ``w``, ``f1`` and ``stock``), and a move
is a string (``draw``, ``t3>f2``). Every function takes games of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "SHDC"

Form = tuple[object, ...]


class Rules(NamedTuple):
    """How large the game is: the full one has 4 suits, 13 ranks and 10 columns of 4 cards."""

    suits: int = 4
    ranks: int = 13
    columns: int = 10
    column_cards: int = 4

    @property
    def deck(self) -> list[str]:
        """The cards before any shuffle: two copies of the deck, one after the other."""
        one = [RANKS[r] + SUITS[s] for s in range(self.suits) for r in range(self.ranks)]
        return one + one


FULL = Rules()


class Move(NamedTuple):
    """A move as text, and the names of the piles it goes from and to."""

    text: str
    source: str
    destination: str


@lru_cache
def all_moves(rules: Rules) -> tuple[Move, ...]:
    """Return every move that could ever be legal, in the order of the action table."""
    columns = [f"t{c + 1}" for c in range(rules.columns)]
    foundations = [f"f{f + 1}" for f in range(2 * rules.suits)]
    pairs = [(here, to) for here in columns for to in (*columns, *foundations) if here != to]
    pairs += [("w", to) for to in (*columns, *foundations)]
    pairs += [(here, to) for here in foundations for to in columns]
    return (Move("draw", "stock", "w"), *(Move(f"{a}>{b}", a, b) for a, b in pairs))


class Game:
    """A game in progress.

    Attributes:
        piles: Cards of every pile, from the bottom up; the stock from the next card to the last.
        score: Points so far.
        moves: Moves and draws made.
    """

    def __init__(self, cards: list[str], rules: Rules = FULL) -> None:
        """Deal the cards: the columns from left to right, bottom card first, then the stock."""
        if sorted(cards) != sorted(rules.deck):
            raise ValueError("a deal holds each card exactly twice")
        self.rules = rules
        self.score = 0
        self.moves = 0
        self.piles: dict[str, list[str]] = {}
        size = rules.column_cards
        for c in range(rules.columns):
            self.piles[f"t{c + 1}"] = cards[c * size : (c + 1) * size]
        self.piles["w"] = []
        for f in range(2 * rules.suits):
            self.piles[f"f{f + 1}"] = []
        self.piles["stock"] = cards[rules.columns * size :]

    def copy(self) -> Game:
        """Return a game that goes its own way from here."""
        twin = object.__new__(Game)
        twin.rules, twin.score, twin.moves = self.rules, self.score, self.moves
        twin.piles = {name: list(pile) for name, pile in self.piles.items()}
        return twin

    def columns(self) -> list[list[str]]:
        """Return the columns from left to right."""
        return [self.piles[f"t{c + 1}"] for c in range(self.rules.columns)]

    def heights(self) -> list[int]:
        """Return how many cards each foundation holds, from left to right."""
        return [len(self.piles[f"f{f + 1}"]) for f in range(2 * self.rules.suits)]


def rank(card: str) -> int:
    """Return 1 for an ace to 13 for a king."""
    return RANKS.index(card[0]) + 1


def refusal(game: Game, move: Move) -> str | None:
    """Return the rule that forbids a move, or None if it is legal."""
    source, destination = game.piles[move.source], game.piles[move.destination]
    if not source:
        return "stock empty" if move.source == "stock" else "source empty"
    if move.source == "stock":
        return None
    card = source[-1]
    if move.destination[0] == "f":
        suit = SUITS[(int(move.destination[1:]) - 1) % game.rules.suits]
        if card[1] != suit:
            return "foundation of another suit"
        return None if rank(card) == len(destination) + 1 else "foundation wants another rank"
    if not destination:
        return None
    top = destination[-1]
    if top[0] == "A":
        return "nothing goes on an ace"
    if top[1] != card[1]:
        return "column of another suit"
    return None if rank(top) == rank(card) + 1 else "column wants another rank"


def legal_moves(game: Game) -> list[Move]:
    """Return the legal moves in table order."""
    return [move for move in all_moves(game.rules) if refusal(game, move) is None]


def is_needless(game: Game, move: Move) -> bool:
    """Return whether another legal move differs from this legal one by symmetry only."""
    if _is_second_twin(game, move.source) or _is_second_twin(game, move.destination):
        return True
    if move.destination[0] != "t" or game.piles[move.destination]:
        return False
    lone = move.source[0] == "t" and len(game.piles[move.source]) == 1
    return lone or [] in game.columns()[: int(move.destination[1:]) - 1]


def _is_second_twin(game: Game, name: str) -> bool:
    """Return whether a pile is the right one of two equally high foundations of a suit."""
    if name[0] != "f" or int(name[1:]) <= game.rules.suits:
        return False
    twin = f"f{int(name[1:]) - game.rules.suits}"
    return len(game.piles[name]) == len(game.piles[twin])


def canonical_moves(game: Game) -> list[Move]:
    """Return the legal moves less those that differ from another one by symmetry only."""
    return [move for move in legal_moves(game) if not is_needless(game, move)]


def apply(game: Game, move: Move) -> int:
    """Make a legal move and return the score's change."""
    reason = refusal(game, move)
    if reason is not None:
        raise ValueError(f"{move.text} is not legal: {reason}")
    source = game.piles[move.source]
    card = source.pop(0) if move.source == "stock" else source.pop()
    game.piles[move.destination].append(card)
    points = {"sw": 0, "tt": 0, "tf": 10, "wt": 5, "wf": 10, "ft": -15}
    before = game.score
    game.score = max(0, before + points[move.source[0] + move.destination[0]])
    game.moves += 1
    return game.score - before


def is_won(game: Game) -> bool:
    """Return whether every foundation is full."""
    return all(height == game.rules.ranks for height in game.heights())


def is_stuck(game: Game) -> bool:
    """Return whether the game is neither won nor has a legal move."""
    return not is_won(game) and not legal_moves(game)


def canonical_form(game: Game) -> Form:
    """Return what is left of a position when columns and twin foundations have no order."""
    suits, heights = game.rules.suits, game.heights()
    return (
        tuple(sorted(tuple(column) for column in game.columns())),
        tuple(game.piles["w"]),
        tuple(game.piles["stock"]),
        tuple(tuple(sorted([heights[s], heights[s + suits]])) for s in range(suits)),
    )


def card_byte(card: str, rules: Rules) -> int:
    """Return the number of a card: suit after suit from 1, ace first."""
    return 1 + rules.ranks * SUITS.index(card[1]) + RANKS.index(card[0])


def cards_observation(game: Game, plies_left: int) -> bytes:
    """Return the `cards` observation: 248 bytes in the full game."""
    rules = game.rules

    def padded(pile: list[str], size: int) -> bytes:
        return bytes(card_byte(card, rules) for card in pile).ljust(size, b"\0")

    column_size = rules.column_cards - 1 + rules.ranks
    waste_size = len(rules.deck) - rules.columns * rules.column_cards
    return b"".join(
        [
            plies_left.to_bytes(2, "little"),
            game.score.to_bytes(2, "little"),
            bytes([len(game.piles["stock"]), len(game.piles["w"])]),
            bytes(len(column) for column in game.columns()),
            bytes(game.heights()),
            *(padded(column, column_size) for column in game.columns()),
            padded(game.piles["w"], waste_size),
        ]
    )


def perft(game: Game, depth: int, moves: Callable[[Game], list[Move]]) -> int:
    """Return the number of sequences of `depth` moves, by the moves that `moves` allows."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(moves(game))
    total = 0
    for move in moves(game):
        child = game.copy()
        apply(child, move)
        total += perft(child, depth - 1, moves)
    return total


def position_text(game: Game) -> str:
    """Return every card of a position as lines of text."""
    lines = [f"score {game.score} moves {game.moves}"]
    lines += [f"{name}: {' '.join(pile)}".rstrip() for name, pile in game.piles.items()]
    return "".join(line + "\n" for line in lines)


class SplitMix64:
    """The generator of Steele, Lea and Flood (OOPSLA 2014), in unbounded integers."""

    def __init__(self, seed: int) -> None:
        """Start at a state in [0, 2^64)."""
        self.state = seed

    def next(self) -> int:
        """Return the next output, in [0, 2^64)."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def below(self, k: int) -> int:
        """Return a number in [0, k) from the upper 32 bits, all equally likely."""
        while True:
            product = (self.next() >> 32) * k
            if product % 2**32 >= 2**32 % k:
                return product // 2**32


def shuffled(number: int, rules: Rules = FULL) -> list[str]:
    """Return the cards of deal `number` in the order of dealing."""
    cards, source = rules.deck, SplitMix64(number)
    for i in range(len(cards) - 1, 0, -1):
        j = source.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def code_of(number: int) -> str:
    """Return a deal's number as its code: seven letters in base 26."""
    letters = ""
    for _ in range(7):
        number, digit = divmod(number, 26)
        letters = chr(ord("A") + digit) + letters
    return "FT1-N-" + letters


def number_of(code: str) -> int:
    """Return the number of the deal with this code."""
    number = 0
    for letter in code.removeprefix("FT1-N-"):
        number = 26 * number + ord(letter) - ord("A")
    return number
