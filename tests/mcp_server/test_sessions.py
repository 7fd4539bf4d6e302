"""A session with a name has a log: saves with themselves, searches and reads after the answer."""

import json
from typing import Any

import pytest
from mcp import Client

from pincite.domain.events import Resource, ResourceType
from pincite.domain.grants import Credential, Grant
from pincite.errors import CursorAheadError
from pincite.mcp_server.server import Options
from tests.mcp_server.clients import Era, call, connected, content_of, endpoint_of
from tests.service.world import OWNER, World

pytestmark = pytest.mark.anyio

FIRST = "1970-01-01T00:00:01.000Z"
PLACE = {"knowledge_base_id": "kb", "article_id": "a"}
CITATION = {**PLACE, "updated_at": FIRST}


async def work(client: Client, **meta: Any) -> None:
    """A search, a read and an edit, in a session if ``meta`` names one."""
    query = {"knowledge_base_id": "kb", "query": "refunds"}
    edit = {**PLACE, "content": "New.", "expected_version": FIRST, "idempotency_key": "k1"}
    for name, arguments in (
        ("search_knowledge_base", query),
        ("read_knowledge_article", PLACE),
        ("edit_knowledge_article", edit),
    ):
        content_of(await client.call_tool(name, arguments, meta=meta or None))  # type: ignore[arg-type]


def log_of(world: World, session: str, credential: Credential = OWNER) -> dict[str, Any]:
    page = world.service.poll(credential, Resource(ResourceType.SESSION, session))
    return {str(event.type): json.loads(event.data) for event in page.events}  # type: ignore[union-attr]


async def test_a_process_is_a_session_that_logs_what_it_did(world: World, era: Era) -> None:
    world.publish("# Refunds")
    endpoint = endpoint_of(world, session="s1")
    async with connected(endpoint, era) as client:
        await work(client)
    assert log_of(world, "s1") == {
        "knowledge_base.searched": {
            "knowledge_base_id": "kb",
            "query": "refunds",
            "results": [CITATION],
        },
        "article.read": {"citation": CITATION, "complete": True},
        "article.written": {
            **PLACE,
            "status": "saved",
            "updated_at": "1970-01-01T00:00:01.001Z",
            "sequence": 2,
        },
    }


async def test_a_client_may_name_its_session_and_only_its_principal_reads_the_log(
    world: World, era: Era
) -> None:
    world.publish("# Refunds")
    agent, other = world.agent(Grant.EDIT), world.agent(Grant.EDIT, "other")
    async with connected(endpoint_of(world, agent), era) as client:
        await work(client, **{"pincite/session": "mine"})
    assert sorted(log_of(world, "mine", agent)) == [
        "article.read",
        "article.written",
        "knowledge_base.searched",
    ]
    assert log_of(world, "mine", other) == {}
    assert sorted(log_of(world, "token/agent/mine")) == sorted(log_of(world, "mine", agent))


async def test_without_a_name_nothing_is_logged(world: World, era: Era) -> None:
    world.publish("# Refunds")
    async with connected(endpoint_of(world), era) as client:
        await work(client)
        page = await call(client, "poll_resource_events", resource_type="session", resource_id="s1")
    assert page["events"] == []
    with pytest.raises(CursorAheadError):
        world.service.poll(OWNER, Resource(ResourceType.SESSION, "s1"), 1)


async def test_searches_and_reads_stay_unlogged_where_the_setting_says_so(
    world: World, era: Era
) -> None:
    world.publish("# Refunds")
    endpoint = endpoint_of(world, session="s1", options=Options(log_reads=False))
    async with connected(endpoint, era) as client:
        await work(client)
    assert sorted(log_of(world, "s1")) == ["article.written"]


@pytest.mark.parametrize("name", [5, "", "a b", "x" * 201, ["s"]])
async def test_a_session_name_that_is_no_id_is_refused(world: World, era: Era, name: Any) -> None:
    named: Any = {"pincite/session": name}
    async with connected(endpoint_of(world), era) as client:
        result = await client.call_tool("list_knowledge_bases", {}, meta=named)
    refused = content_of(result)["error"]
    assert refused["code"] == "invalid_input"
    assert refused["details"]["field"] == "_meta['pincite/session']"
