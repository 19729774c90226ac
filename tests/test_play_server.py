"""The server of `qv play`: its answers, its games, and all that it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from qv_env import Game
from qv_env.episodes import parse_episode, verify
from qv_env.history import UNDO
from qv_env.web.guard import MOST_BYTES
from qv_env.web.sessions import Sessions
from tests.play_asking import CODE, HERE, PORT, Page, client_of

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def fuzzed() -> Page:
    return Page(client_of())


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


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)
WORDS = st.sampled_from(["stock", "w", "t1", "t4", "t7", "f1", "t4>t7", "draw", CODE]) | JSON_VALUES
DEEDS = st.sampled_from(["push", "tap", "double_tap", "drop", "undo", "redo", "restart", "deal"])
KEYS = ["move", "place", "source", "target", "auto", "deal", "operations", "revision", "more"]


@settings(max_examples=150)
@given(
    st.fixed_dictionaries(
        {"do": DEEDS | st.just("agent") | JSON_VALUES}, optional=dict.fromkeys(KEYS, WORDS)
    )
    | JSON_VALUES
)
def test_no_message_breaks_anything(fuzzed: Page, message: object) -> None:
    answer = fuzzed.client.post(fuzzed.path, content=json.dumps(message), headers=JSON)
    assert answer.status_code in (200, 400, 404, 409), answer.text
    if answer.status_code != 200:
        assert 0 < len(answer.json()["error"].splitlines()) < 2
    view = fuzzed.client.get(fuzzed.path).json()
    again = Page(fuzzed.client, deal=view["code"], operations=view["operations"])
    assert again.view["position"] == view["position"]


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
        ({"content-length": "9" * 5000}, 413),
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
