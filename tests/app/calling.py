"""Messages of both eras to a server in this process, as a client posts them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from pincite.app.build import open_service
from pincite.app.http import build_app
from pincite.app.settings import Settings
from pincite.domain.grants import LocalUser
from tests.app.conftest import Database

PLACE = {"knowledge_base_id": "support", "article_id": "refunds"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
BOTH = "application/json, text/event-stream"


class Caller:
    """Posts messages of either era, and reads the answers."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self.http = http

    async def newer(
        self, method: str, token: str | None = None, *, headers: Any = (), **params: Any
    ) -> httpx2.Response:
        name = params.get("name") or params.get("uri")
        sent = {
            "accept": BOTH,
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": method,
            **({"mcp-name": name} if name else {}),
            **bearer(token),
            **dict(headers),
        }
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {**params, "_meta": ENVELOPE},
        }
        return await self.http.post("/mcp", json=message, headers=sent)

    async def older(
        self, method: str, token: str | None = None, *, headers: Any = (), **params: Any
    ) -> httpx2.Response:
        sent = {"accept": BOTH, **bearer(token), **dict(headers)}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self.http.post("/mcp", json=message, headers=sent)

    async def session(self, token: str | None = None) -> dict[str, str]:
        """Opens a session of the older era; returns the headers that belong to it."""
        answer = await self.older(
            "initialize",
            token,
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        assert answer.status_code == 200
        found = {
            "mcp-session-id": answer.headers["mcp-session-id"],
            "mcp-protocol-version": "2025-06-18",
        }
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        headers = {"accept": BOTH, **found, **bearer(token)}
        told = await self.http.post("/mcp", json=ready, headers=headers)
        assert told.status_code == 202
        return found


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"authorization": f"Bearer {token}"}


def result_of(answer: httpx2.Response) -> Any:
    """The result in an answer of either era."""
    assert answer.status_code == 200, answer.text
    if answer.headers["content-type"].startswith("application/json"):
        return answer.json()["result"]
    [line] = [line for line in answer.text.splitlines() if line.startswith("data: {")]
    return json.loads(line.removeprefix("data: "))["result"]


@asynccontextmanager
async def serving(database: Database, *, fixed: bool = False, **more: Any) -> AsyncIterator[Caller]:
    settings = Settings(db=str(database.path), **more)
    with open_service(settings) as opened:
        credential = LocalUser() if fixed else None
        app = build_app(opened.service, opened.store, settings, credential, start="start")
        transport = httpx2.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http,
        ):
            yield Caller(http)


SEARCH: dict[str, Any] = {
    "name": "search_knowledge_base",
    "arguments": {"knowledge_base_id": "support", "query": "refunds"},
}
