"""The server's answers: the page, and its games as JSON.

============================ ===========================================================
request                      answer
============================ ===========================================================
``GET /``                    the page
``POST /games``              a new game: its view, with the ``id`` that the rest is asked by
``GET /games/ID``            the game's view
``POST /games/ID``           the view after one deed (`qv_env.web.messages`); where the
                             rules refuse it, ``refused`` says why, and nothing changed
``POST /games/ID/advice``    what the agent would do
``POST /games/ID/outlook``   whether nothing helps any more
``GET /games/ID/episode``    the game as an episode file
============================ ===========================================================

Anything wrong is answered by ``{"error": "one sentence"}`` and a status from 400 on. The rules of
the game are asked on the event loop, where they take microseconds; agents compute on a thread of
their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from qv_env.actions import action_text
from qv_env.deals import Deal, parse_deal
from qv_env.episodes import episode_text
from qv_env.game import Game, RefusedError
from qv_env.history import UNDO
from qv_env.web.advice import Advice, AdviceError, Adviser, Outlook
from qv_env.web.background import Background, EndedError
from qv_env.web.guard import MOST_BYTES, Guard, too_large
from qv_env.web.messages import DEED, NEW_GAME, DealAnew, Drop, NewGame, Plain, Push, Tap
from qv_env.web.playing import playing_page
from qv_env.web.sessions import PERSON, Session, Sessions
from qv_env.web.view import favoured_views, game_view, move_view

Parsed = TypeVar("Parsed")
Result = TypeVar("Result")

NO_GAME: Final = "the server has no such game (any more)"
NO_AGENT: Final = "no agent is here; start the server with --agent"
ENDING: Final = "the server is ending"
_STALE: Final = "the game has gone on elsewhere"


class PlayServer:
    """Joins sessions, agent and answers.

    Args:
        port: Where the server listens.
        deal: What each page's first game deals; None for random deals.
        adviser: Speaks for the agent, where there is one.
        outlook: Judges games, where it can be had.
        sessions: Where games are kept.
    """

    def __init__(
        self,
        *,
        port: int,
        deal: Deal | None = None,
        adviser: Adviser | None = None,
        outlook: Outlook | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        self.sessions = sessions or Sessions()
        self._deal = deal
        self._adviser = adviser
        self._outlook = outlook
        self._background = Background()
        self._page, self._policy = playing_page(adviser, has_outlook=outlook is not None)
        self.app = Starlette(
            routes=[
                Route("/", self._get_page),
                Route("/games", self._add_game, methods=["POST"]),
                Route("/games/{id}", self._get_game),
                Route("/games/{id}", self._do, methods=["POST"]),
                Route("/games/{id}/advice", self._advise, methods=["POST"]),
                Route("/games/{id}/outlook", self._look_out, methods=["POST"]),
                Route("/games/{id}/episode", self._get_episode),
            ],
            middleware=[Middleware(Guard, port=port)],
            exception_handlers={HTTPException: _error_answer},
        )

    def prepare(self) -> None:
        """Have agent and outlook compile what they need while the page is opened."""
        for judge in (self._adviser, self._outlook):
            if judge is not None:
                self._background.begin(judge.prepare)

    @property
    def is_computing(self) -> bool:
        """Whether agent or outlook are at work on their thread."""
        return self._background.is_at_work

    def end(self) -> None:
        """Answer all who wait for an agent that the server ends; called on the event loop."""
        self._background.end()

    async def _get_page(self, request: Request) -> Response:
        del request
        return HTMLResponse(self._page, headers={"content-security-policy": self._policy})

    async def _add_game(self, request: Request) -> Response:
        order = await _read(request, NEW_GAME)
        deal = self._deal if order.deal is None else _deal(order.deal)
        session = self.sessions.add(_played(deal, order.operations), _players(order))
        return JSONResponse(_view(session), HTTPStatus.CREATED)

    async def _get_game(self, request: Request) -> Response:
        return JSONResponse(_view(self._session(request)))

    async def _do(self, request: Request) -> Response:
        deed = await _read(request, DEED)
        session = self._session(request)
        _check_revision(session, deed.revision)
        try:
            if isinstance(deed, Plain) and deed.do == "agent":
                done = await self._let_agent_move(session)
            else:
                done = _done(session, deed)
        except RefusedError as refused:
            refusal = {"move": refused.move, "reason": refused.reason}
            return JSONResponse(_view(session) | {"refused": refusal})
        except ValueError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        return JSONResponse(_view(session) | {"done": done})

    async def _advise(self, request: Request) -> Response:
        session = self._session(request)
        revision = session.revision  # by which a page knows advice on a position that is past
        advice = await self._advice(session.game, rated=True)
        return JSONResponse(
            {
                "revision": revision,
                "moves": [move_view("agent", action_text(a)) for a in advice.actions],
                "measure": advice.measure,
                "favoured": favoured_views(advice.favoured),
            }
        )

    async def _look_out(self, request: Request) -> Response:
        session = self._session(request)
        revision = session.revision
        hopeless = False
        if self._outlook is not None:
            hopeless = await self._compute(self._outlook.is_hopeless, session.game.copy())
        return JSONResponse({"revision": revision, "hopeless": hopeless})

    async def _get_episode(self, request: Request) -> Response:
        session = self._session(request)
        text = episode_text(session.game.episode(session.player))
        name = f"{session.game.deal.name if session.game.deal else ''}-{session.game.score}.json"
        attachment = f'attachment; filename="{name.replace(" ", "-")}"'
        return Response(
            text, media_type="application/json", headers={"content-disposition": attachment}
        )

    async def _let_agent_move(self, session: Session) -> dict[str, Any]:
        revision = session.revision
        advice = await self._advice(session.game, rated=False)
        _check_revision(session, revision)
        move = session.game.push(advice.actions[0])
        session.players.add(self._adviser.name if self._adviser else PERSON)
        session.revision += 1
        return move_view("agent", move)

    async def _advice(self, game: Game, *, rated: bool) -> Advice:
        if self._adviser is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, NO_AGENT)
        if not game.legal_moves:
            raise HTTPException(HTTPStatus.CONFLICT, "no move is left to advise on")
        try:
            advise = partial(self._adviser.advise, rated=rated)
            return await self._compute(advise, game.copy())
        except AdviceError as error:
            raise HTTPException(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from None

    async def _compute(self, function: Callable[[Game], Result], game: Game) -> Result:
        try:
            return await self._background.run(partial(function, game))
        except EndedError:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, ENDING) from None

    def _session(self, request: Request) -> Session:
        session = self.sessions.find(request.path_params["id"])
        if session is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, NO_GAME)
        return session


def _done(session: Session, deed: Push | Tap | Drop | Plain | DealAnew) -> dict[str, Any]:
    """Do what a page asks for, and return what the page is told of it.

    Raises:
        RefusedError: The rules forbid it.
        ValueError: It names no place, no move or no deal.
    """
    game = session.game
    if isinstance(deed, DealAnew) or deed.do == "restart":
        if isinstance(deed, DealAnew):
            session.begin(_played(_deal(deed.deal), deed.operations), _players(deed))
        else:
            session.begin(Game(game.deal))
        return {"do": deed.do}
    move = _moved(game, deed)
    session.revision += 1
    session.players.add(PERSON)
    return move_view(deed.do, move)


def _moved(game: Game, deed: Push | Tap | Drop | Plain) -> str:
    match deed:
        case Push(move=move):
            return game.push(move)
        case Tap(do="tap", place=place):
            return game.tap(place)
        case Tap(place=place):
            return game.double_tap(place)
        case Drop(source=source, target=target, auto=auto):
            return game.drop(source, target, auto=auto)
        case Plain(do="undo"):
            return game.undo()
        case _:
            return game.redo()


def _played(deal: Deal | None, operations: list[int]) -> Game:
    """Return a game in which some operations have been done again."""
    game = Game(deal)
    try:
        for operation in operations:
            if operation == UNDO:
                game.undo()
            else:
                game.push(operation)
    except RefusedError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
    return game


def _players(order: NewGame | DealAnew) -> list[str]:
    """Return who has made the moves of an order; a person, where that is not said."""
    return order.players or [PERSON] * bool(order.operations)


def _deal(text: str | None) -> Deal | None:
    if text is None:
        return None
    try:
        return parse_deal(text)
    except ValueError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None


def _view(session: Session) -> dict[str, Any]:
    told = {"id": session.id, "revision": session.revision, "players": session.by_name}
    return told | game_view(session.game)


def _check_revision(session: Session, revision: int | None) -> None:
    if revision is not None and revision != session.revision:
        raise HTTPException(HTTPStatus.CONFLICT, _STALE)


async def _read(request: Request, kind: TypeAdapter[Parsed]) -> Parsed:
    """Return a request's body as a message.

    Raises:
        HTTPException: It is too large, no JSON, or no such message.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                raise HTTPException(*too_large())
    except ClientDisconnect:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the message was cut off") from None
    try:
        return kind.validate_json(bytes(body))
    except ValidationError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, _first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]


async def _error_answer(request: Request, error: Exception) -> Response:
    del request
    if not isinstance(error, HTTPException):
        raise error
    return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)
