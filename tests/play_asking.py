"""A page's side of the conversation with the server of `qv play`, without a browser."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from qv_env.web.app import PlayServer

PORT = 8040
HERE = f"http://127.0.0.1:{PORT}"
CODE = "FT1-N-AAAAAAV"

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
