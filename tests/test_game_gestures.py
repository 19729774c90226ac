"""What the app's gestures do in the game for people, judged by the oracle."""

from __future__ import annotations

import pytest
from hypothesis import given

from qv_env import Game, RefusedError
from tests import play, reference, strategies
from tests.games import (
    PLACES,
    black_game,
    open_game,
    played,
    some_tables,
)


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
