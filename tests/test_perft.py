"""How many sequences of moves there are to each depth, as the oracle counted them.

The counts of `tests/data/perft.json` come from ``python -m tests.make_data``. The engine counts on
one state, by moving on and taking back.
"""

import json
from typing import Any

import numpy as np
import pytest

from qv_env import engine, mask
from qv_env.actions import NUM_ACTIONS, parse_action
from qv_env.cards import parse_cards
from tests import make_data, reference
from tests.reference import Game

ENTRIES = json.loads((make_data.DATA / "perft.json").read_text())
WRITERS = {"legal": mask.write_mask, "canonical": mask.write_canonical_mask}
ORACLE_LEAVES = 500


def count(state: Any, depth: int, kind: str) -> int:
    """Return the number of sequences of `depth` moves that a mask allows."""
    row = np.zeros(NUM_ACTIONS, np.int8)
    WRITERS[kind](state, row)
    actions = np.flatnonzero(row).tolist()
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        change = engine.apply(state, action)
        total += count(state, depth - 1, kind)
        engine.undo(state, action, change)
    return total


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["name"] for entry in ENTRIES])
def test_the_engine_counts_what_the_oracle_counted(entry: dict[str, Any], kind: str) -> None:
    state = engine.new_state()
    engine.deal(state, np.array(parse_cards(entry["deal"]), np.uint8))
    for text in entry["moves"]:
        engine.apply(state, parse_action(text))
    before = state.tobytes()
    counts = [count(state, depth, kind) for depth in range(1, len(entry[kind]) + 1)]
    assert counts == entry[kind]
    assert state.tobytes() == before


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["name"] for entry in ENTRIES])
def test_the_oracle_still_counts_what_is_stored(entry: dict[str, Any]) -> None:
    cards = entry["deal"]
    game = Game([cards[i : i + 2] for i in range(0, len(cards), 2)])
    moves = {move.text: move for move in reference.all_moves(reference.FULL)}
    for text in entry["moves"]:
        reference.apply(game, moves[text])
    for kind, by in (("legal", reference.legal_moves), ("canonical", reference.canonical_moves)):
        for depth, expected in enumerate(entry[kind], start=1):
            if expected <= ORACLE_LEAVES:
                assert reference.perft(game, depth, by) == expected


def test_canonical_moves_are_fewer_where_there_is_symmetry() -> None:
    assert any(entry["canonical"] != entry["legal"] for entry in ENTRIES)
    for entry in ENTRIES:
        for fewer, more in zip(entry["canonical"], entry["legal"], strict=True):
            assert 0 < fewer <= more
