"""The server of `qv play`: its answers, its games, and all that it refuses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from agents.advising import AgentAdviser
from agents.greedy import GreedyAgent
from agents.outlook import PlannerOutlook
from agents.random_agent import RandomAgent
from qv_env import Game
from qv_env.actions import DRAW, NUM_ACTIONS
from qv_env.cli.group import qv
from qv_env.episodes import parse_episode, verify
from qv_env.history import UNDO
from qv_env.web.advice import Advice, AdviceError
from qv_env.web.app import PlayServer
from qv_env.web.guard import MOST_BYTES
from qv_env.web.serving import listen
from qv_env.web.sessions import Sessions
from tests.golden import read_transcript

PORT = 8040
HERE = f"http://127.0.0.1:{PORT}"
CODE = "FT1-N-AAAAAAV"
JSON = {"content-type": "application/json"}

Views = dict[str, Any]


class Page:
    """A page's side of the conversation."""

    def __init__(self, client: TestClient, **order: Any) -> None:
        self.client = client
        answer = client.post("/games", json={"deal": CODE} | order)
        assert answer.status_code == 201, answer.text
        self.view: Views = answer.json()
        self.path = f"/games/{self.view['id']}"

    def do(self, deed: str, **more: Any) -> Views:
        answer = self.client.post(self.path, json={"do": deed, **more})
        assert answer.status_code == 200, answer.text
        self.view = answer.json()
        return self.view

    def complaint(self, status: int, deed: str, **more: Any) -> str:
        answer = self.client.post(self.path, json={"do": deed, **more})
        assert answer.status_code == status, answer.text
        return str(answer.json()["error"])


def client_of(**parts: Any) -> TestClient:
    return TestClient(PlayServer(port=PORT, **parts).app, base_url=HERE)


@pytest.fixture
def client() -> TestClient:
    return client_of()


@pytest.fixture
def page(client: TestClient) -> Page:
    return Page(client)


def test_a_page_gets_a_game_of_its_own(client: TestClient) -> None:
    one, other = Page(client), Page(client)
    assert one.view["id"] != other.view["id"]
    one.do("push", move="t4>t7")
    assert one.view["done"] == {"do": "push", "move": "t4>t7", "from": "t4", "to": "t7"}
    assert client.get(other.path).json() == other.view
    assert client.get(one.path).json()["position"] == one.view["position"]


def test_a_view_shows_what_a_player_sees_and_no_more(page: Page) -> None:
    game = Game(CODE)
    assert page.view["legal"] == list(game.legal_moves)
    assert page.view["deal"] == page.view["code"] == CODE
    assert page.view["position"]["stock"] == game.stock_count
    piles = page.view["position"]["piles"]
    assert set(piles) == {p.place for p in (*game.columns, game.waste, *game.foundations)}
    hidden = game.position.splitlines()[-1].removeprefix("stock: ").split()
    assert "".join(hidden[:3]) not in json.dumps(page.view)


@pytest.mark.parametrize(
    ("deed", "more", "move"),
    [
        ("push", {"move": "t4>t7"}, "t4>t7"),
        ("tap", {"place": "stock"}, "draw"),
        ("double_tap", {"place": "t4"}, "t4>t7"),
        ("drop", {"source": "t4", "target": "t7"}, "t4>t7"),
        ("drop", {"source": "t4", "target": "t1", "auto": True}, "t4>t7"),
    ],
)
def test_deeds(page: Page, deed: str, more: dict[str, Any], move: str) -> None:
    view = page.do(deed, **more)
    assert view["done"]["move"] == move
    assert view["revision"] == 1
    assert view["undoable"] == 1
    assert page.do("undo")["done"]["do"] == "undo"
    assert page.view["position"]["moves"] == 1
    assert page.view["redoable"] == 1
    assert page.do("redo")["position"]["moves"] == 2


@pytest.mark.parametrize(
    ("deed", "more", "reason"),
    [
        ("drop", {"source": "t1", "target": "t2"}, "A column is built in one suit."),
        ("tap", {"place": "f1"}, "There is no card to move there."),
        ("drop", {"source": "t1", "target": "w"}, "Nothing moves to the waste except by a draw."),
        ("undo", {}, "There is nothing to undo."),
        ("redo", {}, "There is nothing to redo."),
    ],
)
def test_refusals_state_the_rule_and_change_nothing(
    page: Page, deed: str, more: dict[str, Any], reason: str
) -> None:
    before = page.view
    after = page.do(deed, **more)
    assert after.pop("refused")["reason"] == reason
    assert after == before


def test_other_deals_on_the_same_page(page: Page) -> None:
    page.do("tap", place="stock")
    assert page.do("restart")["operations"] == []
    assert page.view["deal"] == CODE
    assert page.do("deal", deal="ft1-n-aaaaaab")["deal"] == "FT1-N-AAAAAAB"
    assert page.do("deal")["deal"].startswith("FT1-N-")
    assert page.do("deal", deal=CODE, operations=[0, UNDO, 0])["position"]["moves"] == 2
    assert page.view["undoable"] == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("FT1-N-AAA", "wrong length"),
        ("FT2-N-AAAAAAA", "wrong prefix"),
        ("FT1-N-AAAAAA1", "wrong letter '1'"),
        ("8031810176", "must lie in [0, 8031810175]"),
        ("", ""),
    ],
)
def test_a_bad_code_gets_a_clear_sentence(page: Page, text: str, why: str) -> None:
    complaint = page.complaint(400, "deal", deal=text)
    assert why in complaint
    assert "\n" not in complaint
    assert page.client.get(page.path).json() == page.view


def test_a_stale_page_is_told_so(page: Page) -> None:
    page.do("tap", place="stock", revision=0)
    assert "has gone on" in page.complaint(409, "tap", place="stock", revision=0)
    assert page.do("tap", place="stock", revision=1)["position"]["stock"] == 62


def test_a_lost_game_can_be_given_back(page: Page) -> None:
    for deed in ("tap", "tap", "undo", "tap"):
        page.do(deed, **({} if deed == "undo" else {"place": "stock"}))
    again = Page(page.client, operations=page.view["operations"])
    assert again.view["position"] == page.view["position"]
    assert again.view["undoable"] == page.view["undoable"]
    answer = page.client.post("/games", json={"deal": CODE, "operations": [0, 1]})
    assert (answer.status_code, "one suit" in answer.json()["error"]) == (400, True)


def test_a_game_can_be_saved_at_any_time(page: Page) -> None:
    page.do("push", move="t4>t7")
    page.do("undo")
    answer = page.client.get(f"{page.path}/episode")
    assert answer.headers["content-disposition"] == f'attachment; filename="{CODE}-0.json"'
    episode = parse_episode(answer.json())
    verify(episode)
    assert (episode.agent, episode.ending) == ("person", "unfinished")
    assert episode.actions == (57, UNDO)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"do": "fly"}',
        b'{"do": "tap"}',
        b'{"do": "tap", "place": 3}',
        b'{"do": "tap", "place": "t11"}',
        b'{"do": "tap", "place": "stock", "more": 1}',
        b'{"do": "push", "move": "t1>t1>t1"}',
        b'{"do": "drop", "source": "t4", "target": "t7", "auto": "yes"}',
        b'{"do": "undo", "revision": "one"}',
        b'{"do": "deal", "operations": [270]}',
        b"[" * 100_000,
        b'{"do": "tap", "place": "' + b"t" * 9_000 + b'"}',
    ],
)
def test_malformed_messages_get_one_sentence(page: Page, body: bytes) -> None:
    answer = page.client.post(page.path, content=body, headers=JSON)
    assert answer.status_code == 400
    assert 0 < len(answer.json()["error"].splitlines()) < 2
    assert page.client.get(page.path).json() == page.view


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/games/none", 404),
        ("POST", "/games/none", 404),
        ("GET", "/games/none/episode", 404),
        ("GET", "/assets/board.js", 404),
        ("GET", "/../pyproject.toml", 404),
        ("PUT", "/games", 405),
        ("POST", "/", 405),
    ],
)
def test_unknown_paths(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path, json={"do": "undo"})
    assert answer.status_code == status
    assert answer.json()["error"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:9"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"https://127.0.0.1:{PORT}"}, 403),
        ({"origin": "http://127.0.0.1:9"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-length": "many"}, 413),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"origin": HERE, "sec-fetch-site": "same-origin"}, 200),
        ({"content-type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_requests_from_elsewhere_are_refused(
    page: Page, headers: dict[str, str], status: int
) -> None:
    body = json.dumps({"do": "tap", "place": "stock"}).encode()
    answer = page.client.post(page.path, content=body, headers=JSON | headers)
    assert answer.status_code == status
    stock = page.client.get(page.path).json()["position"]["stock"]
    assert stock == (63 if status == 200 else 64)


def test_a_link_from_elsewhere_opens_the_page(client: TestClient) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200
    assert client.get("/", headers=headers | {"sec-fetch-mode": "no-cors"}).status_code == 403


def test_large_bodies_are_refused_whatever_they_say_of_themselves(page: Page) -> None:
    large = b" " * (MOST_BYTES + 1)
    said = page.client.post(page.path, content=large, headers=JSON)
    unsaid = page.client.post(page.path, content=iter([large[:9], large[9:]]), headers=JSON)
    assert [said.status_code, unsaid.status_code] == [413, 413]


def test_headers_forbid_what_the_page_does_not_need(client: TestClient) -> None:
    headers = client.get("/").headers
    policy = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["script-src"].startswith("'sha256-")
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"


def test_idle_games_are_dropped_by_time_and_by_number() -> None:
    now = [0.0]
    store = Sessions(most=2, idle_seconds=10, clock=lambda: now[0])
    first = store.add(Game(1))
    now[0] = 6
    second = store.add(Game(2))
    assert store.find(first.id) is first  # used again, so now the second is idle for longest
    third = store.add(Game(3))
    assert [store.find(s.id) for s in (first, second, third)] == [first, None, third]
    now[0] = 17
    assert store.find(third.id) is None
    assert len(store) == 0


# With an agent.


def test_an_agent_advises_and_moves() -> None:
    page = Page(client_of(adviser=AgentAdviser(RandomAgent())))
    advice = page.client.post(f"{page.path}/advice", json={}).json()
    assert advice["measure"] == "probability"
    assert {choice["number"] for choice in advice["favoured"]} == {0.5}
    first = advice["moves"][0]
    assert first["move"] in page.view["legal"]
    assert page.do("agent")["done"] == first
    page.do("tap", place="stock")
    assert (
        parse_episode(page.client.get(f"{page.path}/episode").json()).agent == "person and random"
    )


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


def test_without_an_agent_there_is_no_advice(page: Page) -> None:
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

    def advise(self, game: Game) -> Advice:
        del game
        self.asked.set()
        return self.answer.result(timeout=30)


def test_the_server_answers_while_an_agent_thinks() -> None:
    slow = Slow()
    # As a context, the client has one event loop for all requests, as the real server has.
    with client_of(adviser=slow) as client:
        page = Page(client)
        answers: list[Any] = []
        ask = threading.Thread(
            target=lambda: answers.append(client.post(page.path, json={"do": "agent"}))
        )
        ask.start()
        assert slow.asked.wait(30)
        page.do("tap", place="stock")
        slow.answer.set_result(Advice((0,), None, ()))
        ask.join(30)
        # Its move was for a position that is past.
        assert answers[0].status_code == 409
        assert client.get(page.path).json()["position"]["stock"] == 63


def test_an_adviser_may_give_up() -> None:
    slow = Slow()
    slow.answer.set_exception(AdviceError("no idea"))
    page = Page(client_of(adviser=slow))
    assert page.complaint(500, "agent") == "no idea"


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


# The command.


def test_a_taken_port_is_passed_over_unless_it_was_asked_for() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(qv, ["play", "--no-browser", "--port", str(port)])
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert f"cannot listen on port {port}" in result.stderr
    with listen(None) as first, listen(None) as second:
        ports = {s.getsockname()[1] for s in (first, second)}
        assert len(ports) == 2
        assert {s.getsockname()[0] for s in (first, second)} == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--deal", "FT1-N-AAA"], "wrong length"),
        (["--agent", "gredy", "--port", "0"], "did you mean greedy?"),
        (["--port", "65536"], "65536 is not in the range"),
    ],
)
def test_wrong_use_gets_one_line(words: list[str], why: str) -> None:
    result = CliRunner().invoke(qv, ["play", "--no-browser", *words])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert why in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_the_command_serves_until_it_is_interrupted() -> None:
    words = [sys.executable, "-m", "qv_env.cli", "play", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*words, "--deal", CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        (url,) = re.findall(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        with urllib.request.urlopen(url) as answer:  # noqa: S310  # it is our own server's
            assert b"Quarante Voleurs" in answer.read()
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=30)
    assert (process.returncode, said, complained) == (0, "The server has ended.\n", "")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "qv_env.web.serving", raising=False)
    result = CliRunner().invoke(qv, ["play", "--no-browser"])
    assert result.exit_code == 2
    assert "pip install 'qv-env[web]'" in result.stderr
