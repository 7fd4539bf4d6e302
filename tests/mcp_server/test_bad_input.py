"""Bad input is refused by name and limit, and what only looks bad is taken."""

import pytest

from pincite.service.environment import Limits
from tests.mcp_server.clients import Era, call, connected, endpoint_of
from tests.service.world import World

pytestmark = pytest.mark.anyio

EDIT = {
    "knowledge_base_id": "kb",
    "article_id": "a",
    "content": "New.",
    "expected_version": "1970-01-01T00:00:01.000Z",
    "idempotency_key": "k1",
}


@pytest.mark.spec("IDEM-6")
async def test_content_beyond_the_limit_is_too_large_unless_it_was_saved_before(
    world: World, era: Era
) -> None:
    world.publish("Text.")
    long = {**EDIT, "content": "x" * 11}
    async with connected(endpoint_of(world), era) as client:
        saved = await call(client, "edit_knowledge_article", **long)
        assert saved["status"] == "saved"
    smaller = World(world.store, limits=Limits(content=10))
    async with connected(endpoint_of(smaller), era) as client:
        again = await call(client, "edit_knowledge_article", **long)
        assert again == {**saved, "replayed": True}
        other = {**long, "expected_version": saved["updated_at"], "idempotency_key": "k2"}
        refused = await call(client, "edit_knowledge_article", **other)
        assert refused["error"]["code"] == "too_large"
        assert refused["error"]["details"] == {"limit": 10}
        fits = await call(client, "edit_knowledge_article", **{**other, "content": "x" * 10})
    assert fits["status"] == "saved"


@pytest.mark.spec("FT-3")
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ('"refunds', None),
        ("refunds AND (NOT OR) NEAR/2 *", None),
        ("title:refunds^2 -x +y", None),
        ("'; DROP TABLE article; --", None),
        ("%_\\", None),
        ("😀👩‍👩‍👧", None),
        ("\u202e\u0301", None),
        ("a\x00b", "invalid_input"),
        (" a ", "invalid_input"),
        ("\t\n ", "invalid_input"),
        ("x" * 100_000, "invalid_input"),
    ],
)
async def test_no_query_is_taken_for_syntax_or_breaks_anything(
    world: World, era: Era, query: str, code: str | None
) -> None:
    world.publish("# Refunds\n\nAsk within 30 days.", title="Refunds")
    async with connected(endpoint_of(world), era) as client:
        found = await call(client, "search_knowledge_base", knowledge_base_id="kb", query=query)
    assert found.get("error", {}).get("code") == code
    assert ("results" in found) is (code is None)


async def test_an_article_may_have_a_mebibyte_and_no_byte_more(world: World, era: Era) -> None:
    world.publish("Text.")
    whole = "é" * (512 * 1024)
    async with connected(endpoint_of(world), era) as client:
        refused = await call(client, "edit_knowledge_article", **{**EDIT, "content": whole + "x"})
        assert refused["error"]["code"] == "too_large"
        assert refused["error"]["details"] == {"limit": 1_048_576}
        saved = await call(client, "edit_knowledge_article", **{**EDIT, "content": whole})
        assert saved["status"] == "saved"
        read = await call(client, "read_knowledge_article", knowledge_base_id="kb", article_id="a")
    assert read["content"] == whole
