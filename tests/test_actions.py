"""The table of 269 actions: order, text, and that every one of them is legal somewhere."""

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qv_env import actions, engine
from qv_env.sizes import FULL, Sizes
from tests import play, reference

SHRUNKEN = Sizes(suits=2, ranks=3, columns=3, column_cards=2)


def test_the_table_is_the_oracles() -> None:
    assert actions.NUM_ACTIONS == len(actions.ACTIONS) == FULL.actions == 269
    assert [action.text for action in actions.ACTIONS] == [
        move.text for move in reference.all_moves(reference.FULL)
    ]
    assert [action.number for action in actions.ACTIONS] == list(range(269))


def test_the_table_of_a_shrunken_game_is_the_oracles() -> None:
    table = actions.action_table(SHRUNKEN)
    moves = reference.all_moves(reference.Rules(*SHRUNKEN))
    assert [action.text for action in table] == [move.text for move in moves]
    assert len(table) == SHRUNKEN.actions


def test_the_table_is_ordered_by_source_and_destination() -> None:
    pairs = [(action.source, action.destination) for action in actions.ACTIONS[1:]]
    assert pairs == sorted(set(pairs))


@pytest.mark.parametrize("sizes", [FULL, SHRUNKEN])
def test_kernels_compute_what_the_table_says(sizes: Sizes) -> None:
    state = engine.new_state(sizes)
    for action in actions.action_table(sizes):
        source = engine.source_of(state, action.number)
        destination = engine.destination_of(state, action.number)
        assert (source, destination) == (action.source, action.destination)
        assert engine.action_of(state, source, destination) == action.number


@given(st.integers(0, 268), st.randoms(use_true_random=False))
def test_text_parses_back_in_any_case_and_spacing(action: int, rng: random.Random) -> None:
    text = actions.action_text(action)
    assert actions.parse_action(text) == action
    loose = "".join(rng.choice(["", " ", "\t"]) + rng.choice([c, c.upper()]) for c in text)
    assert actions.parse_action(f" {loose}\n") == action


def test_texts_differ() -> None:
    assert len({action.text for action in actions.ACTIONS}) == 269


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected draw or SOURCE>DESTINATION"),
        ("drawn", "expected draw or SOURCE>DESTINATION"),
        ("t1", "expected draw or SOURCE>DESTINATION"),
        ("t1>t2>t3", "expected draw or SOURCE>DESTINATION"),
        ("t1-t2", "expected draw or SOURCE>DESTINATION"),
        ("x1>t2", "expected draw or SOURCE>DESTINATION"),
        ("w1>t2", "expected draw or SOURCE>DESTINATION"),
        ("stock>w", "expected draw or SOURCE>DESTINATION"),
        ("t0>t1", "there is no place t0 (columns are t1-t10, foundations f1-f8)"),
        ("t1>t11", "there is no place t11 (columns are t1-t10, foundations f1-f8)"),
        ("t01>t2", "there is no place t01 (columns are t1-t10, foundations f1-f8)"),
        ("w>f9", "there is no place f9 (columns are t1-t10, foundations f1-f8)"),
        ("t3>t3", "source and destination are the same place"),
        ("f3>f3", "source and destination are the same place"),
        ("t3>w", "nothing moves to the waste except by a draw"),
        ("f3>w", "nothing moves to the waste except by a draw"),
        ("f1>f5", "cards never move from a foundation to a foundation"),
    ],
)
def test_a_wrong_text_says_what_is_wrong(text: str, reason: str) -> None:
    message = f"not an action: {text!r}; {reason}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        actions.parse_action(text)


@pytest.mark.parametrize("action", [-1, 269])
def test_a_number_out_of_range_is_an_error(action: int) -> None:
    with pytest.raises(ValueError, match=rf"must lie in \[0, 268\], got {action}"):
        actions.action_text(action)


def test_pile_names() -> None:
    names = [actions.pile_text(pile) for pile in range(20)]
    columns, foundations = [f"t{n}" for n in range(1, 11)], [f"f{n}" for n in range(1, 9)]
    assert names == [*columns, "w", *foundations, "stock"]
    for pile in (-1, 20):
        with pytest.raises(ValueError, match=rf"must lie in \[0, 19\], got {pile}"):
            actions.pile_text(pile)


def test_every_action_is_legal_in_some_reachable_state() -> None:
    """Random play on easy deals meets a position for each action, found by engine and oracle."""
    witness: dict[int, tuple[int, int]] = {}
    choose = play.policy("take-back-loving")
    for seed in range(40):
        table = play.Table(play.mixed_deal(seed, noise=2.0))
        rng = random.Random(seed)
        for ply in range(400):
            moves = reference.legal_moves(table.game)
            if not moves:
                break
            for number in np.flatnonzero(play.mask_of(moves)).tolist():
                if number not in witness:
                    assert engine.is_legal(table.state, number)
                    witness[number] = seed, ply
            table.make(choose(rng, moves))
        if len(witness) == actions.NUM_ACTIONS:
            break
    missing = [action.text for action in actions.ACTIONS if action.number not in witness]
    assert missing == [], f"never legal: {missing}"
