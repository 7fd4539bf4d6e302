"""Carries the server over Streamable HTTP: one address for both eras, behind a gate.

The gate looks at hosts, origins, sizes and tokens, so that what the protocol demands of
strangers is right: they may see the tool list, and a call of theirs is 401. It trusts nobody
to the inside: every handler asks the service with the call's own credential.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
from mcp.server.streamable_http_manager import (
    DEFAULT_MAX_SESSIONS,
    StreamableHTTPSessionManager,
)
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from pincite.domain.ids import Principal
from pincite.errors import PinciteError, UnauthenticatedError
from pincite.mcp_server.bodies import without_surrogates
from pincite.mcp_server.callers import bearer
from pincite.mcp_server.owners import SESSION_HEADER, SessionOwners
from pincite.mcp_server.server import Endpoint
from pincite.service.knowledge_base import Service
from pincite.wire.errors import error_object

METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
"""RFC 9728 section 3: the resource's own path follows."""

PROTECTED: Final = frozenset(
    {
        "tools/call",
        "resources/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
    }
)
"""The methods that take a token. The others tell nothing of what a knowledge base holds, or
look at the token themselves (``subscriptions/listen``); unknown ones are the SDK's to refuse."""

NAMELESS_SESSIONS: Final = 1_000
"""How many sessions may be open that were opened without a token: anybody can open them."""

_NO_SESSION: Final = "none"  # ids of sessions are 32 hexadecimal digits

LOCAL_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Doors:
    """Who may knock.

    Attributes:
        hosts: Values of the ``Host`` header beside this machine's own; ``name:*`` allows any
            port.
        origins: Values of the ``Origin`` header, for pages of other servers.
        public_url: Where clients find this server; None for the address that they used.
        body_limit: The longest request, in bytes.
    """

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    public_url: str | None = None
    body_limit: int = 8 * 1024 * 1024

    @property
    def security(self) -> TransportSecuritySettings:
        """The same, as the SDK checks it against DNS rebinding."""
        local = [f"{host}{port}" for host in LOCAL_HOSTS for port in ("", ":*")]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*local, *self.hosts],
            allowed_origins=[*(f"http://{host}" for host in local), *self.origins],
        )


class StreamableHttp:
    """The server as an ASGI application for one path.

    Session managers of two kinds serve it: the newer era answers in JSON and keeps no session, the
    older needs streams and sessions, each of which serves the principal that it belongs to.
    What is opened without a token has a manager of its own, so that nobody can take up the
    sessions of those who have one.

    Args:
        endpoint: What is served.
        service: Knows whose a token is.
        doors: Who may knock.
        guarded: False where every caller is the same one, known beforehand.
    """

    def __init__(
        self, endpoint: Endpoint, service: Service, doors: Doors, *, guarded: bool = True
    ) -> None:
        self._endpoint = endpoint
        self._service = service
        self._doors = doors
        self._guarded = guarded
        self._security = TransportSecurityMiddleware(doors.security)
        self._newer = self._manager(json_response=True, stateless=True)
        self._older = self._manager(json_response=False, stateless=False)
        nameless = NAMELESS_SESSIONS if guarded else DEFAULT_MAX_SESSIONS
        self._nameless = self._manager(json_response=False, stateless=False, sessions=nameless)
        self._owners = SessionOwners(DEFAULT_MAX_SESSIONS + nameless)
        self._app = RequestBodyLimitMiddleware(self._admit, doors.body_limit)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Must be entered while requests are served, once."""
        async with (
            self._newer.run(),
            self._older.run(),
            self._nameless.run(),
            anyio.create_task_group() as beside,
        ):
            beside.start_soon(self._endpoint.follower.run)
            yield
            beside.cancel_scope.cancel()
        self._endpoint.close()

    def stop(self) -> None:
        """Ends what would keep the server from stopping."""
        self._endpoint.subscriptions.end()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        await self._app(scope, receive, send)

    async def metadata(self, request: Request) -> Response:
        """Answers for the protected resource's metadata (RFC 9728 section 2)."""
        return JSONResponse(
            {
                "resource": self._address(request),
                "resource_name": "Pincite",
                "bearer_methods_supported": ["header"],
            }
        )

    def _manager(
        self, *, json_response: bool, stateless: bool, sessions: int = DEFAULT_MAX_SESSIONS
    ) -> StreamableHTTPSessionManager:
        return StreamableHTTPSessionManager(
            self._endpoint.server,
            json_response=json_response,
            stateless=stateless,
            security_settings=self._doors.security,
            max_request_body_size=self._doors.body_limit,
            max_sessions=sessions,
        )

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        refused = await self._security.validate_request(request)
        body = b""
        if refused is None and request.method == "POST":
            body = _repaired((await receive()).get("body", b""))
            receive = _again(body, receive)
        principal = None
        if refused is None and self._guarded:
            match await self._known(request, body):
                case Response() as refusal:
                    refused = refusal
                case known:
                    principal = known
        if refused is None:
            await self._serve(scope, receive, send, principal)
        else:
            await refused(scope, receive, send)

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, principal: Principal | None
    ) -> None:
        scope["headers"] = [
            # httptools keeps white space at the end of a value, which is not part of it.
            (name, value.strip() if name.startswith(b"mcp-") else value)
            for name, value in scope["headers"]
        ]
        version = Request(scope).headers.get("mcp-protocol-version")
        if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._serve_older(scope, receive, send, principal)
        else:
            await self._newer.handle_request(scope, receive, send)

    async def _serve_older(
        self, scope: Scope, receive: Receive, send: Send, principal: Principal | None
    ) -> None:
        headers = MutableHeaders(scope=scope)
        session = headers.get(SESSION_HEADER)
        nameless = principal is None if session is None else self._owners.is_nameless(session)
        manager = self._nameless if nameless else self._older
        if session is None:
            send = self._owners.noting(send, principal)
        elif not self._owners.admits(session, principal):
            # The SDK's own answer to an unknown session, so that nothing tells the two apart.
            headers[SESSION_HEADER], session = _NO_SESSION, None
        await manager.handle_request(scope, receive, send)
        if session is not None and scope["method"] == "DELETE":
            self._owners.forget(session)

    async def _known(self, request: Request, body: bytes) -> Principal | Response | None:
        """Who asks, or what they hear who have no token, or a wrong one, where one is needed."""
        credential = bearer(request.headers.get("authorization"))
        if credential is None:
            if request.method == "GET":
                # Nothing is told of events without a token, so there is no stream to open.
                return Response(status_code=405, headers={"Allow": "POST, DELETE"})
            return self._challenge(request, None) if _method(body) in PROTECTED else None
        try:
            work = partial(self._service.access.authenticate, credential)
            return (await self._endpoint.workers.look(work)).principal
        except UnauthenticatedError:
            return self._challenge(request, "invalid_token")
        except PinciteError as error:
            return JSONResponse(error_object(error), status_code=503)

    def _challenge(self, request: Request, error: str | None) -> Response:
        """401, and where to learn how to get a token (RFC 6750 section 3, RFC 9728 section 5.1)."""
        resource = urlsplit(self._address(request))
        metadata = f"{resource.scheme}://{resource.netloc}{METADATA_PATH}{resource.path}"
        found = f'Bearer resource_metadata="{metadata}"'
        challenge = f'{found}, error="{error}"' if error else found
        return JSONResponse(
            error_object(UnauthenticatedError()),
            status_code=401,
            headers={"WWW-Authenticate": challenge},
        )

    def _address(self, request: Request) -> str:
        public = self._doors.public_url or str(request.base_url)
        return f"{public.rstrip('/')}/mcp"


def _method(body: bytes) -> str | None:
    """The method of a message; None if it has none, which the SDK refuses."""
    try:
        message: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) else None


def _repaired(body: bytes) -> bytes:
    # Latin-1 keeps every byte, and the escapes are ASCII.
    return without_surrogates(body.decode("latin-1")).encode("latin-1")


def _again(body: bytes, receive: Receive) -> Receive:
    """The request's messages with another body."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return first.pop() if first else await receive()

    return replay
