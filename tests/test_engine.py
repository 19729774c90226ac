"""The engine's rules one by one, on positions made for the purpose, and what always holds."""

import numpy as np
import pytest
from hypothesis import given

from qv_env import engine
from qv_env.sizes import FULL
from tests import play, reference, strategies
from tests.play import Table
from tests.reference import Game, Move

# The sentences of `qv_env.refusals` follow these codes; the oracle has words of its own.
REASONS = {
    None: engine.LEGAL,
    "stock empty": engine.STOCK_EMPTY,
    "source empty": engine.SOURCE_EMPTY,
    "nothing goes on an ace": engine.COLUMN_ON_ACE,
    "column of another suit": engine.COLUMN_OTHER_SUIT,
    "column wants another rank": engine.COLUMN_OTHER_RANK,
    "foundation of another suit": engine.FOUNDATION_OTHER_SUIT,
    "foundation wants another rank": engine.FOUNDATION_OTHER_RANK,
}
MOVES = {move.text: move for move in reference.all_moves(reference.FULL)}


def table_with(columns: dict[int, str], stock: str = "") -> Table:
    """Return a fresh table where some columns are as given and the stock begins as given.

    All other places are filled with the cards that remain, kings first.
    """
    rest = sorted(reference.FULL.deck, key=reference.rank, reverse=True)
    for card in " ".join([*columns.values(), stock]).split():
        rest.remove(card)
    order = []
    for number in range(1, 11):
        known = columns.get(number, "").split()
        order += [rest.pop(0) for _ in range(4 - len(known))] + known
    return Table(order + stock.split() + rest)


def make(table: Table, *texts: str) -> list[int]:
    """Make moves given as text and return the engine's score changes, checked by the oracle."""
    changes = []
    for text in texts:
        change, expected = table.make(MOVES[text])
        assert change == expected, text
        changes.append(change)
    return changes


def first_up(game: Game) -> Move:
    """Return the first move to a foundation, or else a draw: enough to win the easiest deals."""
    moves = [m for m in reference.legal_moves(game) if m.destination[0] == "f" or m.text == "draw"]
    return max(moves, key=lambda move: move.destination[0] == "f")


def refusal(table: Table, text: str) -> int:
    """Return the engine's refusal of a move given as text, checked by the oracle."""
    code = int(engine.refusal(table.state, play.number_of_move(reference.FULL, text)))
    assert code == REASONS[reference.refusal(table.game, MOVES[text])], text
    return code


def test_a_deal_lies_as_it_is_read() -> None:
    cards = reference.shuffled(21)
    table = Table(cards)
    assert play.game_of(table.state).piles == Game(cards).piles
    state = table.state
    assert [reference.card_byte(c, reference.FULL) for c in cards[:4]] == list(
        state["columns"][0, :4]
    )
    assert [reference.card_byte(c, reference.FULL) for c in cards[40:]] == list(state["stock"])
    assert (state["stock_count"], state["waste_count"], state["score"], state["moves"]) == (
        64,
        0,
        0,
        0,
    )


def test_the_public_bytes_of_a_state_come_first_and_the_stock_next() -> None:
    table = Table(reference.shuffled(21))
    everything = table.state.tobytes()
    assert (engine.PUBLIC_BYTES, engine.OPEN_BYTES) == (246, 246 + 64)
    assert everything[: engine.PUBLIC_BYTES] == reference.cards_observation(table.game, 0)[2:]
    stock = play.codes(table.game.piles["stock"])
    assert everything[engine.PUBLIC_BYTES : engine.OPEN_BYTES] == stock.tobytes()


def test_a_deal_overwrites_every_byte_of_an_older_game() -> None:
    state = Table(reference.shuffled(21)).state
    fresh = state.tobytes()
    other = Table(play.mixed_deal(seed=1, noise=0.0))
    while not reference.is_won(other.game):
        other.make(first_up(other.game))
    engine.deal(other.state, play.codes(reference.shuffled(21)))
    assert other.state.tobytes() == fresh


def test_a_draw_turns_one_card_over_for_nothing() -> None:
    table = table_with({}, stock="5H 9C")
    assert make(table, "draw", "draw") == [0, 0]
    assert table.game.piles["w"] == play.game_of(table.state).piles["w"] == ["5H", "9C"]


def test_the_stock_is_never_turned_over_again() -> None:
    table = table_with({}, stock="5H")
    make(table, *["draw"] * 64)
    assert refusal(table, "draw") == engine.STOCK_EMPTY


def test_columns_build_down_in_suit() -> None:
    table = table_with({1: "8S", 2: "7S", 3: "7C", 4: "6S", 5: "8H"})
    assert refusal(table, "t2>t1") == engine.LEGAL
    assert refusal(table, "t2>t5") == engine.COLUMN_OTHER_SUIT
    assert refusal(table, "t3>t1") == engine.COLUMN_OTHER_SUIT
    assert refusal(table, "t1>t2") == engine.COLUMN_OTHER_RANK
    assert refusal(table, "t4>t1") == engine.COLUMN_OTHER_RANK
    assert make(table, "t2>t1", "t4>t1") == [0, 0]


def test_the_same_card_never_goes_on_its_twin() -> None:
    table = table_with({1: "8S", 2: "8S"})
    assert refusal(table, "t2>t1") == engine.COLUMN_OTHER_RANK


def test_nothing_goes_on_an_ace() -> None:
    table = table_with({1: "AS", 2: "2S", 3: "KH", 4: "AS"})
    for source in ("t2", "t3", "t4"):
        assert refusal(table, f"{source}>t1") == engine.COLUMN_ON_ACE


def test_suits_do_not_run_into_each_other() -> None:
    """The code of a king is one below that of the next suit's ace."""
    table = table_with({1: "AH", 2: "KS", 3: "AD", 4: "KH"}, stock="KD")
    for move in ("t2>t1", "t4>t3"):
        assert refusal(table, move) == engine.COLUMN_ON_ACE
    for move in ("t1>t2", "t3>t4"):
        assert refusal(table, move) == engine.COLUMN_OTHER_SUIT
    assert refusal(table, "t1>f1") == engine.FOUNDATION_OTHER_SUIT
    assert refusal(table, "t2>f2") == engine.FOUNDATION_OTHER_SUIT


def test_an_empty_column_accepts_any_card_from_anywhere() -> None:
    table = table_with({1: "5S 6S 7S 8S", 2: "9S", 3: "AH", 4: "9S 8S"}, stock="3D QC")
    make(table, "t1>t2", "t3>f2", "draw")
    make(table, "t1>t2", "t1>t2", "t1>t2")
    assert not table.game.piles["t1"]
    for source in ("t2", "t3", "t4", "w", "f2"):
        assert refusal(table, f"{source}>t1") == engine.LEGAL
    assert refusal(table, "t1>t2") == engine.SOURCE_EMPTY
    assert make(table, "w>t1") == [5]
    assert play.game_of(table.state).piles["t1"] == ["3D"]


@pytest.mark.parametrize("first", [1, 5])
def test_each_foundation_takes_its_suit_from_the_ace(first: int) -> None:
    table = table_with({1: "AS", 2: "AH", 3: "AD", 4: "AC", 5: "2S", 6: "3S", 7: "AS"})
    assert refusal(table, f"t5>f{first}") == engine.FOUNDATION_OTHER_RANK
    for number in range(4):
        for other in range(4):
            if other != number:
                move = f"t{number + 1}>f{first + other}"
                assert refusal(table, move) == engine.FOUNDATION_OTHER_SUIT
        assert make(table, f"t{number + 1}>f{first + number}") == [10]
    assert refusal(table, f"t7>f{first}") == engine.FOUNDATION_OTHER_RANK
    assert refusal(table, f"t6>f{first}") == engine.FOUNDATION_OTHER_RANK
    assert make(table, f"t5>f{first}", f"t6>f{first}") == [10, 10]


def test_a_full_foundation_takes_nothing_more() -> None:
    table = Table(play.mixed_deal(seed=0, noise=0.0))
    while len(table.game.piles["f1"]) < 13:
        table.make(first_up(table.game))
    tops = {name: pile[-1] for name, pile in table.game.piles.items() if name[0] in "tw" and pile}
    spades = [name for name, top in tops.items() if top[1] == "S"]
    assert spades
    for name in spades:
        assert refusal(table, f"{name}>f1") == engine.FOUNDATION_OTHER_RANK


def test_the_waste_scores_5_to_a_column_and_10_to_a_foundation() -> None:
    table = table_with({1: "8S"}, stock="7S AH")
    assert make(table, "draw", "w>t1", "draw", "w>f2") == [0, 5, 0, 10]
    assert table.state["score"] == 15


def test_a_card_under_others_in_the_waste_waits_for_them() -> None:
    table = table_with({1: "8S", 2: "4D"}, stock="7S 3D")
    make(table, "draw", "draw")
    assert refusal(table, "w>t1") == engine.COLUMN_OTHER_SUIT
    make(table, "w>t2")
    assert refusal(table, "w>t1") == engine.LEGAL


def test_a_take_back_costs_15_and_the_score_stops_at_0() -> None:
    table = table_with({1: "2S", 2: "AS", 3: "2H", 4: "AH"})
    assert make(table, "t2>f1") == [10]
    assert make(table, "f1>t1") == [-10]
    assert table.state["score"] == 0
    assert make(table, "t1>f1", "t4>f2") == [10, 10]
    assert make(table, "f1>t1") == [-15]
    assert make(table, "f2>t3") == [-5]
    assert table.state["score"] == 0
    assert make(table, "t1>f5", "t3>f6") == [10, 10]


def test_a_take_back_follows_the_rules_of_columns() -> None:
    table = table_with({1: "AS", 2: "2S", 3: "2H", 4: "AS", 5: "3S"})
    assert refusal(table, "f1>t2") == engine.SOURCE_EMPTY
    make(table, "t1>f1")
    assert refusal(table, "f1>t2") == engine.LEGAL
    assert refusal(table, "f1>t3") == engine.COLUMN_OTHER_SUIT
    assert refusal(table, "f1>t4") == engine.COLUMN_ON_ACE
    assert refusal(table, "f1>t5") == engine.COLUMN_OTHER_RANK
    assert refusal(table, "w>t2") == engine.SOURCE_EMPTY


def test_a_column_can_reach_its_limit_of_16_cards() -> None:
    run = "QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS"
    table = table_with({1: "2H 3H 4H KS"}, stock=run)
    for _ in run.split():
        make(table, "draw", "w>t1")
    assert table.state["heights"][0] == FULL.column_limit == 16
    assert play.game_of(table.state).piles["t1"] == ["2H", "3H", "4H", "KS", *run.split()]
    assert table.state["score"] == 60


def test_a_won_game_scores_as_published() -> None:
    """104 cards at 10 points, and 5 for each card that went from the waste to a column."""
    table = Table(play.mixed_deal(seed=0, noise=0.0))
    assert not engine.is_won(table.state)
    while not reference.is_won(table.game):
        assert not engine.is_won(table.state)
        table.make(first_up(table.game))
    assert engine.is_won(table.state)
    assert engine.foundation_cards(table.state) == 104
    assert table.state["score"] == 1040 + 5 * table.waste_plays
    assert table.state["foundations"].tolist() == [13] * 8
    assert table.state["moves"] == 104 + 64


@given(strategies.tables())
def test_undo_restores_every_byte_back_to_the_deal(table: Table) -> None:
    again, states = Table(table.cards), []
    for action, change in table.history:
        states.append(again.state.tobytes())
        assert engine.apply(again.state, action) == change
    assert again.state.tobytes() == table.state.tobytes()
    while table.history:
        table.undo()
        assert table.state.tobytes() == states.pop()


@given(strategies.tables())
def test_the_cards_are_always_104_and_two_of_each(table: Table) -> None:
    piles = play.game_of(table.state).piles
    assert sorted(card for pile in piles.values() for card in pile) == sorted(reference.FULL.deck)


@given(strategies.tables())
def test_cells_above_a_pile_are_zero_and_the_derived_fields_follow(table: Table) -> None:
    state = table.state
    for c, height in enumerate(state["heights"]):
        assert height <= FULL.column_limit
        assert not state["columns"][c, height:].any()
        assert state["columns"][c, :height].all()
    assert not state["waste"][state["waste_count"] :].any()
    drawn = 64 - int(state["stock_count"])
    assert not state["stock"][:drawn].any()
    unseen = np.bincount(state["stock"][drawn:], minlength=53)[1:].reshape(4, 13)
    assert np.array_equal(state["unseen"], unseen)
    before = state.copy()
    engine.refresh_all(state)
    assert state.tobytes() == before.tobytes()


@given(strategies.tables())
def test_the_score_is_bounded_by_the_cards(table: Table) -> None:
    """No loop of moves earns points: each foundation card counts once, each waste play once."""
    state = table.state
    score = int(state["score"])
    assert score % 5 == 0
    assert score <= 10 * engine.foundation_cards(state) + 5 * table.waste_plays
    assert table.waste_plays <= 64


def test_moves_of_the_oracle_are_checked() -> None:
    game = Game(reference.shuffled(21))
    with pytest.raises(ValueError, match="t1>t2 is not legal"):
        reference.apply(game, Move("t1>t2", "t1", "t2"))
