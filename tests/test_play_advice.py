"""Agents as advisers of people, and when the planner says that nothing helps."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest

from agents.advising import AgentAdviser
from agents.greedy import GreedyAgent
from agents.outlook import PlannerOutlook
from agents.random_agent import RandomAgent
from qv_env import Game
from qv_env.actions import DRAW, NUM_ACTIONS
from qv_env.episodes import parse_episode
from qv_env.episodes.episode import LONGEST_NAME
from qv_env.web.advice import Advice, AdviceError
from qv_env.web.app import PlayServer
from tests.golden import read_transcript
from tests.play_asking import CODE, PORT, Page, client_of


def test_an_agent_advises_and_moves() -> None:
    page = Page(client_of(adviser=AgentAdviser(RandomAgent())))
    advice = page.client.post(f"{page.path}/advice", json={}).json()
    assert advice["measure"] == "probability"
    assert {choice["number"] for choice in advice["favoured"]} == {0.5}
    first = advice["moves"][0]
    assert first["move"] in page.view["legal"]
    assert page.do("agent")["done"] == first
    page.do("tap", place="stock")
    assert saved_agent(page) == "person and random"


def test_a_game_that_is_given_back_keeps_who_played() -> None:
    page = Page(client_of(adviser=AgentAdviser(RandomAgent())))
    page.do("agent")
    way = {"deal": CODE, "operations": page.view["operations"], "players": page.view["players"]}
    page.do("deal")
    assert page.view["players"] == []
    again = Page(page.client, **way)
    for view in (page.do("deal", **way), again.view):
        assert view["players"] == ["random"]
    assert saved_agent(page) == saved_agent(again) == "random"
    page.do("deal", **way | {"players": []})  # where it is not said, a person did it
    page.do("agent")
    assert saved_agent(page) == "person and random"


def test_names_of_players_fit_in_an_episode_file() -> None:
    client = client_of()
    page = Page(client, operations=[DRAW], players=["a" * 150, "b" * 150, "person"])
    saved = saved_agent(page)
    assert saved is not None
    assert saved.startswith("person and aaa")
    assert (len(saved), saved[-1]) == (LONGEST_NAME, "…")
    for name in ("a\nb", "", "a" * (LONGEST_NAME + 1)):
        answer = client.post("/games", json={"deal": CODE, "operations": [0], "players": [name]})
        assert (answer.status_code, answer.json()["error"].count("\n")) == (400, 0)


def saved_agent(page: Page) -> str | None:
    return parse_episode(page.client.get(f"{page.path}/episode").json()).agent


def test_following_advice_keeps_to_one_plan() -> None:
    adviser = AgentAdviser(GreedyAgent())
    game = Game(CODE)
    plies = 0
    while game.stock_count:
        plan = adviser.advise(game)
        assert (plan.measure, plan.favoured) == (None, ())
        assert plan.actions.index(0) == len(plan.actions) - 1
        for k, action in enumerate(plan.actions):
            assert adviser.advise(game).actions == plan.actions[k:]
            game.push(action)
            plies += 1
    assert plies >= 64


def test_advice_does_not_depend_on_the_hidden_stock() -> None:
    game = Game(CODE)
    for _ in range(20):
        game.draw()
    lines = game.position.splitlines()
    cards = lines[-1].removeprefix("stock: ").split()
    lines[-1] = "stock: " + " ".join(reversed(cards))
    other = Game("\n".join(lines[1:]))
    assert other.columns == game.columns
    plans = [AgentAdviser(GreedyAgent()).advise(g).actions for g in (game, other)]
    assert plans[0] == plans[1]


def test_without_an_agent_there_is_no_advice() -> None:
    page = Page(client_of())
    answer = page.client.post(f"{page.path}/advice", json={})
    assert (answer.status_code, "--agent" in answer.json()["error"]) == (404, True)
    assert "--agent" in page.complaint(404, "agent")


class Failing:
    """An agent that raises, or chooses what is not allowed."""

    name = "failing"
    env_kwargs: dict[str, Any] = {}  # noqa: RUF012  # as short as an agent can be

    def __init__(self, act: Callable[..., Any]) -> None:
        self.act = act

    def reset(self, seeds: Any, rows: Any = None) -> None:
        pass


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda *_: 1 / 0, "agent failing failed: ZeroDivisionError: division by zero"),
        (lambda *_: [1], "agent failing chose t1>t2, which is not allowed"),
        (lambda *_: [999], "agent failing chose 999, which is no action"),
    ],
)
def test_an_agent_that_fails_is_named_and_the_game_goes_on(
    act: Callable[..., Any], why: str
) -> None:
    page = Page(client_of(adviser=AgentAdviser(Failing(act))))
    assert why in page.complaint(500, "agent")
    assert page.do("tap", place="stock")["position"]["stock"] == 63


def test_an_agent_may_be_allowed_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # As an agent without take-backs is where nothing else is legal, which is rare.
    nothing = np.zeros(248, np.uint8), np.zeros(NUM_ACTIONS, np.int8)
    monkeypatch.setattr("agents.advising.observe", lambda *_, **__: nothing)
    with pytest.raises(AdviceError, match="agent greedy is allowed none of the moves"):
        AgentAdviser(GreedyAgent()).advise(Game(CODE))


class Slow:
    """An adviser that thinks until it is told to answer."""

    name = "slow"
    sees_stock = False

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.answer: Future[Advice] = Future()

    def prepare(self) -> None:
        raise AdviceError("not today")

    def advise(self, game: Game, *, rated: bool = True) -> Advice:
        del game, rated
        self.asked.set()
        return self.answer.result(timeout=30)


@pytest.mark.parametrize(("path", "status"), [("", 409), ("/advice", 200)])
def test_the_server_answers_while_an_agent_thinks(path: str, status: int) -> None:
    slow = Slow()
    # As a context, the client has one event loop for all requests, as the real server has.
    with client_of(adviser=slow) as client:
        page = Page(client)
        answers: list[Any] = []
        body = {} if path else {"do": "agent"}
        ask = threading.Thread(
            target=lambda: answers.append(client.post(page.path + path, json=body))
        )
        ask.start()
        assert slow.asked.wait(30)
        page.do("tap", place="stock")
        slow.answer.set_result(Advice((DRAW,), None, ()))
        ask.join(30)
        # What it says is about a position that is past: its move is not made, its advice dated.
        (answer,) = answers
        assert answer.status_code == status
        assert answer.json().get("revision", 0) == 0
        assert client.get(page.path).json()["position"]["stock"] == 63


def test_an_adviser_may_give_up() -> None:
    slow = Slow()
    slow.answer.set_exception(AdviceError("no idea"))
    page = Page(client_of(adviser=slow))
    assert page.complaint(500, "agent") == "no idea"


class Prepared:
    """An outlook that knows whether it was prepared."""

    def __init__(self) -> None:
        self.prepared = threading.Event()

    def prepare(self) -> None:
        self.prepared.set()

    def is_hopeless(self, game: Game) -> bool:
        return self.prepared.is_set() and game.stock_count == 0


def test_agent_and_outlook_are_prepared_before_anybody_asks() -> None:
    outlook = Prepared()
    play = PlayServer(port=PORT, adviser=Slow(), outlook=outlook)
    play.prepare()  # that the adviser cannot be prepared holds nothing up
    assert outlook.prepared.wait(30)


def test_to_prepare_is_to_ask_once_and_changes_no_answer() -> None:
    asked: list[Any] = []
    adviser = AgentAdviser(Failing(lambda *_: asked.append(1) or [DRAW]))
    adviser.prepare()
    assert asked == [1]
    outlook = PlannerOutlook()
    outlook.prepare()
    game = Game(22)
    while game.stock_count:
        game.draw()
    assert outlook.is_hopeless(game)


@pytest.mark.parametrize(
    ("number", "moves", "hopeless"),
    [
        (21, 1, True),  # a card can still be moved, to no avail
        (22, 0, True),
        (23, 3, False),  # no card goes up at once, but one does after some moves
        (25, 6, False),
    ],
)
def test_the_outlook_tells_when_nothing_helps(number: int, moves: int, *, hopeless: bool) -> None:
    outlook = PlannerOutlook()
    game = Game(number)
    assert not outlook.is_hopeless(game)  # there are cards to draw
    draws = [DRAW] * game.stock_count
    for draw in draws:
        game.push(draw)
    assert len(game.legal_moves) == moves
    page = Page(client_of(outlook=outlook), deal=game.code, operations=draws)
    answer = page.client.post(f"{page.path}/outlook", json={})
    assert answer.json() == {"revision": 0, "hopeless": hopeless}
    assert page.view["stuck"] is (moves == 0)


def test_a_won_game_is_not_hopeless() -> None:
    won = read_transcript("won_by_greed")
    outlook = PlannerOutlook()
    game = Game(won.deal)
    for action in won.actions:
        game.push(action)
        assert not outlook.is_hopeless(game)
