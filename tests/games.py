"""Games for people that tests play, and the oracle beside them."""

from __future__ import annotations

from hypothesis import settings

from qv_env import Game
from qv_env.actions import pile_text
from tests import play, reference
from tests.golden import read_transcript

CODE = "FT1-N-AAAAAAV"
# The oracle takes its time.
some_tables = settings(max_examples=40)
PLACES = [pile_text(pile) for pile in range(20)]


def played(table: play.Table) -> tuple[Game, reference.Game]:
    """Return the deal and the moves of a table as a game and as the oracle's, up to a win."""
    game, oracle = Game(" ".join(table.cards)), reference.Game(table.cards)
    for action, _ in table.history:
        if reference.is_won(oracle):
            break
        game.push(action)
        reference.apply(oracle, reference.all_moves(reference.FULL)[action])
    return game, oracle


def won_game() -> Game:
    game = Game(read_transcript("won_by_greed").deal)
    for action in read_transcript("won_by_greed").actions:
        game.push(action)
    return game


def black_game(waste: str, **columns: str) -> Game:
    """Return a game whose red cards are all up, with some cards in the open, the rest in stock."""
    rest = [card for card in reference.FULL.deck if card[1] in "SC"]
    lines = dict.fromkeys(PLACES, "") | {"w": waste, "score": "0", "moves": "0"} | columns
    for place in PLACES:
        for card in lines[place].split():
            rest.remove(card)
    lines |= {"f2": "KH", "f3": "KD", "f6": "KH", "f7": "KD", "stock": " ".join(rest)}
    return Game("\n".join(f"{name}: {cards}" for name, cards in lines.items()))


def open_game() -> Game:
    """Return a game with two empty columns, and two columns on which the waste's 5S can lie."""
    return black_game("5S", t3="QS", t4="3C 6S", t5="KC", t6="9C 3C 6S", t7="KC", t8="9C", t10="AS")


def piles(game: Game) -> list[str]:
    """Return every place a player sees, bottom card first, as the oracle's texts."""
    return [str(pile) for pile in (*game.columns, game.waste, *game.foundations)]


def assert_same(game: Game, other: reference.Game) -> None:
    assert piles(game) == [" ".join(other.piles[name]) for name in PLACES[:-1]]
    assert (game.score, game.stock_count) == (other.score, len(other.piles["stock"]))
    assert list(game.legal_moves) == (
        [] if reference.is_won(other) else [move.text for move in reference.legal_moves(other)]
    )
    assert game.is_won == reference.is_won(other)
    assert game.is_stuck == reference.is_stuck(other)
