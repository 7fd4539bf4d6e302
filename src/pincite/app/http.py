"""The ASGI application and the server that runs it."""

import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from pincite.app.health import Health
from pincite.app.metrics import Metrics
from pincite.app.offer import options_of
from pincite.app.settings import Settings
from pincite.app.system import SystemClock
from pincite.domain.grants import Credential
from pincite.errors import InvalidInputError
from pincite.mcp_server.callers import always, by_header
from pincite.mcp_server.http import METADATA_PATH, Doors, StreamableHttp
from pincite.mcp_server.server import build_endpoint
from pincite.ports import Store
from pincite.service.knowledge_base import Service
from pincite.web.routes import Site
from pincite.web.security import Sessions

_BACKLOG = 2048
_LAST_ANSWERS = 5
"""How long requests under way may take after a signal to stop, in seconds."""


def build_app(
    service: Service,
    store: Store,
    settings: Settings,
    credential: Credential | None = None,
    *,
    start: str | None = None,
) -> Starlette:
    """The application: MCP at ``/mcp``, the web app at ``/``, and what watches it; see ``health``.

    Args:
        service: Answers.
        store: The database below it.
        settings: What to offer, and to whom.
        credential: Makes every caller the same one, for tests of the protocol alone.
        start: The secret that lets the person who started the server into the web app, once;
            None for no web app.
    """
    identify = by_header if credential is None else always(credential)
    metrics = Metrics(store)
    options = replace(options_of(settings), observe=metrics.observe)
    endpoint = build_endpoint(service, store, identify, options)
    mcp = StreamableHttp(endpoint, service, doors_of(settings), guarded=credential is None)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with mcp.run():
            yield

    app = Starlette(
        routes=[
            Route("/mcp", mcp),
            Route("/mcp/", mcp),  # not redirected: clients post, and few post again elsewhere
            Route(METADATA_PATH, mcp.metadata),
            Route(f"{METADATA_PATH}/mcp", mcp.metadata),
            *Health(store, SystemClock(), metrics).routes,
            *([Mount("/", Site(service, Sessions(start), settings.public_url))] if start else []),
        ],
        lifespan=lifespan,
    )
    app.state.stop = mcp.stop
    return app


def doors_of(settings: Settings) -> Doors:
    """Who may knock at a server with these settings; its public address always may."""
    address = settings.public_url
    public = [urlsplit(address)] if address else []
    return Doors(
        hosts=(*(one.netloc for one in public), *settings.allowed_hosts),
        origins=(
            *(f"{one.scheme}://{one.netloc}" for one in public),
            *settings.allowed_origins,
        ),
        public_url=address,
        # A byte of content may take six of JSON: "\\u0041".
        body_limit=6 * settings.content_limit + 1024 * 1024,
    )


def run_app(
    app: Starlette, host: str, port: int, ready: Callable[[str], None] | None = None
) -> None:
    """Runs an application of :func:`build_app` until a signal asks to stop.

    Raises:
        InvalidInputError: Nothing can listen at the address.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]
        raise InvalidInputError(
            f"Nothing can listen at {host}:{port}: {why}.",
            field="http",
            limit="an address of this machine that is free",
        ) from None
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )
    if threading.current_thread() is threading.main_thread():
        # Uvicorn handles these while it runs and raises them again when it has stopped, which
        # would end the process before its store is closed.
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, lambda *_: None)
    _Server(config, ready, app.state.stop).run([listening])


class _Server(uvicorn.Server):
    """Uvicorn, which tells when it takes requests, and ends open streams before it stops."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[str], None] | None,
        stop: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._ready:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._ready(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stop()
        await super().shutdown(sockets)
