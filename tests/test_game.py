"""The game for people, judged by the oracle: moves, undo, and reasons for refusals."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qv_env
from qv_env import Game, QuaranteVoleursEnv, RefusedError
from qv_env.actions import ACTIONS, pile_text
from qv_env.deals import Deal
from qv_env.episodes import verify
from qv_env.game import LegalMoves
from qv_env.game.moves import action_of
from tests import play, reference, strategies
from tests.games import (
    CODE,
    PLACES,
    assert_same,
    piles,
    played,
    some_tables,
    won_game,
)
from tests.golden import read_transcript


def test_every_way_to_name_a_deal_makes_the_same_game() -> None:
    deal = Deal.from_number(21)
    games = [Game(21), Game(CODE), Game(CODE.lower()), Game(deal), Game(Game(21).position)]
    assert all(game == games[0] and game.code == CODE for game in games)
    explicit = Game(deal.text)
    assert explicit.code == deal.text.replace(" ", "").replace("\n", "")
    assert piles(explicit) == piles(games[0])
    assert explicit != games[0]  # they say otherwise which deal they come from
    random_game = Game()
    assert random_game.deal is not None
    assert random_game.deal.number in qv_env.split_numbers("train")


@pytest.mark.parametrize(
    ("value", "error"), [("FT1", ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_what_names_no_deal(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        Game(value)  # type: ignore[arg-type]  # on purpose


def test_every_form_of_a_move_means_the_same() -> None:
    for row in ACTIONS:
        pair = pile_text(row.source), pile_text(row.destination)
        for move in (row.number, row.text, pair, (row.source, row.destination), row.text.upper()):
            assert action_of(move) == row.number
    for form in ("t4>t7", " T4 > t7 ", ("t4", "t7"), (3, 6), ("t4", 6), action_of("t4>t7")):
        assert Game(21).push(form) == "t4>t7"


@pytest.mark.parametrize(
    ("move", "error", "message"),
    [
        ("t4", ValueError, "not an action: 't4'; expected draw or SOURCE>DESTINATION"),
        ("t4>t11", ValueError, "not an action: 't4>t11'; there is no place t11"),
        (("t4", "x"), ValueError, "not a place: 'x'; columns are t1-t10"),
        (("t4", 20), ValueError, "a pile number must lie in [0, 19], got 20"),
        (269, ValueError, "an action must lie in [0, 268], got 269"),
        (-1, ValueError, "an action must lie in [0, 268], got -1"),
        (True, TypeError, "a move is a text such as t3>f2"),
        (None, TypeError, "a move is a text such as t3>f2"),
        ((1, 2, 3), TypeError, "a move is a text such as t3>f2"),
    ],
)
def test_what_is_no_move(move: object, error: type[Exception], message: str) -> None:
    game = Game(21)
    for ask in (game.push, game.why_not):
        with pytest.raises(error) as caught:
            ask(move)  # type: ignore[arg-type]  # on purpose
        assert str(caught.value).startswith(message)
    assert move not in game.legal_moves
    assert game == Game(21)


@some_tables
@given(strategies.tables())
def test_a_game_goes_as_the_oracle_plays_it(table: play.Table) -> None:
    game, oracle = played(table)
    assert_same(game, oracle)
    assert game.moves == oracle.moves == len(game.operations)
    assert list(game.undoable) == list(game.operations)[-100:]
    assert Game(game.position) == game
    assert Game(game.position).position == game.position


@some_tables
@given(strategies.tables())
def test_legal_moves_are_a_view(table: play.Table) -> None:
    game, _ = played(table)
    moves = game.legal_moves
    assert isinstance(moves, LegalMoves)
    assert bool(moves) == (len(moves) > 0) == (len(list(moves)) > 0)
    legal = set(moves.actions)
    assert [row.text for row in ACTIONS if row.number in legal] == list(moves)
    assert all((row.number in moves) == (row.number in legal) for row in ACTIONS)
    assert "castling" not in moves
    assert object() not in moves
    if "draw" in moves:
        game.draw()
        assert ("draw" in moves) == (game.stock_count > 0)


@some_tables
@given(strategies.tables(longest=120), st.integers(0, 2**32))
def test_undo_and_redo_go_back_and_forth(table: play.Table, seed: int) -> None:
    """Any mixture of moves, undos and redos stands where the moves that count lead to."""
    game, rng = Game(" ".join(table.cards)), random.Random(seed)
    line: list[str] = []
    undone: list[str] = []
    moves = 0
    for _ in range(150):
        kind = rng.choice(["move", "move", "undo", "redo"])
        legal = list(game.legal_moves)
        if kind == "move" and legal:
            line.append(game.push(rng.choice(legal)))
            undone.clear()
            moves += 1
        elif kind == "undo" and line:
            undone.append(line.pop())
            assert game.undo() == undone[-1]
        elif kind == "redo" and undone:
            line.append(undone.pop())
            assert game.redo() == line[-1]
            moves += 1
        assert game.moves == moves
    straight = reference.Game(table.cards)
    numbered = {move.text: move for move in reference.all_moves(reference.FULL)}
    for text in line:
        reference.apply(straight, numbered[text])
    assert_same(game, straight)
    assert game.redoable == tuple(undone)
    assert game.undoable == tuple(line)
    assert Game.from_episode(game.episode()) == game
    assert verify(game.episode()).states[-1] == game.state


def test_a_hundred_operations_can_be_undone_and_no_more() -> None:
    game = Game("FT1-N-ZZYAAAA")
    for action in read_transcript("first_dev_thrifty").actions[:110]:
        game.push(action)
    after_ten = Game("FT1-N-ZZYAAAA")
    for action in read_transcript("first_dev_thrifty").actions[:10]:
        after_ten.push(action)
    for _ in range(100):
        game.undo()
    with pytest.raises(RefusedError, match=r"^undo: There is nothing to undo\.$"):
        game.undo()
    assert piles(game) == piles(after_ten)
    assert (game.score, game.moves) == (after_ten.score, 110)
    for _ in range(100):
        game.redo()
    with pytest.raises(RefusedError, match=r"^redo: There is nothing to redo\.$"):
        game.redo()
    assert game.moves == 210


def test_a_take_back_below_nought_is_undone_exactly() -> None:
    cards = reference.shuffled(21)
    ace = cards.index("AS")
    cards[3], cards[ace] = cards[ace], cards[3]  # on top of the first column
    king = cards.index("2S", 40)
    cards[7], cards[king] = cards[king], cards[7]
    game = Game(" ".join(cards))
    assert [game.push("t1>f1"), game.push("f1>t2")] == ["t1>f1", "f1>t2"]
    assert game.score == 0
    game.undo()
    assert game.score == 10


def environment(table: play.Table) -> QuaranteVoleursEnv:
    env = QuaranteVoleursEnv(max_episode_steps=2_000)
    env.reset(options={"deal": " ".join(table.cards)})
    for action, _ in table.history:
        env.step(action)
    return env


@some_tables
@given(strategies.tables(longest=150))
def test_one_sentence_says_why_everywhere(table: play.Table) -> None:
    game, oracle = played(table)
    if reference.is_won(oracle) or reference.is_stuck(oracle):
        return  # there the environment's episode has ended
    env = environment(table)
    refused = [row for row in ACTIONS if game.why_not(row.number) is not None]
    assert {row.text for row in ACTIONS} - {row.text for row in refused} == set(game.legal_moves)
    sample = random.Random(len(refused)).sample(refused, 20)
    for row in sample:
        reason = game.why_not(row.text)
        assert env.step(row.number)[4]["refused"] == reason
        with pytest.raises(RefusedError) as caught:
            game.push(row.text)
        assert caught.value.reason == reason
        assert str(caught.value) == f"{row.text}: {reason}"


def test_every_pair_of_places_is_legal_or_has_a_reason() -> None:
    game = Game(21)
    reasons = set()
    for source in PLACES:
        for destination in PLACES:
            reason = game.why_not((source, destination))
            assert (reason is None) == ((source, destination) in game.legal_moves)
            if reason is not None:
                assert reason[0].isupper()
                assert reason.endswith(".")
                reasons.add(reason)
                with pytest.raises(RefusedError) as caught:
                    game.drop(source, destination)
                assert caught.value.reason == reason
    assert {
        "Source and destination are the same place.",
        "Nothing moves to the stock.",
        "The stock's cards go to the waste and nowhere else.",
        "Nothing moves to the waste except by a draw.",
        "Cards never move from a foundation to a foundation.",
    } <= reasons


def test_nothing_but_an_undo_follows_a_win() -> None:
    game = won_game()
    assert game.is_won
    assert not game.is_stuck
    assert not game.legal_moves
    assert list(game.legal_moves) == []
    assert game.why_not("f1>t1") == "The game is won, and no move follows."
    for gesture in (game.draw, lambda: game.drop("f1", "t1"), lambda: game.tap("w")):
        with pytest.raises(RefusedError, match="The game is won"):
            gesture()
    last = game.undo()
    assert not game.is_won
    assert last in game.legal_moves
    game.redo()
    assert game.is_won
    assert game.score == read_transcript("won_by_greed").scores[-1]


def test_a_stuck_game_says_so() -> None:
    transcript = read_transcript("first_deal_uniform")
    game = Game(transcript.deal)
    for action in transcript.actions:
        assert not game.is_stuck
        game.push(action)
    assert game.is_stuck
    game.undo()
    assert not game.is_stuck
