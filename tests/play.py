"""Deals and policies to play them by, and a table where the engine and the oracle play together."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from qv_env import engine
from qv_env.sizes import Sizes
from tests import reference
from tests.reference import FULL, Game, Move, Rules

Policy = Callable[[random.Random, list[Move]], Move]

# How much each kind of move, named by its first letters, weighs against one of weight 1.
POLICIES: Final[dict[str, dict[str, float]]] = {
    "uniform": {},
    "foundation-greedy": {"tf": 100.0, "wf": 100.0, "ft": 0.02},
    "draw-averse": {"sw": 0.02},
    "take-back-loving": {"ft": 10.0, "tf": 10.0, "wf": 10.0},
    "thrifty": {"tf": 400.0, "wf": 400.0, "wt": 20.0, "ft": 0.0001, "tt": 0.3},
}


def policy(name: str) -> Policy:
    """Return a policy that draws among the legal moves by the weights of `POLICIES`."""
    weights = POLICIES[name]

    def choose(rng: random.Random, moves: list[Move]) -> Move:
        shares = [weights.get(m.source[0] + m.destination[0], 1.0) for m in moves]
        # Only `random()` is promised to give the same numbers in every version of Python.
        rest = rng.random() * sum(shares)
        for move, share in zip(moves, shares, strict=True):
            rest -= share
            if rest < 0:
                return move
        return moves[-1]

    return choose


def mixed_deal(seed: int, rules: Rules = FULL, noise: float = 100.0) -> list[str]:
    """Return a deal that is easy to win without noise, and like any other with much of it.

    Low cards lie early in the stock and on top of the columns, each card's rank being blurred by
    up to `noise` ranks.
    """
    rng = random.Random(seed)
    ranked = [(reference.rank(card) + noise * rng.random(), card) for card in rules.deck]
    cards = [card for _, card in sorted(ranked)]
    table = rules.columns * rules.column_cards
    stock, high = cards[: len(cards) - table], cards[len(cards) - table :][::-1]
    columns = [high[c :: rules.columns] for c in range(rules.columns)]
    return [card for column in columns for card in column] + stock


def play(game: Game, rng: random.Random, choose: Policy, plies: int) -> Iterator[Move]:
    """Play on with the oracle alone, yielding each move once made, until the end of the game."""
    for _ in range(plies):
        moves = reference.legal_moves(game)
        if not moves or reference.is_won(game):
            return
        move = choose(rng, moves)
        reference.apply(game, move)
        yield move


def codes(cards: list[str], rules: Rules = FULL) -> npt.NDArray[np.uint8]:
    """Return cards as the engine's codes."""
    return np.array([reference.card_byte(card, rules) for card in cards], np.uint8)


def number_of_move(rules: Rules, text: str) -> int:
    """Return the action of a move in a game of any size."""
    return _numbers(rules)[text]


_NUMBERS: dict[Rules, dict[str, int]] = {}


def _numbers(rules: Rules) -> dict[str, int]:
    if rules not in _NUMBERS:
        moves = reference.all_moves(rules)
        _NUMBERS[rules] = {move.text: number for number, move in enumerate(moves)}
    return _NUMBERS[rules]


def game_of(state: Any, rules: Rules = FULL) -> Game:
    """Return the oracle's game that shows every card of an engine's state."""
    text = {reference.card_byte(card, rules): card for card in rules.deck}
    game = Game(rules.deck, rules)
    game.score, game.moves = int(state["score"]), int(state["moves"])
    for c, height in enumerate(state["heights"].tolist()):
        column = state["columns"][c].tolist()
        game.piles[f"t{c + 1}"] = [text[code] for code in column[:height]]
    game.piles["w"] = [text[code] for code in state["waste"].tolist()[: state["waste_count"]]]
    for f, height in enumerate(state["foundations"].tolist()):
        suit = reference.SUITS[f % rules.suits]
        game.piles[f"f{f + 1}"] = [reference.RANKS[r] + suit for r in range(height)]
    left = int(state["stock_count"])
    stock = state["stock"].tolist()
    game.piles["stock"] = [text[code] for code in stock[len(stock) - left :]]
    return game


class Table:
    """One game played by the engine and the oracle at once.

    Attributes:
        cards: The deal.
        game: The oracle's game.
        state: The engine's state.
        history: Every action made, with the score's change.
        waste_plays: How many cards went from the waste to a column.
    """

    def __init__(self, cards: list[str], rules: Rules = FULL) -> None:
        """Deal the same cards to both."""
        self.cards = cards
        self.game = Game(cards, rules)
        self.state = engine.new_state(Sizes(*rules))
        engine.deal(self.state, codes(cards, rules))
        self.history: list[tuple[int, int]] = []
        self.waste_plays = 0

    def make(self, move: Move) -> tuple[int, int]:
        """Make a legal move on both sides; return the engine's and the oracle's score change."""
        action = number_of_move(self.game.rules, move.text)
        expected = reference.apply(self.game, move)
        change = int(engine.apply(self.state, action))
        self.history.append((action, change))
        self.waste_plays += move.source == "w" and move.destination[0] == "t"
        return change, expected

    def undo(self) -> None:
        """Take back the engine's last move; the oracle does not follow."""
        action, change = self.history.pop()
        engine.undo(self.state, action, change)


def legal_numbers(game: Game) -> list[int]:
    """Return the oracle's legal moves as action numbers."""
    return [number_of_move(game.rules, move.text) for move in reference.legal_moves(game)]


def mask_of(moves: list[Move], rules: Rules = FULL) -> npt.NDArray[np.int8]:
    """Return moves as a mask over all actions."""
    mask = np.zeros(len(reference.all_moves(rules)), np.int8)
    mask[[number_of_move(rules, move.text) for move in moves]] = 1
    return mask
