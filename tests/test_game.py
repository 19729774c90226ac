"""The game for people, judged by the oracle: moves, undo, gestures, reasons, and what is kept."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qv_env
from qv_env import Game, QuaranteVoleursEnv, RefusedError
from qv_env.actions import ACTIONS, pile_text
from qv_env.deals import Deal
from qv_env.episodes import make_episode, verify
from qv_env.game import Card, LegalMoves, Pile
from qv_env.game.moves import action_of
from tests import play, reference, strategies
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


def oracle_targets(game: reference.Game, source: str) -> list[str]:
    return [m.destination for m in reference.legal_moves(game) if m.source == source]


def oracle_best(game: reference.Game, source: str) -> str | None:
    """The place of automatic placement by the app's description, in plain words."""
    targets = oracle_targets(game, source)
    for target in targets:
        if target.startswith("f"):
            return target
    columns = [target for target in targets if game.piles[target]]
    if columns:
        longest = max(len(game.piles[column]) for column in columns)
        return next(column for column in columns if len(game.piles[column]) == longest)
    return targets[0] if targets else None


def oracle_tap(game: reference.Game, source: str) -> str | None:
    if source.startswith("f"):
        return None
    targets = oracle_targets(game, source)
    foundations = [target for target in targets if target.startswith("f")]
    return next(iter(foundations or (targets if source in ("w", "stock") else [])), None)


def moved(before: Game, gesture: str, *words: str, auto: bool | None = None) -> str | None:
    """Return where a gesture moves the card, or None where it is refused and changes nothing."""
    game = before.copy()
    options = {} if auto is None else {"auto": auto}
    try:
        text = getattr(game, gesture)(*words, **options)
    except RefusedError:
        assert game == before
        return None
    assert game != before
    assert game.operations[-1] == text
    return "w" if text == "draw" else str(text.partition(">")[2])


@some_tables
@given(strategies.tables())
def test_gestures_follow_the_apps_preferences(table: play.Table) -> None:
    game, oracle = played(table)
    for source in PLACES:
        targets = oracle_targets(oracle, source)
        if reference.is_won(oracle):
            assert game.targets(source) == ()
            assert moved(game, "tap", source) is None
            continue
        assert game.targets(source) == tuple(targets)
        assert moved(game, "tap", source) == oracle_tap(oracle, source)
        best = oracle_best(oracle, source)
        from_foundation = source.startswith("f")
        assert moved(game, "double_tap", source) == (None if from_foundation else best)
        for place in ("t1", "f2", "w"):
            expected = None if place == source else best
            if source == "stock":
                expected = "w" if place == "w" and targets else None
            assert moved(game, "drop", source, place, auto=True) == expected
        for target in targets:
            assert moved(game, "drop", source, target) == target
        assert moved(game, "drop", source, source) is None


def test_gestures_prefer_foundations_then_long_columns_then_empty_ones() -> None:
    game = open_game()
    assert moved(game, "tap", "w") == "t1"  # the leftmost that accepts it, though it is empty
    assert moved(game, "double_tap", "w") == "t6"  # the longest, though t4 lies further left
    assert moved(game, "drop", "w", "t9", auto=True) == "t6"
    assert moved(game, "tap", "t10") == moved(game, "double_tap", "t10") == "f1"  # not its twin
    assert moved(game, "double_tap", "t3") == "t1"  # only the empty ones accept it
    alike = black_game("5S", t3="3C 6S", t6="3C 6S", t7="9C 9C KC")
    assert moved(alike, "double_tap", "w") == "t3"  # the left one of equally long ones
    with pytest.raises(RefusedError, match=r"^tap t3: A foundation is built upwards"):
        game.tap("t3")
    with pytest.raises(RefusedError, match=r"^tap f1: There is no card to move there\.$"):
        game.tap("f1")


@pytest.mark.parametrize("gesture", ["tap", "double_tap"])
def test_a_foundation_is_dragged_not_tapped(gesture: str) -> None:
    game = open_game()
    game.push("t10>f1")
    with pytest.raises(RefusedError, match="A card comes back from a foundation only by being"):
        getattr(game, gesture)("f1")
    assert game.copy().drop("f1", "t1") == "f1>t1"
    assert game.copy().drop("f1", "f2", auto=True) == "f1>t1"
    with pytest.raises(RefusedError, match=r"^f1>f2: Cards never move from a foundation to a "):
        game.drop("f1", "f2")


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
