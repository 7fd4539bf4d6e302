"""Two servers on one database: neither keeps anything that the other needs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pincite.app.build import create_service
from pincite.app.settings import Settings
from pincite.domain.edits import Create, Withdraw
from pincite.domain.grants import Grant, LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.service.knowledge_base import Service
from tests.app.calling import BOTH, ENVELOPE
from tests.app.serving import Server, http_server
from tests.postgres_cluster import Cluster

OWNER = LocalUser()
HANDBOOK = KnowledgeBaseId("handbook")
LEAVE = ArticleId("leave")


@pytest.fixture
def url(postgres: Cluster) -> str:
    return postgres.new_place()


@pytest.fixture
def service(url: str, tmp_path: Path) -> Iterator[Service]:
    """A third way in, for what a person does."""
    with create_service(Settings(db=url, index_folder=str(tmp_path / "third"))) as opened:
        opened.service.create_knowledge_base(OWNER, HANDBOOK, "Handbook", "en")
        yield opened.service


def call(server: Server, token: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; nothing but the status where the gate stays shut."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": ENVELOPE},
    }
    headers = {
        "accept": BOTH,
        "authorization": f"Bearer {token}",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": tool,
    }
    answer = httpx2.post(server.address, json=message, headers=headers, timeout=30)
    if answer.status_code != 200:
        return {"status": answer.status_code}
    structured: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return structured


@pytest.fixture
def servers(service: Service, url: str, tmp_path: Path) -> Iterator[list[Server]]:
    """Two of them, each with an index of its own, as on two hosts."""
    with (
        http_server(url, PINCITE_INDEX_FOLDER=str(tmp_path / "first")) as first,
        http_server(url, PINCITE_INDEX_FOLDER=str(tmp_path / "second")) as second,
    ):
        yield [first, second]


@pytest.mark.spec("ACC-2")
def test_a_revoked_token_opens_nothing_at_the_next_call_on_every_server(
    service: Service, servers: list[Server]
) -> None:
    token = service.create_token(OWNER, "agent", {HANDBOOK: Grant.READ}).secret
    listed = [call(server, token, "list_knowledge_bases") for server in servers]
    assert [len(one["knowledge_bases"]) for one in listed] == [1, 1]
    service.revoke_token(OWNER, "agent")
    refused = [call(server, token, "list_knowledge_bases") for server in servers]
    assert refused == [{"status": 401}, {"status": 401}]


@pytest.mark.spec("PUB-2", "CAS-2", "IDEM-1")
def test_what_one_server_saves_the_other_reads_finds_replays_and_loses(
    service: Service, servers: list[Server]
) -> None:
    token = service.create_token(OWNER, "agent", {HANDBOOK: Grant.EDIT}).secret
    text = Text("Leave", "Twelve weeks.\n")
    service.write(OWNER, HANDBOOK, LEAVE, Create(text, publish=True))
    place = {"knowledge_base_id": HANDBOOK, "article_id": LEAVE}
    first, second = servers
    read = call(first, token, "read_knowledge_article", **place)
    edit = {
        **place,
        "content": "Thirteen weeks.\n",
        "expected_version": read["updated_at"],
        "idempotency_key": "k",
    }
    saved = call(first, token, "edit_knowledge_article", **edit)
    again = call(second, token, "edit_knowledge_article", **edit)
    assert (saved["status"], saved["replayed"], again["replayed"]) == ("saved", False, True)
    assert again["updated_at"] == saved["updated_at"]
    search = {"knowledge_base_id": HANDBOOK, "query": "thirteen weeks"}
    for server in servers:
        found = call(server, token, "search_knowledge_base", **search)
        assert [hit["updated_at"] for hit in found["results"]] == [saved["updated_at"]]
    service.write(OWNER, HANDBOOK, LEAVE, Withdraw(Stamp.parse(saved["updated_at"])))
    for server in servers:
        assert call(server, token, "search_knowledge_base", **search)["results"] == []
        gone = call(server, token, "read_knowledge_article", **place)
        assert gone["error"]["code"] == "gone"
    polled = [
        call(
            server,
            token,
            "poll_resource_events",
            resource_type="knowledge_base",
            resource_id=HANDBOOK,
        )
        for server in servers
    ]
    assert polled[0] == polled[1]
    assert [event["sequence"] for event in polled[0]["events"]] == [1, 2, 3]
