"""The web app as an ASGI application: who may come in, which view answers, how refusals look."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pincite.domain.grants import Credential
from pincite.errors import PinciteError
from pincite.service.knowledge_base import Service
from pincite.web import articles, views
from pincite.web.desk import Asked, Desk
from pincite.web.pages import CheckPage, Page, RefusalPage
from pincite.web.refusals import (
    NO_SESSION,
    NOWHERE,
    START_USED,
    START_WRONG,
    TOO_LONG,
    no_page,
    refusal_of,
)
from pincite.web.security import HEADERS, Refused, Sessions, keep, reads_pages
from pincite.web.templating import Templates

View: TypeAlias = Callable[[Desk, Asked], Page]
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

VIEWS: Final[Mapping[str, View]] = {
    "/": views.home,
    "/articles": views.articles,
    "/search": views.search,
    "/article": articles.article,
    "/history": articles.history,
    "/changes": articles.changes,
    "/events": views.events,
    "/answers": views.answers,
}
"""The pages that are read; each says in its query what it shows."""

_LONGEST_FORM = 1024 * 1024
_CREDENTIAL = "pincite.credential"


class Site:
    """The web app.

    Args:
        service: Answers.
        sessions: Who is signed in.
        public_url: Where others find the app; None for the address that they used.
    """

    def __init__(self, service: Service, sessions: Sessions, public_url: str | None) -> None:
        self._service = service
        self._sessions = sessions
        self._public_url = public_url
        self._templates = Templates()
        self._app = Starlette(
            routes=[
                Route("/start", self._start, methods=["GET"]),
                Mount("/static", StaticFiles(directory=Path(__file__).with_name("static"))),
                *(Route(path, self._page(view), methods=["GET"]) for path, view in VIEWS.items()),
                Route("/check", self._check, methods=["GET", "POST"]),
            ],
            exception_handlers={HTTPException: self._astray},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; whoever is not signed in learns nothing but how to come in."""
        app: ASGIApp = self._app
        if scope["type"] == "http":
            request = Request(scope)
            path = request.url.path.removeprefix(scope.get("root_path", ""))
            open_ = path == "/start" or path.startswith("/static/")
            send = _dressed(send, "no-cache" if path.startswith("/static/") else "no-store")
            credential = self._sessions.find(request)
            scope[_CREDENTIAL] = credential
            if credential is None and not open_:
                if reads_pages(request):
                    app = self._refuse(request, NO_SESSION)
                else:
                    app = no_page(f"{self._address(request)}mcp")
        await app(scope, receive, send)

    def _page(self, view: View) -> Endpoint:
        async def answer(request: Request) -> Response:
            return await self._answer(request, view, request.query_params)

        return answer

    async def _check(self, request: Request) -> Response:
        if request.method != "POST":
            return await self._answer(request, views.check, {})
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or int(length) > _LONGEST_FORM:
            return self._refuse(request, TOO_LONG)
        form = await request.form(max_files=0, max_fields=10)
        values = {name: value for name, value in form.items() if isinstance(value, str)}
        return await self._answer(request, views.check, values)

    async def _answer(self, request: Request, view: View, values: Mapping[str, str]) -> Response:
        credential: Credential = request.scope[_CREDENTIAL]
        desk = Desk(self._service, credential)
        asked = Asked(values, self._address(request))
        return await run_in_threadpool(self._shown, request, view, desk, asked)

    def _shown(self, request: Request, view: View, desk: Desk, asked: Asked) -> Response:
        try:
            page = view(desk, asked)
        except PinciteError as error:
            return self._refuse(request, refusal_of(error))
        refused = isinstance(page, CheckPage) and page.refusal is not None
        return self._html(request, page, 400 if refused else 200)

    def _start(self, request: Request) -> Response:
        if request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", ""):
            # Whoever only looks ahead must not use up what opens once.
            return Response(status_code=503)
        opened = self._sessions.exchange(request.query_params.get("token", ""))
        if isinstance(opened, Refused):
            if self._sessions.find(request):
                return RedirectResponse("./", status_code=303)
            used = opened is Refused.USED
            return self._refuse(request, START_USED if used else START_WRONG)
        answer = RedirectResponse("./", status_code=303)
        keep(opened, request, answer)
        return answer

    async def _astray(self, request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code != 404:
            return Response(status_code=error.status_code, headers=error.headers)
        return self._refuse(request, NOWHERE)

    def _refuse(self, request: Request, page: RefusalPage) -> Response:
        answer = self._html(request, page, page.status)
        if page.status == 503:
            answer.headers["Retry-After"] = "1"
        return answer

    def _html(self, request: Request, page: Page, status: int) -> Response:
        return HTMLResponse(
            self._templates.html(page, up=_up(request), address=self._address(request)), status
        )

    def _address(self, request: Request) -> str:
        return f"{(self._public_url or str(request.base_url)).rstrip('/')}/"


def _up(request: Request) -> str:
    """How to get from the request's address to the app's own, as relative links do."""
    return "../" * (request.url.path.count("/") - 1)


def _dressed(send: Send, cached: str) -> Send:
    """Sends answers with the headers that keep browsers to the rules."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message["headers"])
            names = {name.lower() for name, _ in headers}
            wanted = {**HEADERS, "Cache-Control": cached}
            headers += [
                (name.lower().encode(), value.encode())
                for name, value in wanted.items()
                if name.lower().encode() not in names
            ]
            message = {**message, "headers": headers}
        await send(message)

    return dressed
