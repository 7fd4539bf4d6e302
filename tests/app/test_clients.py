"""Clients that others wrote: the SDKs', the MCP Inspector, and the conformance suite."""

import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.subscriptions import ResourceUpdated

from pincite.app.build import open_service
from pincite.app.settings import Settings
from pincite.domain.edits import Context, Edit
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from tests.app.conftest import Database, make_database
from tests.app.serving import Server, http_server, stdio_command
from tests.mcp_server.clients import Era, call, subscribe

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).with_name("node")
TOOLS = ROOT / "tools/node/node_modules/.bin"
PLACE = {"knowledge_base_id": "support", "article_id": "refunds"}
STAMP = "2026-01-01T00:00:00.000Z"
CITATION = {**PLACE, "updated_at": STAMP}

# Each tool with arguments, and the code of the refusal that they meet; None for a result.
CALLS: list[tuple[str, dict[str, Any], str | None]] = [
    ("search_knowledge_base", {"knowledge_base_id": "support", "query": "refunds"}, None),
    ("read_knowledge_article", PLACE, None),
    (
        "edit_knowledge_article",
        {**PLACE, "content": "New.", "expected_version": STAMP, "idempotency_key": "e"},
        "version_conflict",
    ),
    ("poll_resource_events", {"resource_type": "note", "resource_id": "n"}, "not_found"),
    ("list_knowledge_bases", {}, None),
    ("check_citations", {"citations": [CITATION]}, None),
    (
        "patch_knowledge_article",
        {
            **PLACE,
            "edits": [{"old_text": "a", "new_text": "b"}],
            "expected_version": STAMP,
            "idempotency_key": "p",
        },
        "version_conflict",
    ),
    (
        "draft_knowledge_article",
        {"knowledge_base_id": "secret", "title": "T", "content": "C", "idempotency_key": "d"},
        "not_found",
    ),
    (
        "record_answer",
        {
            "knowledge_base_id": "support",
            "question": "Q?",
            "answer": "A.",
            "citations": [CITATION],
            "idempotency_key": "r",
        },
        None,
    ),
    ("list_stale_answers", {"knowledge_base_id": "support"}, None),
]

_OPEN = """
import os, sys
from pincite.app.build import open_service
from pincite.app.http import build_app, run_app
from pincite.app.settings import Settings
from pincite.domain.grants import LocalUser
def ready(url):
    print(url, flush=True)
settings = Settings.load(os.environ, db=sys.argv[1])
with open_service(settings) as opened:
    app = build_app(opened.service, opened.store, settings, LocalUser())
    run_app(app, "127.0.0.1", 0, ready)
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Database:
    return make_database(tmp_path_factory.mktemp("clients"))


@pytest.fixture(scope="module")
def server(shared: Database) -> Iterator[Server]:
    with http_server(shared.path) as running:
        yield running


def node(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(NODE), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=240,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def inspected(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return node(TOOLS / "mcp-inspector", "--cli", *arguments)


def over_http(server: Server, token: str) -> list[str]:
    return [server.address, "--transport", "http", "--header", f"Authorization: Bearer {token}"]


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_sdks_client_searches_reads_edits_and_polls_over_http(
    database: Database, era: Era
) -> None:
    with http_server(database.path) as running:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {database.agent}"})
        async with (
            http,
            Client(streamable_http_client(running.address, http_client=http), mode=era) as client,
        ):
            found = await call(
                client, "search_knowledge_base", knowledge_base_id="support", query="refunds"
            )
            read = await call(client, "read_knowledge_article", **PLACE)
            assert [hit["citation"] for hit in found["results"]] == [read["citation"]]
            edit = {
                "content": "# Refunds\n\nAsk within 14 days.\n",
                "expected_version": read["updated_at"],
                "idempotency_key": "k1",
            }
            saved = await call(client, "edit_knowledge_article", **PLACE, **edit)
            assert saved["status"] == "saved"
            again = await call(client, "edit_knowledge_article", **PLACE, **edit)
            assert again == {**saved, "replayed": True}
            page = await call(
                client,
                "poll_resource_events",
                resource_type="knowledge_base",
                resource_id="support",
                after_sequence=read["latest_sequence"],
            )
            assert [event["updated_at"] for event in page["events"]] == [saved["updated_at"]]
        assert running.stop() == 0


async def change(database: Database, content: str) -> None:
    """Edits the article on the same file, but not through the server."""

    def edit() -> None:
        with open_service(Settings(db=str(database.path))) as opened:
            kb, article_id = KnowledgeBaseId("support"), ArticleId("refunds")
            at = opened.service.read(LocalUser(), kb, article_id).updated_at
            opened.service.write(LocalUser(), kb, article_id, Edit(at, content), Context(content))

    await anyio.to_thread.run_sync(edit)


@pytest.mark.anyio
async def test_clients_of_both_eras_hear_over_http_of_a_change_elsewhere(
    database: Database,
) -> None:
    uri = "pincite:///support/refunds"
    heard_send, heard = anyio.create_memory_object_stream[str](10)

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            await heard_send.send(message.params.uri)

    def reach(running: Server, http: httpx2.AsyncClient) -> Any:
        return streamable_http_client(running.address, http_client=http)

    with http_server(database.path) as running, heard_send, heard:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {database.reader}"}) as http,
            Client(reach(running, http)) as newer,
            Client(reach(running, http), mode="legacy", message_handler=hear) as older,
            newer.listen(resource_subscriptions=[uri]) as stream,
        ):
            await subscribe(older, uri)
            await change(database, "New.")
            with anyio.fail_after(60):
                assert await anext(aiter(stream)) == ResourceUpdated(uri)
                # The older client's stream may have opened too late for the first change.
                for number in itertools.count():
                    with anyio.move_on_after(5):
                        assert await heard.receive() == uri
                        break
                    await change(database, f"New {number}.")


@pytest.mark.anyio
async def test_a_server_that_is_told_to_stop_ends_open_streams_and_itself(
    database: Database,
) -> None:
    with http_server(database.path) as running:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {database.agent}"})
        async with (
            http,
            Client(streamable_http_client(running.address, http_client=http)) as client,
            client.listen(resource_subscriptions=["pincite:///support/refunds"]) as stream,
        ):
            running.process.send_signal(signal.SIGTERM)
            with anyio.fail_after(30):
                assert [event async for event in stream] == []
            assert await anyio.to_thread.run_sync(running.process.wait) == 0


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_inspector_lists_the_tools_strictly_without_a_token(server: Server, era: str) -> None:
    ran = inspected(
        server.address, "--transport", "http", "--protocol-era", era,
        "--method", "tools/list", "--strict",
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [tool["name"] for tool in json.loads(ran.stdout)["tools"]] == [
        name for name, *_ in CALLS
    ]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_inspector_lists_the_tools_strictly_over_stdio(shared: Database, era: str) -> None:
    ran = inspected(
        "--protocol-era", era, "--method", "tools/list", "--strict",
        "--", *stdio_command(shared.path),
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [tool["name"] for tool in json.loads(ran.stdout)["tools"]] == [
        name for name, *_ in CALLS
    ]


@pytest.mark.parametrize(("name", "arguments", "code"), CALLS)
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_calls_each_tool(
    shared: Database,
    server: Server,
    transport: str,
    name: str,
    arguments: dict[str, Any],
    code: str | None,
) -> None:
    asked = ["--method", "tools/call", "--tool-name", name]
    asked += ["--tool-args-json", json.dumps(arguments)]
    if transport == "http":
        reached = over_http(server, shared.agent)
        ran = inspected(*reached, "--protocol-era", "modern", *asked)
    else:
        token = ["-e", f"PINCITE_TOKEN={shared.agent}", "--protocol-era", "legacy"]
        ran = inspected(*token, *asked, "--", *stdio_command(shared.path))
    result = json.loads(ran.stdout)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"].get("error", {}).get("code") == code
    assert ran.returncode == (0 if code is None else 5), ran.stderr


def test_the_typescript_clients_read_a_refusal(shared: Database, server: Server) -> None:
    script = ROOT / "tools/node/refusal.mjs"
    asked = {**PLACE, "article_id": "none"}
    ran = node(script, server.address, shared.agent, "read_knowledge_article", json.dumps(asked))
    assert ran.returncode == 0, ran.stderr
    refusal = {
        "tools": 10,
        "structuredContent": {
            "error": {
                "code": "not_found",
                "message": "There is no such article.",
                "retryable": False,
                "details": {},
            }
        },
        "isError": True,
    }
    assert json.loads(ran.stdout) == {"old": refusal, "new": refusal}


@pytest.mark.parametrize("requirements", ["2026-07-28", "2025-11-25"])
def test_the_conformance_suite_finds_only_what_is_expected(
    database: Database, tmp_path: Path, requirements: str
) -> None:
    with http_server(database.path, _OPEN) as running:
        ran = node(
            TOOLS / "conformance", "server", "--url", running.address,
            "--requirements", requirements, "--output-dir", tmp_path / "found",
            "--expected-failures", ROOT / "tools/conformance/expected-failures.yaml",
        )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert "Baseline check passed" in ran.stdout
