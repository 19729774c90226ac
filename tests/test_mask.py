"""The masks kept up to date by moves, and the canonical form and key of a position."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qv_env import engine, mask, matching
from tests import play, reference, strategies
from tests.play import Table

FORM_SIZE = 10 * 16 + 64 + 8 + 1
FORM_PROBES = 3000


def full_mask(table: Table) -> np.ndarray:
    legal = np.full(269, 7, np.int8)  # a value that a mask never holds: every cell must be written
    mask.write_mask(table.state, legal)
    return legal


def form(table: Table) -> bytes:
    cells = np.full(FORM_SIZE, 255, np.uint8)
    mask.canonical_form(table.state, cells)
    return cells.tobytes()


@given(strategies.tables())
def test_both_masks_equal_the_oracles_and_the_kernels_agree(table: Table) -> None:
    legal = full_mask(table)
    assert np.array_equal(legal, play.mask_of(reference.legal_moves(table.game)))
    assert [int(engine.is_legal(table.state, a)) for a in range(269)] == legal.tolist()
    assert mask.any_set(legal) == bool(legal.any())
    canonical = np.full(269, 7, np.int8)
    mask.write_canonical_mask(table.state, canonical)
    assert np.array_equal(canonical, play.mask_of(reference.canonical_moves(table.game)))
    assert canonical.any() == legal.any()
    mask.keep_canonical(table.state, legal)
    assert np.array_equal(legal, canonical)


@settings(max_examples=20)
@given(strategies.tables())
def test_the_vector_instructions_do_what_their_plain_form_says(table: Table) -> None:
    plain = full_mask(table)
    plain[1:] = 7
    movable = matching.write_moves(table.state, plain)
    assert movable == plain[1:].any()
    assert np.array_equal(plain, full_mask(table))


@given(strategies.tables())
def test_without_take_backs_a_mask_keeps_everything_else(table: Table) -> None:
    legal = full_mask(table)
    mask.drop_take_backs(table.state, legal)
    moves = [move for move in reference.legal_moves(table.game) if move.source[0] != "f"]
    assert np.array_equal(legal, play.mask_of(moves))
    assert mask.take_back_count(table.state) == 80


@given(
    strategies.tables(), st.permutations(range(10)), st.lists(st.booleans(), min_size=4, max_size=4)
)
def test_form_and_key_ignore_the_order_of_columns_and_twins(
    table: Table, order: list[int], swaps: list[bool]
) -> None:
    other = Table(table.cards)
    other.state = table.state.copy()
    for field in ("columns", "heights"):
        other.state[field] = table.state[field][order]
    for suit, swapped in enumerate(swaps):
        if swapped:
            other.state["foundations"][[suit, suit + 4]] = table.state["foundations"][
                [suit + 4, suit]
            ]
    engine.refresh_all(other.state)
    assert form(other) == form(table)
    assert mask.canonical_key(other.state) == mask.canonical_key(table.state)
    game = play.game_of(other.state)
    assert reference.canonical_form(game) == reference.canonical_form(table.game)


@given(strategies.tables())
def test_form_and_key_ignore_the_score_and_the_counter_of_moves(table: Table) -> None:
    before = form(table), mask.canonical_key(table.state)
    table.state["score"] += 5
    table.state["moves"] += 1
    assert (form(table), mask.canonical_key(table.state)) == before


@settings(max_examples=20)
@given(strategies.deals(), st.integers(0, 2**32 - 1))
def test_forms_and_keys_are_equal_exactly_where_the_oracles_forms_are(
    cards: list[str], seed: int
) -> None:
    """All positions around a game: those on its path and those one move aside."""
    seen: dict[reference.Form, tuple[bytes, int]] = {}
    table, rng = Table(cards), random.Random(seed)
    choose = play.policy("take-back-loving")
    while len(table.history) < FORM_PROBES // 100:
        moves = reference.legal_moves(table.game)
        if not moves:
            break
        for move in moves:
            game = table.game.copy()
            table.make(move)
            place = seen.setdefault(reference.canonical_form(table.game), _form_and_key(table))
            assert place == _form_and_key(table)
            table.undo()
            table.game = game
        table.make(choose(rng, moves))
    assert len({place[0] for place in seen.values()}) == len(seen)
    assert len({place[1] for place in seen.values()}) == len(seen)


def _form_and_key(table: Table) -> tuple[bytes, int]:
    return form(table), int(mask.canonical_key(table.state))


def test_the_key_tells_apart_what_lies_where() -> None:
    """The same cards in the waste and in a column, in two orders, or drawn and not drawn."""
    table = Table(play.mixed_deal(seed=3))
    keys = {int(mask.canonical_key(table.state))}
    for _ in range(5):
        table.make(reference.all_moves(reference.FULL)[0])
        keys.add(int(mask.canonical_key(table.state)))
    waste = table.state["waste"]
    waste[:2] = waste[1::-1].copy()
    keys.add(int(mask.canonical_key(table.state)))
    column = table.state["columns"][0]
    column[:4] = column[3::-1].copy()
    keys.add(int(mask.canonical_key(table.state)))
    assert len(keys) == 8
