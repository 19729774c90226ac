"""The figures of the boards: computed by hand for a few games, and bounded by the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from agents.evaluate import Game
from agents.figures import PAIRED, figures, milestones, pair, score_share
from agents.statistics import mcnemar, wilson
from tests import strategies
from tests.play import Table


def game(deal: str, *, cards: int = 0, complete: int = 0, waste_plays: int = 0) -> Game:
    return Game(
        deal=deal,
        won=cards == 104,
        truncated=False,
        score=10 * cards + 5 * waste_plays,
        foundation_cards=cards,
        foundations=complete,
        waste_plays=waste_plays,
        plies=100,
        seconds=0.5,
        cpu_seconds=0.25,
        counts={},
        actions=(),
    )


GAMES = [game("a", cards=104, complete=8, waste_plays=29), game("b", cards=52), game("c")]


def test_a_win_without_take_backs_is_worth_all_that_a_win_is() -> None:
    assert GAMES[0].score == 1185  # the example of the rules
    assert score_share(GAMES[0]) == 1
    assert score_share(GAMES[1]) == 0.5
    assert score_share(GAMES[0]._replace(score=1180)) == 1180 / 1185


@given(table=strategies.tables())
@settings(max_examples=30)
def test_no_game_scores_more_than_its_share_allows(table: Table) -> None:
    played = game("x")._replace(score=table.game.score, waste_plays=table.waste_plays)
    cards = sum(table.game.heights())
    assert played.score <= 10 * cards + 5 * table.waste_plays
    assert 0 <= score_share(played) <= 1


def test_figures_are_rates_and_means() -> None:
    found = figures(GAMES)
    assert found["win_rate"] == wilson(1, 3)
    assert found["foundation_cards"].value == 52
    assert found["score_share"].value == 0.5
    assert found["cpu_seconds"] == (0.25, 0.25, 0.25)


def test_milestones_count_games_that_reach_them() -> None:
    reached = milestones([*GAMES, game("d", cards=26, complete=1)])
    shares = {kind: [rate.value for rate in rates.values()] for kind, rates in reached.items()}
    assert shares == {
        "foundations": [0.5, 0.25, 0.25, 0.25],
        "foundation_cards": [0.75, 0.5, 0.25, 0.25],
    }
    assert list(reached["foundations"]) == ["1", "2", "4", "8"]
    assert list(reached["foundation_cards"]) == ["26", "52", "78", "104"]


def test_pairs_are_formed_by_deal_whatever_the_order() -> None:
    theirs = [game("z", cards=104), game("b", cards=104), game("a", cards=52)]
    pairing = pair(GAMES, theirs)
    assert (pairing.deals, pairing.only_ours, pairing.only_theirs) == (2, 1, 1)
    assert pairing.p_value == 1
    assert pairing.differences["win_rate"].value == 0
    assert pairing.differences["foundation_cards"].value == 0
    assert set(pairing.differences) == set(PAIRED)


def test_pairs_need_a_deal_in_common() -> None:
    with pytest.raises(ValueError, match="no deal in common"):
        pair(GAMES, [game("z")])


@pytest.mark.parametrize(
    ("ours", "theirs", "p_value"),
    # Twice the tail of the binomial distribution, by hand.
    [(0, 0, 1.0), (5, 0, 2 / 32), (0, 5, 2 / 32), (9, 1, 2 * 11 / 1024), (3, 3, 1.0)],
)
def test_mcnemar_is_the_exact_sign_test(ours: int, theirs: int, p_value: float) -> None:
    assert mcnemar(ours, theirs) == pytest.approx(p_value)


def test_mcnemar_keeps_its_level() -> None:
    rng = np.random.default_rng(5)
    splits = rng.binomial(40, 0.5, size=2000)
    rejected = np.mean([mcnemar(int(k), int(40 - k)) < 0.05 for k in splits])
    assert rejected <= 0.05


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="cannot be negative, got -1 and 2"):
        mcnemar(-1, 2)
