"""The server on standard input and output, started as clients start it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.app.conftest import Database
from tests.app.serving import stdio_command
from tests.mcp_server.clients import Era, call

PLACE = {"knowledge_base_id": "support", "article_id": "refunds"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
DISCOVER = {"id": "d", "method": "server/discover", "params": {"_meta": ENVELOPE}}
READY = {"method": "notifications/initialized"}


def initialize(version: str = "2025-06-18") -> dict[str, Any]:
    info = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    return {"id": "i", "method": "initialize", "params": params}


def tool(name: str, request_id: Any = 1, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"id": request_id, "method": "tools/call", "params": params}


def modern(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "params": {**message.get("params", {}), "_meta": ENVELOPE}}


def spoken(
    database: Path, *messages: dict[str, Any] | bytes, warned: bool = False
) -> dict[Any, Any]:
    """What a server answers to lines that all come at once, by id; it must not fail.

    It must be silent beside, unless ``warned`` is expected. What is answered without an id is
    listed under None.
    """
    lines = [
        message
        if isinstance(message, bytes)
        else json.dumps({"jsonrpc": "2.0", **message}).encode()
        for message in messages
    ]
    ran = subprocess.run(
        stdio_command(database),
        input=b"\n".join(lines) + b"\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    told = ran.stderr.decode()
    assert (ran.returncode, bool(told)) == (0, warned), told
    found: dict[Any, Any] = {None: []}
    for answer in map(json.loads, ran.stdout.splitlines()):
        assert answer["jsonrpc"] == "2.0"
        if answer["id"] is None:
            found[None].append(answer)
        else:
            assert found.setdefault(answer["id"], answer) is answer
    return found


def searched(request_id: int, query: str) -> bytes:
    """A search whose query is written as it stands, escapes and all."""
    search = tool("search_knowledge_base", request_id, knowledge_base_id="support", query="HERE")
    return json.dumps({"jsonrpc": "2.0", **search}).replace("HERE", query).encode()


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_sdks_client_searches_reads_edits_and_polls(database: Database, era: Era) -> None:
    command, *arguments = stdio_command(database.path)
    server = StdioServerParameters(command=command, args=arguments)
    async with Client(server, mode=era) as client:
        assert client.protocol_version == ("2026-07-28" if era == "auto" else "2025-11-25")
        found = await call(
            client, "search_knowledge_base", knowledge_base_id="support", query="refunds"
        )
        [hit] = found["results"]
        read = await call(client, "read_knowledge_article", **PLACE)
        assert read["citation"] == hit["citation"]
        saved = await call(
            client,
            "edit_knowledge_article",
            **PLACE,
            content="# Refunds\n\nAsk within 14 days.\n",
            expected_version=read["updated_at"],
            idempotency_key="k1",
        )
        assert saved["status"] == "saved"
        page = await call(
            client,
            "poll_resource_events",
            resource_type="knowledge_base",
            resource_id="support",
            after_sequence=read["latest_sequence"],
        )
        assert [event["updated_at"] for event in page["events"]] == [saved["updated_at"]]


@pytest.mark.anyio
async def test_a_client_hears_of_what_another_process_changed(database: Database) -> None:
    command, *arguments = stdio_command(database.path)
    server = StdioServerParameters(command=command, args=arguments)
    async with (
        Client(server) as listener,
        Client(server, mode="legacy") as writer,
        listener.listen(resource_subscriptions=["pincite:///support/refunds"]) as stream,
    ):
        read = await call(writer, "read_knowledge_article", **PLACE)
        await call(
            writer,
            "edit_knowledge_article",
            **PLACE,
            content="New.",
            expected_version=read["updated_at"],
            idempotency_key="k1",
        )
        with anyio.fail_after(30):
            event = await anext(aiter(stream))
    assert getattr(event, "uri", None) == "pincite:///support/refunds"


def test_a_leading_discover_is_answered_and_settles_no_era(database: Database) -> None:
    search = tool("search_knowledge_base", knowledge_base_id="support", query="refunds")
    older = spoken(database.path, DISCOVER, initialize(), READY, search)
    assert older["d"]["result"]["supportedVersions"] == ["2026-07-28"]
    assert older["i"]["result"]["protocolVersion"] == "2025-06-18"
    assert len(older[1]["result"]["structuredContent"]["results"]) == 1
    newer = spoken(database.path, DISCOVER, {**DISCOVER, "id": "again"}, modern(search))
    assert newer["again"]["result"]["supportedVersions"] == ["2026-07-28"]
    assert newer[1]["result"]["structuredContent"] == older[1]["result"]["structuredContent"]


def test_a_discover_that_says_nothing_of_its_version_settles_no_era_either(
    database: Database,
) -> None:
    bare = {"id": "d", "method": "server/discover"}
    found = spoken(database.path, bare, modern(tool("list_knowledge_bases")))
    assert "error" in found["d"]
    assert len(found[1]["result"]["structuredContent"]["knowledge_bases"]) == 2


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_both_older_versions_are_spoken(database: Database, version: str) -> None:
    found = spoken(database.path, initialize(version), READY, {"id": 1, "method": "tools/list"})
    assert found["i"]["result"]["protocolVersion"] == version
    assert len(found[1]["result"]["tools"]) == 10


def test_all_that_was_asked_is_answered_before_the_server_ends(database: Database) -> None:
    searches = [
        tool("search_knowledge_base", number, knowledge_base_id="support", query="refunds")
        for number in range(50)
    ]
    found = spoken(database.path, initialize(), READY, *searches)
    assert [len(found[n]["result"]["structuredContent"]["results"]) for n in range(50)] == [1] * 50


@pytest.mark.spec("FT-3")
def test_lines_that_are_no_messages_are_answered_and_the_next_is_served(
    database: Database,
) -> None:
    junk = [b"", b"{", b"[]", b"null", b'"x"', b"\x00", b"\xff\xfe", b"[" * 10_000, b'{"id": 7}']
    found = spoken(database.path, *junk, initialize(), READY, *junk, tool("list_knowledge_bases"))
    assert [answer["error"]["code"] for answer in found[None]] == [-32700] * 2 * len(junk)
    assert len(found[1]["result"]["structuredContent"]["knowledge_bases"]) == 2


@pytest.mark.spec("FT-3")
def test_a_call_off_of_what_no_request_can_be_called_is_passed_over(database: Database) -> None:
    odd = [{"a": 1}, [1], None, 1.5, "never asked"]
    called_off = [{"method": "notifications/cancelled", "params": {"requestId": x}} for x in odd]
    asked = [*map(modern, called_off), modern(tool("list_knowledge_bases"))]
    found = spoken(database.path, *asked, warned=True)
    assert len(found[1]["result"]["structuredContent"]["knowledge_bases"]) == 2


@pytest.mark.spec("FT-3")
def test_text_that_is_not_unicode_is_refused_where_it_stands(database: Database) -> None:
    odd = [r"re\ud800fund", r"\uDC00x", r"\\\ud83d x", r"re\u0000fund", r"\ud83d\ud83d"]
    searches = [searched(number, query) for number, query in enumerate(odd)]
    found = spoken(database.path, initialize(), READY, *searches)
    errors = [found[n]["result"]["structuredContent"]["error"] for n in range(len(odd))]
    assert [error["code"] for error in errors] == ["invalid_input"] * 5
    assert [error["details"]["field"] for error in errors] == ["query"] * 5


def test_text_that_only_looks_odd_is_searched_for(database: Database) -> None:
    fine = [r"re\ud83d\ude00", r"\\ud800", r"\\uD800", "é😀"]
    searches = [searched(number, query) for number, query in enumerate(fine)]
    found = spoken(database.path, initialize(), READY, *searches)
    results = [found[n]["result"]["structuredContent"]["results"] for n in range(len(fine))]
    assert results == [[], [], [], []]


@pytest.mark.anyio
async def test_a_token_narrows_what_the_local_user_may_do(database: Database) -> None:
    command, *arguments = stdio_command(database.path)
    server = StdioServerParameters(
        command=command, args=arguments, env={"PINCITE_TOKEN": database.reader}
    )
    async with Client(server) as client:
        listed = await call(client, "list_knowledge_bases")
        assert [kb["knowledge_base_id"] for kb in listed["knowledge_bases"]] == ["support"]
        assert listed["knowledge_bases"][0]["grants"] == ["read"]
    wrong = StdioServerParameters(command=command, args=arguments, env={"PINCITE_TOKEN": "no"})
    async with Client(wrong) as client:
        assert len((await client.list_tools()).tools) == 10
        with pytest.raises(MCPError, match="needs a valid token"):
            await client.call_tool("list_knowledge_bases", {})


@pytest.mark.anyio
async def test_each_process_is_a_session_of_its_own(database: Database) -> None:
    command, *arguments = stdio_command(database.path)
    server = StdioServerParameters(command=command, args=arguments)
    named: Any = {"pincite/session": "mine"}
    async with Client(server) as client:
        await client.call_tool("read_knowledge_article", PLACE, meta=named)
    async with Client(server) as client:
        await client.call_tool("read_knowledge_article", PLACE)
        page = await call(
            client, "poll_resource_events", resource_type="session", resource_id="mine"
        )
    assert [event["type"] for event in page["events"]] == ["article.read"]


def test_what_is_imported_to_serve_stdio_leaves_out_what_only_others_need(
    database: Database,
) -> None:
    ask = json.dumps({"jsonrpc": "2.0", **modern(tool("list_knowledge_bases"))}) + "\n"
    command = [sys.executable, "-X", "importtime", *stdio_command(database.path)[1:]]
    ran = subprocess.run(command, input=ask.encode(), capture_output=True, timeout=60, check=True)
    imported = {line.rpartition("|")[2].strip() for line in ran.stderr.decode().splitlines()}
    assert "mcp.server.lowlevel.server" in imported
    heavy = {"psycopg", "rich", "jinja2", "nh3", "prometheus_client"}
    assert imported & heavy == set()


def test_a_database_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    missing = tmp_path / "missing.db"
    ran = subprocess.run(
        stdio_command(missing), input=b"", capture_output=True, timeout=60, check=False
    )
    assert ran.returncode == 1
    assert b"StoreUnavailableError" in ran.stderr
    assert str(missing).encode() in ran.stderr
    assert not missing.exists()
