"""Sessions of the older era over HTTP: each belongs to one principal."""

from typing import Any

import pytest

from pincite.app.build import open_service
from pincite.app.settings import Settings
from pincite.domain.grants import Grant, LocalUser
from pincite.mcp_server import http
from tests.app.calling import BOTH, SEARCH, bearer, serving
from tests.app.conftest import Database

pytestmark = pytest.mark.anyio


async def test_a_session_opened_by_nobody_belongs_to_the_first_token_that_comes(
    database: Database,
) -> None:
    async with serving(database) as caller:
        session = await caller.session()
        assert (await caller.older("tools/list", headers=session)).status_code == 200
        for token, status in [
            (database.agent, 200),
            (database.reader, 404),
            (None, 401),
            (database.agent, 200),
        ]:
            answer = await caller.older("tools/call", token, headers=session, **SEARCH)
            assert answer.status_code == status
        assert (await caller.older("tools/list", headers=session)).status_code == 404


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_to_another_principal_a_session_is_as_one_that_does_not_exist(
    database: Database, method: str
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    async with serving(database) as caller:
        session = await caller.session(database.agent)
        answers = [
            await caller.http.request(
                method,
                "/mcp",
                json=message if method == "POST" else None,
                headers={"accept": BOTH, **session, **bearer(database.reader), **other},
            )
            for other in ({}, {"mcp-session-id": "0" * 32})
        ]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content
        assert answers[0].headers == answers[1].headers
        owned = await caller.older("tools/list", database.agent, headers=session)
        assert owned.status_code == 200


async def test_a_session_stays_its_principals_when_the_token_is_replaced(
    database: Database,
) -> None:
    async with serving(database) as caller:
        session = await caller.session(database.agent)
        with open_service(Settings(db=str(database.path))) as other:
            other.service.revoke_token(LocalUser(), "agent")
            access = other.service.access
            new = access.create_token(LocalUser(), "agent", {"support": Grant.READ})
        old = await caller.older("tools/list", database.agent, headers=session)
        assert old.status_code == 401
        answer = await caller.older("tools/call", new.secret, headers=session, **SEARCH)
        assert answer.status_code == 200


async def test_a_session_that_its_owner_ended_is_over(database: Database) -> None:
    async with serving(database) as caller:
        session = await caller.session(database.agent)
        headers = {**session, **bearer(database.agent)}
        assert (await caller.http.delete("/mcp", headers=headers)).status_code == 200
        answer = await caller.older("tools/list", database.agent, headers=session)
        assert answer.status_code == 404


async def test_sessions_opened_without_a_token_take_no_place_of_those_with_one(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "NAMELESS_SESSIONS", 2)
    hello: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    async with serving(database) as caller:
        claimed, _ = await caller.session(), await caller.session()
        refused = await caller.older("initialize", **hello)
        assert refused.status_code == 503
        session = await caller.session(database.agent)
        for one in (session, claimed):
            answer = await caller.older("tools/call", database.agent, headers=one, **SEARCH)
            assert answer.status_code == 200
        headers = {**claimed, **bearer(database.agent)}
        assert (await caller.http.delete("/mcp", headers=headers)).status_code == 200
        assert (await caller.older("initialize", **hello)).status_code == 200


async def test_where_all_callers_are_one_none_of_them_is_nameless(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "NAMELESS_SESSIONS", 1)
    async with serving(database, fixed=True) as caller:
        sessions = [await caller.session(), await caller.session()]
        for session in sessions:
            answer = await caller.older("tools/call", headers=session, **SEARCH)
            assert answer.status_code == 200
