"""The server over HTTP: what strangers may see, what tokens open, what is refused at the gate."""

from typing import Any

import pytest

from pincite.app.build import open_service
from pincite.app.settings import Settings
from pincite.domain.grants import LocalUser
from tests.app.calling import BOTH, ENVELOPE, PLACE, SEARCH, result_of, serving
from tests.app.conftest import Database

pytestmark = pytest.mark.anyio

METADATA = "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"
CALL = ("tools/call", SEARCH)
CLOSED: list[tuple[str, dict[str, Any]]] = [
    CALL,
    ("resources/list", {}),
    ("resources/read", {"uri": "pincite:///support/refunds"}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "answer_with_citations"},
            "argument": {"name": "knowledge_base_id", "value": ""},
        },
    ),
]
OPEN: list[tuple[str, dict[str, Any]]] = [
    ("tools/list", {}),
    ("prompts/list", {}),
    ("resources/templates/list", {}),
    ("server/discover", {}),
]


@pytest.mark.parametrize(("method", "params"), OPEN)
async def test_what_tells_nothing_of_a_knowledge_base_takes_no_token(
    database: Database, method: str, params: dict[str, Any]
) -> None:
    async with serving(database) as caller:
        assert (await caller.newer(method, **params)).status_code == 200


@pytest.mark.parametrize(("method", "params"), CLOSED)
async def test_what_tells_of_a_knowledge_base_is_401_without_a_token(
    database: Database, method: str, params: dict[str, Any]
) -> None:
    async with serving(database) as caller:
        session = await caller.session()
        for answer in (
            await caller.newer(method, **params),
            await caller.older(method, headers=session, **params),
        ):
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'
            assert answer.json()["error"]["code"] == "unauthenticated"
        answer = await caller.newer(method, database.agent, **params)
        assert answer.status_code == 200


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Basic YTpi", "bearer  ", "é"])
@pytest.mark.parametrize(("method", "params"), [CALL, *OPEN])
async def test_a_bad_token_is_401_everywhere(
    database: Database, header: str, method: str, params: dict[str, Any]
) -> None:
    async with serving(database) as caller:
        sent = {"authorization": header.encode()}
        answer = await caller.newer(method, headers=sent, **params)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == (
        f'Bearer resource_metadata="{METADATA}", error="invalid_token"'
    )


async def test_the_challenge_leads_to_the_resources_metadata(database: Database) -> None:
    async with serving(database) as caller:
        found = await caller.http.get(METADATA)
        assert found.json() == {
            "resource": "http://127.0.0.1:8000/mcp",
            "resource_name": "Pincite",
            "bearer_methods_supported": ["header"],
        }
    sent = {"host": "kb.example.org", "origin": "https://kb.example.org"}
    async with serving(database, public_url="https://kb.example.org/docs/") as caller:
        answer = await caller.newer("tools/call", headers=sent, **SEARCH)
        assert answer.headers["www-authenticate"] == (
            'Bearer resource_metadata="https://kb.example.org'
            '/.well-known/oauth-protected-resource/docs/mcp"'
        )


async def test_a_token_opens_what_is_granted_in_both_eras(database: Database) -> None:
    async with serving(database) as caller:
        newer = result_of(await caller.newer("tools/call", database.agent, **SEARCH))
        session = await caller.session(database.agent)
        older = result_of(
            await caller.older("tools/call", database.agent, headers=session, **SEARCH)
        )
    assert newer["structuredContent"] == older["structuredContent"]
    assert [hit["article_id"] for hit in newer["structuredContent"]["results"]] == ["refunds"]


@pytest.mark.spec("ACC-2")
async def test_a_revoked_token_is_401_at_the_next_call(database: Database) -> None:
    async with serving(database) as caller:
        assert (await caller.newer("tools/list", database.agent)).status_code == 200
        with open_service(Settings(db=str(database.path))) as other:
            other.service.revoke_token(LocalUser(), "agent")
        assert (await caller.newer("tools/list", database.agent)).status_code == 401
        assert (await caller.newer("tools/call", database.agent, **SEARCH)).status_code == 401


async def test_a_stream_of_the_older_era_takes_a_token(database: Database) -> None:
    async with serving(database) as caller:
        session = await caller.session()
        headers = {"accept": "text/event-stream", **session}
        answer = await caller.http.get("/mcp", headers=headers)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST, DELETE")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "localhost:9999"}, 200),
        ({"host": "[::1]:9999"}, 200),
        ({"host": "kb.example.org"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:5173"}, 200),
        ({"origin": "https://app.example.org"}, 200),
    ],
)
async def test_only_known_hosts_and_origins_are_served(
    database: Database, headers: dict[str, str], status: int
) -> None:
    async with serving(
        database,
        allowed_hosts=("kb.example.org",),
        allowed_origins=("https://app.example.org",),
    ) as caller:
        answer = await caller.newer("tools/list", headers=headers)
    assert answer.status_code == status


async def test_white_space_behind_a_protocol_header_is_not_part_of_it(database: Database) -> None:
    async with serving(database) as caller:
        answer = await caller.newer("tools/list", headers={"mcp-method": "tools/list  "})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers", [{"mcp-method": "tools/call"}, {"mcp-protocol-version": "2027-01-01"}]
)
async def test_headers_that_disagree_with_the_message_are_refused(
    database: Database, headers: dict[str, str]
) -> None:
    async with serving(database) as caller:
        answer = await caller.newer("tools/list", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)


async def test_an_unknown_version_is_told_which_are_known(database: Database) -> None:
    later = {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {"_meta": {**ENVELOPE, **later}},
    }
    headers = {"accept": BOTH, "mcp-protocol-version": "2027-01-01", "mcp-method": "tools/list"}
    async with serving(database) as caller:
        answer = await caller.http.post("/mcp", json=message, headers=headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, -32022)
    assert error["data"]["supported"] == ["2026-07-28"]


async def test_an_unknown_method_is_404(database: Database) -> None:
    async with serving(database) as caller:
        answer = await caller.newer("tools/sing")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, -32601)


async def test_a_request_beyond_the_limit_is_413_before_it_is_read(database: Database) -> None:
    async with serving(database, content_limit=1000) as caller:
        answer = await caller.http.post("/mcp", content=b"x" * (1024 * 1024 + 6001))
    assert answer.status_code == 413


async def test_content_that_fits_only_escaped_is_taken(database: Database) -> None:
    async with serving(database, content_limit=3_000_000) as caller:
        read = {"name": "read_knowledge_article", "arguments": PLACE}
        found = result_of(await caller.newer("tools/call", database.agent, **read))
        edit = {
            **PLACE,
            "content": "\x01" * 3_000_000,
            "expected_version": found["structuredContent"]["updated_at"],
            "idempotency_key": "k1",
        }
        answer = await caller.newer(
            "tools/call", database.agent, name="edit_knowledge_article", arguments=edit
        )
    assert len(answer.request.content) > 18_000_000
    assert result_of(answer)["structuredContent"]["status"] == "saved"


async def test_calls_are_counted_by_principal_and_the_refusal_says_how_long_to_wait(
    database: Database,
) -> None:
    async with serving(database, calls_per_minute=2) as caller:
        for _ in range(2):
            answer = await caller.newer("tools/call", database.agent, **SEARCH)
            assert result_of(answer)["isError"] is False
        refused = result_of(await caller.newer("tools/call", database.agent, **SEARCH))
        error = refused["structuredContent"]["error"]
        assert (error["code"], error["retryable"]) == ("rate_limited", True)
        assert 0 < error["details"]["retry_after"] <= 30
        other = result_of(await caller.newer("tools/call", database.reader, **SEARCH))
    assert other["isError"] is False


@pytest.mark.spec("FT-3")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}]',
        b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b', "method": "tools/list"}',
    ],
)
@pytest.mark.parametrize("version", ["2026-07-28", "2025-06-18", None, "x\x7fy"])
async def test_a_body_that_is_no_message_is_a_client_error(
    database: Database, body: bytes, version: str | None
) -> None:
    headers = {"accept": BOTH, "content-type": "application/json"}
    headers |= {} if version is None else {"mcp-protocol-version": version}
    async with serving(database, fixed=True) as caller:
        answer = await caller.http.post("/mcp", content=body, headers=headers)
    assert 400 <= answer.status_code < 500


async def test_a_slash_behind_the_address_is_the_same_address(database: Database) -> None:
    async with serving(database) as caller:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
        headers = {
            "accept": BOTH,
            "authorization": f"Bearer {database.agent}",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/list",
        }
        answer = await caller.http.post("/mcp/", json=asked, headers=headers)
    assert "search_knowledge_base" in {tool["name"] for tool in result_of(answer)["tools"]}


@pytest.mark.parametrize("path", ["/", "/elsewhere"])
@pytest.mark.parametrize("accept", [BOTH, "*/*", "application/json"])
async def test_a_program_that_posts_to_the_pages_is_told_where_mcp_is(
    database: Database, path: str, accept: str
) -> None:
    headers = {"accept": accept, "authorization": f"Bearer {database.agent}"}
    async with serving(database, public_url="https://kb.example/team") as caller:
        answer = await caller.http.post(path, json={}, headers=headers)
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error["code"] == "not_found"
    assert error["message"] == (
        "There are pages for people here. MCP is at https://kb.example/team/mcp"
    )


@pytest.mark.parametrize(
    ("method", "accept"), [("GET", "*/*"), ("GET", "text/html"), ("POST", "text/html,*/*;q=0.8")]
)
async def test_a_browser_that_is_not_signed_in_gets_a_page(
    database: Database, method: str, accept: str
) -> None:
    async with serving(database) as caller:
        answer = await caller.http.request(method, "/check", headers={"accept": accept})
    assert answer.status_code == 401
    assert "You are not signed in" in answer.text
