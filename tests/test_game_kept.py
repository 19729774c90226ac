"""What is kept of a game for people: copies, texts, notebooks, episodes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from hypothesis import given

from qv_env import Game, RefusedError
from qv_env.episodes import make_episode
from qv_env.game import Card, Pile
from tests import play, strategies
from tests.games import (
    CODE,
    open_game,
    played,
    some_tables,
)


def copies(game: Game) -> Iterator[Game]:
    yield game.copy()
    yield copy.copy(game)
    yield copy.deepcopy(game)
    yield pickle.loads(pickle.dumps(game))


def test_copies_go_their_own_way() -> None:
    game = Game(21)
    for _ in range(5):
        game.draw()
    game.undo()
    before = game.position
    for twin in copies(game):
        assert twin == game
        assert (twin.undoable, twin.redoable) == (game.undoable, game.redoable)
        twin.redo()
        twin.push("t4>t7")
        assert twin != game
        assert game.position == before
        assert twin.undo() == "t4>t7"
        assert twin.operations == ("draw",) * 5 + ("undo", "draw", "t4>t7", "undo")


def test_equality_is_of_deal_cards_score_and_counter() -> None:
    game, other = Game(21), Game(21)
    game.draw()
    assert game != other
    other.push("draw")
    assert game == other
    other.undo()
    other.redo()
    assert game != other  # the counter of moves tells
    assert game != CODE
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_a_refusal_can_be_sent_to_another_process() -> None:
    with pytest.raises(RefusedError) as caught:
        Game(21).push("t1>f1")
    twin = pickle.loads(pickle.dumps(caught.value))
    assert (str(twin), twin.move, twin.reason) == (
        str(caught.value),
        "t1>f1",
        caught.value.reason,
    )


def test_piles_read_well() -> None:
    game = open_game()
    game.push("t10>f1")
    first = game.foundations[0]
    assert (first.suit, first.top, first.wants, first.place) == (
        "spades",
        Card.parse("AS"),
        Card.parse("2S"),
        "f1",
    )
    assert game.foundations[3].wants == Card.parse("AC")
    assert game.foundations[6].wants is None
    assert game.columns[0].top is None
    assert repr(game.columns[0]) == "Pile('t1:')"
    pile = game.columns[3]
    assert isinstance(pile, Pile)
    assert pickle.loads(pickle.dumps(pile)) == pile
    assert pickle.loads(pickle.dumps(pile)).place == "t4"
    assert [card.code for card in pile] == game.state["columns"][3][: len(pile)].tolist()
    with pytest.raises(ValueError, match="card code must lie in"):
        Card(0)


def test_texts_of_a_game() -> None:
    game = Game(21)
    assert "deal FT1-N-AAAAAAV   score 0   moves 0" in str(game)
    assert repr(game) == "<Game of FT1-N-AAAAAAV: score 0, 0 moves>"
    without = Game("\n".join(game.position.splitlines()[1:]))
    assert repr(without) == "<Game of a position: score 0, 0 moves>"
    assert (without.deal, without.code) == (None, None)
    assert "deal" not in str(without)


class Cells(HTMLParser):
    """Collects the texts of table cells and checks that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] == "td":
            self.texts.append(data)


@some_tables
@given(strategies.tables())
def test_a_notebook_shows_what_a_player_sees(table: play.Table) -> None:
    game, _ = played(table)
    text = game._repr_html_()
    cells = Cells()
    cells.feed(text)
    assert cells.open == []
    shown = [card.symbol for pile in (*game.columns, game.waste) for card in pile]
    tops = [f.top.symbol if f.top else f"{'♠♥♦♣'[k % 4]}" for k, f in enumerate(game.foundations)]
    assert sorted(cells.texts) == sorted(shown + tops)
    assert f"score {game.score}" in text
    assert ("won" in text) == game.is_won
    assert ("stuck" in text) == game.is_stuck


def test_in_a_notebook_a_long_waste_takes_several_rows() -> None:
    game = Game(21)
    assert max(row.count("<td") for row in game._repr_html_().split("<tr>")) == len(game.columns)
    while game.stock_count:
        game.draw()
    rows = game._repr_html_().split("<tr>")
    assert max(row.count("<td") for row in rows) == len(game.columns)
    assert rows[-1].count("<td") == len(game.waste) % len(game.columns)


def test_a_game_from_a_position_makes_no_episode() -> None:
    game = Game(Game(21).position)
    with pytest.raises(ValueError, match="the game began from a position"):
        game.episode()


def test_a_game_makes_an_episode_and_comes_back_from_it() -> None:
    game = Game(21)
    game.draw()
    game.push("t4>t7")
    game.undo()
    game.redo()
    episode = game.episode("me")
    assert (episode.agent, episode.settings.undo) == ("me", True)
    assert episode.settings.max_episode_steps is None
    twin = Game.from_episode(episode)
    assert twin == game
    assert twin.operations == game.operations
    plain = make_episode(21, [0])
    assert Game.from_episode(plain).episode().settings.undo is False
