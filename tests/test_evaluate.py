"""Evaluation: each deal once, the same numbers however it is run, and honest about wrong play."""

from __future__ import annotations

import io
import json
from typing import Any, ClassVar

import numpy as np
import pytest
from rich.console import Console

from agents.comparison import AgentResult, compare
from agents.deal_lists import parse_deals
from agents.episode import play_episode
from agents.evaluate import AgentError, Game, play_deals
from agents.greedy import GreedyAgent
from agents.loading import load_agent
from agents.random_agent import RandomAgent
from agents.report import comparison_json, comparison_tables
from qv_env import engine
from qv_env.actions import NUM_ACTIONS, parse_action
from qv_env.cards import parse_card
from qv_env.deals import Deal
from qv_env.episodes import verify

DEALS = parse_deals(["train:23"])
FIGURES = ("win_rate", "score", "score_share", "foundation_cards", "plies")


def without_time(games: list[Game]) -> list[Game]:
    return [game.untimed() for game in games]


@pytest.fixture(scope="module", params=["random", "greedy"])
def reference_run(request: pytest.FixtureRequest) -> tuple[str, list[Game]]:
    return request.param, without_time(play_deals(load_agent(request.param), DEALS))


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (7, 1), (7, 2), (23, 2), (1000, 1)])
def test_numbers_depend_neither_on_batch_nor_on_threads(
    reference_run: tuple[str, list[Game]], batch: int, threads: int
) -> None:
    name, games = reference_run
    again = play_deals(load_agent(name), DEALS, batch=batch, threads=threads)
    assert without_time(again) == games


def test_numbers_do_not_depend_on_the_other_deals(reference_run: tuple[str, list[Game]]) -> None:
    name, games = reference_run
    backwards = play_deals(load_agent(name), DEALS[::-1][:9], batch=4)
    assert without_time(backwards) == games[::-1][:9]


def test_the_seed_changes_what_is_left_to_chance() -> None:
    runs = [without_time(play_deals(RandomAgent(), DEALS, seed=seed)) for seed in (0, 0, 1)]
    assert runs[0] == runs[1]
    assert all(a != b for a, b in zip(runs[0], runs[2], strict=True))


def test_every_deal_is_played_once_and_reported(reference_run: tuple[str, list[Game]]) -> None:
    assert [game.deal for game in reference_run[1]] == [deal.code for deal in DEALS]
    ended: list[int] = []
    play_deals(load_agent(reference_run[0]), DEALS, batch=5, progress=ended.append)
    assert sum(ended) == len(DEALS)


@pytest.mark.parametrize("k", [0, 1, 11])
def test_games_agree_with_the_single_environment(
    reference_run: tuple[str, list[Game]], k: int
) -> None:
    name, games = reference_run
    episode = play_episode(load_agent(name), DEALS[k])
    last = verify(episode).states[-1]
    assert len(episode.actions) == games[k].plies
    assert episode.actions == games[k].actions
    assert last["score"] == games[k].score
    assert (last["foundations"] == 13).sum() == games[k].foundations
    assert engine.foundation_cards(last) == games[k].foundation_cards
    assert (episode.ending == "truncated") == games[k].truncated
    assert (episode.agent, episode.seed) == (name, 0)
    assert not games[k].won


def test_an_episode_can_be_cut_short() -> None:
    episode = play_episode(GreedyAgent(), DEALS[0], max_plies=5)
    assert len(episode.actions) == 5
    assert episode.ending == "unfinished"


def test_an_explicit_deal_is_written_out() -> None:
    deal = Deal.from_text(DEALS[0].text)
    episode = play_episode(GreedyAgent(), deal, max_plies=1)
    assert episode.deal == deal.code
    assert verify(episode).deal == "explicit deal"
    assert play_deals(GreedyAgent(), [deal])[0].deal == deal.code


class Recorder(RandomAgent):
    """Checks what an agent is promised."""

    name = "recorder"
    env_kwargs: ClassVar[dict[str, Any]] = {"observation": "cards"}

    def __init__(self) -> None:
        super().__init__()
        self.started = 0
        self.last: list[np.ndarray[Any, Any]] = []
        self.begun = np.zeros(0, np.int64)

    def reset(self, seeds: Any, rows: Any = None) -> None:
        super().reset(seeds, rows)
        self.begun = np.arange(len(seeds)) if rows is None else rows
        assert len(self.begun) == len(seeds) > 0
        self.started = len(seeds) if rows is None else self.started + len(seeds)

    def act(self, observations: Any, action_masks: Any) -> Any:
        assert observations.shape == (len(self._seeds), 248)
        assert action_masks.shape == (len(self._seeds), NUM_ACTIONS)
        assert action_masks.any(axis=1).all()
        plies_left = observations[:, :2].copy().view("<u2")[:, 0]
        assert (plies_left[self.begun] == 1000).all()
        others = np.setdiff1d(np.arange(len(plies_left)), self.begun)
        assert (plies_left[others] < 1000).all()
        self.begun = np.zeros(0, np.int64)
        return super().act(observations, action_masks)


def test_agents_learn_of_every_game_that_begins() -> None:
    agent = Recorder()
    games = play_deals(agent, DEALS, batch=6)
    assert agent.started == len(DEALS)
    assert without_time(games) == without_time(play_deals(RandomAgent(), DEALS))


class Twin(RandomAgent):
    """Begins with a legal action that its canonical mask leaves out: to the right twin."""

    name = "twin"
    env_kwargs: ClassVar[dict[str, Any]] = {"mask": "canonical"}

    def act(self, observations: Any, action_masks: Any) -> Any:
        actions = super().act(observations, action_masks)
        if self._plies[0] == 1 and action_masks[0, parse_action("t1>f1")] == 1:
            assert action_masks[0, parse_action("t1>f5")] == 0
            actions[0] = parse_action("t1>f5")
        return actions


def test_legal_actions_outside_a_canonical_mask_are_accepted() -> None:
    order = list(DEALS[0].order)
    top_of_t1, ace = 3, order.index(parse_card("AS"))
    order[top_of_t1], order[ace] = order[ace], order[top_of_t1]
    deal = Deal(tuple(order))
    assert play_deals(Twin(), [deal])[0].actions[0] == parse_action("t1>f5")
    assert play_episode(Twin(), deal, max_plies=1).actions == (parse_action("t1>f5"),)


class Wrong(RandomAgent):
    """Plays by the rules for a while."""

    name = "wrong"

    def __init__(self, answer: Any, after: int = 3) -> None:
        super().__init__()
        self._answer, self._after, self._calls = answer, after, 0

    def reset(self, seeds: Any, rows: Any = None) -> None:
        super().reset(seeds, rows)
        self._calls = 0 if rows is None else self._calls

    def act(self, observations: Any, action_masks: Any) -> Any:
        self._calls += 1
        if self._calls > self._after:
            return self._answer
        return super().act(observations, action_masks)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (np.array([268, 268]), r"agent wrong chose f8>t10 \(deal FT1-N-AAAAAAA, ply 4\): .+"),
        (np.array([0, 269]), r"chose 269 \(deal FT1-N-AAAAAAB, ply 4\), which is no action"),
        (np.array([-1, 0]), r"chose -1 \(deal FT1-N-AAAAAAA, ply 4\), which is no action"),
        (np.array([0, 0, 0]), r"whole numbers of shape \(2,\); got int64 of shape \(3,\)"),
        (np.array([0.0, 0.0]), r"whole numbers of shape \(2,\); got float64"),
        (None, r"whole numbers of shape \(2,\); got object"),
    ],
)
def test_an_illegal_action_ends_the_evaluation(answer: Any, why: str) -> None:
    with pytest.raises(AgentError, match=why):
        play_deals(Wrong(answer), DEALS[:2])


def test_an_illegal_action_ends_the_episode() -> None:
    with pytest.raises(AgentError, match="agent wrong, ply 4, f8>t10: "):
        play_episode(Wrong(np.array([268])), DEALS[0])
    with pytest.raises(AgentError, match="agent wrong, ply 4: 300 is no action"):
        play_episode(Wrong(np.array([300])), DEALS[0])


def test_there_must_be_deals_and_agents() -> None:
    with pytest.raises(ValueError, match="no deals"):
        play_deals(RandomAgent(), [])
    with pytest.raises(ValueError, match="no agents"):
        compare([], DEALS)


class Seer(RandomAgent):
    name = "seer"
    env_kwargs: ClassVar[dict[str, Any]] = {"stock": "open"}


def test_who_sees_the_stock_is_not_ranked_with_who_does_not() -> None:
    with pytest.raises(ValueError, match="seer sees the order of the stock and agent greedy does"):
        compare([GreedyAgent(), Seer()], DEALS)
    assert len(compare([Seer(), Seer()], DEALS[:2])) == 2


@pytest.fixture(scope="module")
def results() -> list[AgentResult]:
    return compare([RandomAgent(), GreedyAgent(), GreedyAgent()], DEALS)


def test_names_are_distinct(results: list[AgentResult]) -> None:
    assert [result.name for result in results] == ["random", "greedy", "greedy#2"]


def test_figures_come_from_the_games(results: list[AgentResult]) -> None:
    greedy = results[1]
    scores = [game.score for game in greedy.games]
    assert greedy.figures["score"].value == pytest.approx(np.mean(scores))
    assert greedy.figures["win_rate"].value == np.mean([game.won for game in greedy.games])
    difference = greedy.against(results[0]).differences["score"]
    assert difference.value == pytest.approx(
        greedy.figures["score"].value - results[0].figures["score"].value
    )
    assert difference.low is not None
    assert difference.low > 100
    assert results[2].against(greedy).differences["score"] == (0, 0, 0)


def test_the_json_holds_everything(results: list[AgentResult]) -> None:
    document = comparison_json(results, command="qv evaluate ...", seed=0, deals=["train:23"])
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["versions"]["python"].startswith("3.")
    first, second, _ = document["agents"]
    assert first["paired"] is None
    assert second["paired"]["against"] == "random"
    for figure in (*FIGURES, "truncated", "seconds", "cpu_seconds"):
        assert set(second[figure]) == {"value", "low", "high"}
    assert set(second["paired"]["wins"]) == {"only_ours", "only_theirs", "p_value"}
    for figure in FIGURES:
        assert set(second["paired"][figure]) == {"value", "low", "high"}
    assert [game["deal"] for game in second["games"]] == [deal.code for deal in DEALS]
    assert second["env"] == dict(GreedyAgent.env_kwargs)


def test_the_tables_fit_eighty_columns(results: list[AgentResult]) -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    for table in comparison_tables(results, title="23 deals"):
        console.print(table)
    text = console.export_text()
    assert "…" in text
    assert "greedy#2" in text
    assert "Difference from random" in text


def test_one_agent_has_one_table(results: list[AgentResult]) -> None:
    assert len(comparison_tables(results[:1], title="")) == 1
