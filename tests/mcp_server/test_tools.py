"""The tools answer as the contract says, to clients of both eras."""

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from pincite.domain.edits import Context
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.grants import Bearer, Grant
from pincite.mcp_server.server import Options
from tests.mcp_server.clients import Era, call, connected, endpoint_of
from tests.service.world import KB, OWNER, World

pytestmark = pytest.mark.anyio

FIRST = "1970-01-01T00:00:01.000Z"
SECOND = "1970-01-01T00:00:01.001Z"
CITATION = {"knowledge_base_id": "kb", "article_id": "a", "updated_at": FIRST}
EDIT = {
    "knowledge_base_id": "kb",
    "article_id": "a",
    "content": "New.",
    "expected_version": FIRST,
    "idempotency_key": "k1",
}


async def test_the_list_holds_the_core_tools_first_and_the_extensions_after(
    world: World, era: Era
) -> None:
    async with connected(endpoint_of(world), era) as client:
        listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [
        "search_knowledge_base",
        "read_knowledge_article",
        "edit_knowledge_article",
        "poll_resource_events",
        "list_knowledge_bases",
        "check_citations",
        "patch_knowledge_article",
        "draft_knowledge_article",
        "record_answer",
        "list_stale_answers",
    ]


async def test_the_core_stands_alone_when_extensions_are_switched_off(
    world: World, era: Era
) -> None:
    endpoint = endpoint_of(world, options=Options(extensions=False))
    async with connected(endpoint, era) as client:
        listed = await client.list_tools()
        with pytest.raises(MCPError, match="Unknown tool: list_knowledge_bases"):
            await client.call_tool("list_knowledge_bases", {})
    assert [tool.name for tool in listed.tools] == [
        "search_knowledge_base",
        "read_knowledge_article",
        "edit_knowledge_article",
        "poll_resource_events",
    ]


async def test_an_agent_searches_reads_edits_and_polls(world: World, era: Era) -> None:
    world.publish("# Refunds\n\nAsk within 30 days.", title="Refunds")
    async with connected(endpoint_of(world), era) as client:
        found = await call(client, "search_knowledge_base", knowledge_base_id="kb", query="refunds")
        [hit] = found["results"]
        assert (hit["article_id"], hit["title"], hit["citation"]) == ("a", "Refunds", CITATION)
        assert found["latest_sequence"] == 1

        read = await call(client, "read_knowledge_article", knowledge_base_id="kb", article_id="a")
        assert read == {
            "article_id": "a",
            "title": "Refunds",
            "content": "# Refunds\n\nAsk within 30 days.",
            "updated_at": FIRST,
            "citation": CITATION,
            "complete": True,
            "latest_sequence": 1,
        }

        saved = await call(client, "edit_knowledge_article", **EDIT)
        assert saved == {
            "status": "saved",
            "article_id": "a",
            "updated_at": SECOND,
            "citation": {**CITATION, "updated_at": SECOND},
            "sequence": 2,
            "replayed": False,
        }
        assert await call(client, "edit_knowledge_article", **EDIT) == {**saved, "replayed": True}

        page = await call(
            client,
            "poll_resource_events",
            resource_type="knowledge_base",
            resource_id="kb",
            after_sequence=1,
        )
        assert page == {
            "events": [
                {
                    "sequence": 2,
                    "type": "article.updated",
                    "article_id": "a",
                    "updated_at": SECOND,
                    "changed": ["content"],
                }
            ],
            "next_sequence": 2,
            "latest_sequence": 2,
            "has_more": False,
        }


async def test_a_stale_edit_is_refused_with_the_present_version_and_the_merge(
    world: World, era: Era
) -> None:
    first = world.publish("One.\n\nTwo.\n\nThree.\n")
    world.edit(first, "One!\n\nTwo.\n\nThree.\n")
    async with connected(endpoint_of(world), era) as client:
        refused = await call(
            client, "edit_knowledge_article", **{**EDIT, "content": "One.\n\nTwo.\n\nThree!\n"}
        )
    assert refused["error"]["code"] == "version_conflict"
    assert refused["error"]["retryable"] is False
    details = refused["error"]["details"]
    assert (details["expected"], details["current"]) == (FIRST, SECOND)
    assert details["changed"] == ["content"]
    assert details["merged"] == "One!\n\nTwo.\n\nThree!\n"
    assert details["latest_sequence"] == 2


async def test_a_patch_changes_what_stands_once_and_a_draft_stays_unseen(
    world: World, era: Era
) -> None:
    world.publish("Ask within 30 days.")
    async with connected(endpoint_of(world), era) as client:
        patched = await call(
            client,
            "patch_knowledge_article",
            knowledge_base_id="kb",
            article_id="a",
            edits=[{"old_text": "30", "new_text": "14"}],
            expected_version=FIRST,
            idempotency_key="p1",
        )
        assert (patched["status"], patched["updated_at"]) == ("saved", SECOND)
        drafted = await call(
            client,
            "draft_knowledge_article",
            knowledge_base_id="kb",
            title="New",
            content="Text.",
            idempotency_key="d1",
        )
        assert drafted == {"status": "draft", "article_id": "id-1", "replayed": False}
        unseen = await call(
            client, "read_knowledge_article", knowledge_base_id="kb", article_id="id-1"
        )
    assert unseen["error"]["code"] == "not_found"
    assert world.told() == [(1, "article.published"), (2, "article.updated")]


async def test_a_long_article_is_read_in_parts_by_its_outline(world: World, era: Era) -> None:
    world.publish("# One\n\nFirst.\n\n# Two\n\nSecond.\n")
    place = {"knowledge_base_id": "kb", "article_id": "a"}
    async with connected(endpoint_of(world), era) as client:
        whole = await call(client, "read_knowledge_article", **place, outline=True)
        starts = [passage["text_start"] for passage in whole["passages"]]
        assert starts == ["# One", "First.", "# Two", "Second."]
        part = await call(
            client,
            "read_knowledge_article",
            **place,
            first_passage=whole["passages"][2]["id"],
            max_characters=10,
        )
    assert part["content"].startswith("# Two")
    assert part["complete"] is False
    assert part["citation"] == CITATION
    assert part["next_passage"] == whole["passages"][3]["id"]
    assert "read all of it first" in part["note"]


async def test_the_list_of_knowledge_bases_holds_what_is_granted(world: World, era: Era) -> None:
    async with connected(endpoint_of(world, world.agent(Grant.PROPOSE)), era) as client:
        listed = await call(client, "list_knowledge_bases")
    assert listed == {
        "knowledge_bases": [
            {
                "knowledge_base_id": "kb",
                "title": "Title",
                "language": "en",
                "grants": ["read", "propose"],
                "article_count": 0,
                "latest_sequence": 0,
            }
        ]
    }


@pytest.mark.spec("ACC-1")
@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("search_knowledge_base", {"query": "secret"}),
        ("read_knowledge_article", {"article_id": "a"}),
        ("edit_knowledge_article", {**EDIT}),
        ("poll_resource_events", None),
    ],
)
async def test_what_is_not_granted_answers_as_what_does_not_exist(
    world: World, era: Era, tool: str, more: dict[str, Any] | None
) -> None:
    def arguments(kb: str) -> dict[str, Any]:
        if more is None:
            return {"resource_type": "knowledge_base", "resource_id": kb}
        return {**more, "knowledge_base_id": kb}

    async with connected(endpoint_of(world, world.agent(Grant.EDIT)), era) as client:
        hidden = await call(client, tool, **arguments("other"))
        absent = await call(client, tool, **arguments("nowhere"))
    assert hidden == absent
    assert hidden["error"]["code"] == "not_found"


async def test_an_action_that_is_not_granted_is_denied(world: World, era: Era) -> None:
    world.publish("Text.")
    async with connected(endpoint_of(world, world.agent(Grant.READ)), era) as client:
        refused = await call(client, "edit_knowledge_article", **EDIT)
    assert refused["error"]["code"] == "denied"
    assert refused["error"]["details"] == {"action": "edit"}


async def test_arguments_are_judged_before_the_caller_is(world: World, era: Era) -> None:
    async with connected(endpoint_of(world, Bearer("nobody")), era) as client:
        refused = await call(client, "search_knowledge_base", knowledge_base_id="kb", query="x")
        assert refused["error"]["code"] == "invalid_input"
        with pytest.raises(MCPError, match="needs a valid token") as caught:
            await client.call_tool(
                "search_knowledge_base", {"knowledge_base_id": "kb", "query": "xx"}
            )
    assert caught.value.error.data["code"] == "unauthenticated"


@pytest.mark.spec("ACC-2")
async def test_a_token_that_is_revoked_is_refused_at_the_next_call(world: World, era: Era) -> None:
    world.publish("Text.")
    place = {"knowledge_base_id": "kb", "article_id": "a"}
    async with connected(endpoint_of(world, world.agent(Grant.READ)), era) as client:
        assert (await call(client, "read_knowledge_article", **place))["content"] == "Text."
        world.service.revoke_token(OWNER, "agent")
        with pytest.raises(MCPError, match="needs a valid token"):
            await client.call_tool("read_knowledge_article", place)


async def test_an_unknown_tool_is_an_error_of_the_protocol(world: World, era: Era) -> None:
    async with connected(endpoint_of(world), era) as client:
        with pytest.raises(MCPError, match="Unknown tool: sing") as caught:
            await client.call_tool("sing", {})
    assert caught.value.error.code == -32602


async def test_a_host_event_is_polled_with_its_data(world: World, era: Era) -> None:
    channel = Resource(ResourceType.CHANNEL, "support-line")
    told = Occurrence("call.ended", '{"minutes": 4}')
    world.service.append_event(OWNER, channel, told, Context("e1"))
    async with connected(endpoint_of(world), era) as client:
        page = await call(
            client, "poll_resource_events", resource_type="channel", resource_id="support-line"
        )
    assert page["events"] == [
        {"sequence": 1, "type": "call.ended", "at": FIRST, "data": {"minutes": 4}}
    ]


@pytest.mark.parametrize("after", [1, 10**30])
async def test_a_cursor_beyond_the_end_is_told_where_the_end_is(
    world: World, era: Era, after: int
) -> None:
    async with connected(endpoint_of(world), era) as client:
        refused = await call(
            client,
            "poll_resource_events",
            resource_type="knowledge_base",
            resource_id=KB,
            after_sequence=after,
        )
    assert refused["error"]["code"] == "cursor_ahead"
    assert refused["error"]["details"] == {"latest_sequence": 0}


async def test_an_answer_is_recorded_checked_and_listed_once_it_is_stale(
    world: World, era: Era
) -> None:
    stamp = world.publish("Thirty days.\n\nNo reason needed.\n")
    cited = {"knowledge_base_id": "kb", "article_id": "a", "updated_at": FIRST}
    citations = [{**cited, "quotes": [{"exact": "Thirty days."}]}]
    async with connected(endpoint_of(world), era) as client:
        recorded = await call(
            client,
            "record_answer",
            knowledge_base_id="kb",
            question="How long?",
            answer="Thirty days.",
            citations=citations,
            idempotency_key="r1",
        )
        assert recorded == {"answer_id": "id-1", "sequence": 1, "replayed": False}
        world.edit(stamp, "Forty days.\n\nNo reason needed.\n")
        checked = await call(client, "check_citations", citations=citations)
        listed = await call(client, "list_stale_answers", knowledge_base_id="kb")
    assert checked == {
        "results": [
            {
                "citation": citations[0],
                "verdict": "changed",
                "reason": "absent",
                "updated_at": SECOND,
                "version_kept": True,
                "present": {
                    "passage": checked["results"][0]["present"]["passage"],
                    "text": "Forty days.",
                    "changes": [
                        {"fate": "removed", "text": "Thirty"},
                        {"fate": "added", "text": "Forty"},
                        {"fate": "kept", "text": " days."},
                    ],
                },
            }
        ],
        "latest_sequences": {"kb": 2},
    }
    assert listed == {
        "answers": [
            {
                "answer_id": "id-1",
                "question": "How long?",
                "answered_at": FIRST,
                "worst": "changed",
                "since": 2,
                "citations": [{"citation": citations[0], "verdict": "changed"}],
            }
        ],
        "next": None,
    }


async def test_pages_of_long_stale_answers_stay_within_ten_kilobytes_and_lose_none(
    world: World, era: Era
) -> None:
    passages = [f"Passage {number} " + "says so. " * 50 for number in range(8)]
    stamp = world.publish("\n\n".join(passages))
    citation = {"knowledge_base_id": "kb", "article_id": "a", "updated_at": str(stamp)}
    quotes = [{"exact": passage.strip()} for passage in passages]
    async with connected(endpoint_of(world), era) as client:
        for number in range(8):
            answer = {"question": "Why? " * 100, "answer": "So.", "idempotency_key": f"k{number}"}
            cited = [{**citation, "quotes": quotes}] * (8 if number == 7 else 1)
            await call(client, "record_answer", knowledge_base_id="kb", citations=cited, **answer)
        world.edit(stamp, "Other.")
        seen: list[str] = []
        sizes: list[tuple[int, bool]] = []
        place = {"knowledge_base_id": "kb"}
        while True:
            page = await call(client, "list_stale_answers", **place)
            seen += [answer["answer_id"] for answer in page["answers"]]
            sizes.append((len(page["answers"]), len(json.dumps(page)) <= 10_000))
            if page["next"] is None:
                break
            place["after"] = page["next"]
    assert seen == [f"id-{number}" for number in range(1, 9)]
    assert sizes == [(2, True), (2, True), (2, True), (1, True), (1, False)]


async def test_the_version_that_search_read_and_conflict_return_is_the_one_that_an_edit_takes(
    world: World, era: Era
) -> None:
    world.publish("Ask within 30 days.")
    place = {"knowledge_base_id": "kb", "article_id": "a"}
    async with connected(endpoint_of(world), era) as client:
        found = await call(client, "search_knowledge_base", knowledge_base_id="kb", query="ask")
        version = found["results"][0]["updated_at"]
        for content, key in (("One.", "k1"), ("Two.", "k2")):
            edit = {**place, "content": content, "idempotency_key": key}
            saved = await call(client, "edit_knowledge_article", **edit, expected_version=version)
            read = await call(client, "read_knowledge_article", **place)
            assert (saved["status"], read["updated_at"]) == ("saved", saved["updated_at"])
            version = read["updated_at"]
        edit = {**place, "content": "Three.", "idempotency_key": "k3"}
        refused = await call(client, "edit_knowledge_article", **edit, expected_version=FIRST)
        version = refused["error"]["details"]["current"]
        saved = await call(client, "edit_knowledge_article", **edit, expected_version=version)
    assert (saved["status"], saved["replayed"]) == ("saved", False)
