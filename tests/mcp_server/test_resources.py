"""Published articles are resources: listed by page, read with their citation."""

import unicodedata

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.exceptions import MCPError

from pincite.domain.edits import Create
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.texts import Text
from pincite.errors import NotFoundError
from pincite.mcp_server.resources import parse_uri, uri_of
from tests.mcp_server.clients import Era, connected, endpoint_of
from tests.service.world import KB, OTHER, OWNER, World

FIRST = "1970-01-01T00:00:01.000Z"


async def listed(client: Client) -> list[types.Resource]:
    found: list[types.Resource] = []
    cursor = None
    while True:
        page = await client.list_resources(cursor=cursor)
        assert len(page.resources) <= 100
        found += page.resources
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.anyio
async def test_every_published_article_is_listed_once_whatever_the_pages(
    world: World, era: Era
) -> None:
    for number in range(230):
        world.publish("Text.", f"n/{number:03}")
    draft = Create(Text("Draft", "Text."))
    world.service.write(OWNER, KB, ArticleId("n/9"), draft)
    there = Create(Text("There", "Text."), publish=True)
    world.service.write(OWNER, OTHER, ArticleId("z"), there)
    async with connected(endpoint_of(world), era) as client:
        found = await listed(client)
    assert [one.uri for one in found] == [
        *(f"pincite:///kb/n/{number:03}" for number in range(230)),
        "pincite:///other/z",
    ]
    last = found[-1]
    assert (last.name, last.title, last.mime_type) == ("z", "There", "text/markdown")
    assert last.annotations
    assert last.annotations.last_modified == FIRST


@pytest.mark.anyio
@pytest.mark.spec("ACC-1")
async def test_only_granted_knowledge_bases_are_listed_and_read(world: World, era: Era) -> None:
    hidden = Create(Text("Hidden", "Text."), publish=True)
    world.service.write(OWNER, OTHER, ArticleId("a"), hidden)
    world.publish("Text.")
    async with connected(endpoint_of(world, world.agent(Grant.READ)), era) as client:
        assert [one.uri for one in await listed(client)] == ["pincite:///kb/a"]
        told = []
        for uri in ("pincite:///other/a", "pincite:///nowhere/a"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(uri)
            assert caught.value.error.data.pop("uri") == uri
            told.append(caught.value.error)
    assert told[0] == told[1]


@pytest.mark.anyio
async def test_a_resource_is_the_articles_content_with_its_citation(world: World, era: Era) -> None:
    world.publish("# Café\r\n\n", "straße/größe")
    async with connected(endpoint_of(world), era) as client:
        [one] = await listed(client)
        assert one.uri == "pincite:///kb/stra%C3%9Fe/gr%C3%B6%C3%9Fe"
        read = await client.read_resource(one.uri)
    [contents] = read.contents
    assert isinstance(contents, types.TextResourceContents)
    assert (contents.uri, contents.mime_type, contents.text) == (
        one.uri,
        "text/markdown",
        "# Café\r\n\n",
    )
    assert contents.meta == {
        "pincite/citation": {
            "knowledge_base_id": "kb",
            "article_id": "straße/größe",
            "updated_at": FIRST,
        }
    }


@pytest.mark.anyio
@pytest.mark.spec("PUB-2")
async def test_a_withdrawn_article_is_no_resource(world: World, era: Era) -> None:
    world.withdraw(world.publish("Text."))
    async with connected(endpoint_of(world), era) as client:
        assert await listed(client) == []
        with pytest.raises(MCPError) as caught:
            await client.read_resource("pincite:///kb/a")
    assert caught.value.error.code == (-32602 if era == "auto" else -32002)
    assert caught.value.error.data["code"] == "gone"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "uri",
    ["pincite:///kb/none", "pincite:///kb", "file:///etc/passwd", "pincite:///kb/%ff", "kb/a"],
)
async def test_an_address_without_an_article_is_not_found(world: World, era: Era, uri: str) -> None:
    async with connected(endpoint_of(world), era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    assert caught.value.error.code == (-32602 if era == "auto" else -32002)
    assert caught.value.error.data["code"] == "not_found"


@pytest.mark.anyio
@pytest.mark.parametrize("cursor", ["x", "WyJrYiJd", "bnVsbA==", "WzEsMl0=", "é"])
async def test_a_cursor_that_no_page_gave_is_refused(world: World, era: Era, cursor: str) -> None:
    async with connected(endpoint_of(world), era) as client:
        with pytest.raises(MCPError, match="no such cursor") as caught:
            await client.list_resources(cursor=cursor)
    assert caught.value.error.code == -32602


@pytest.mark.anyio
async def test_one_template_names_every_article(world: World, era: Era) -> None:
    async with connected(endpoint_of(world), era) as client:
        found = await client.list_resource_templates()
    assert [one.uri_template for one in found.resource_templates] == [
        "pincite:///{knowledge_base_id}/{+article_id}"
    ]


IDS = st.text(st.characters(categories=["L", "N"], include_characters="-_.~/"), min_size=1)


@given(kb=IDS, article_id=IDS)
def test_an_address_leads_back_to_its_article(kb: str, article_id: str) -> None:
    uri = uri_of(KnowledgeBaseId(kb), ArticleId(article_id))
    assert uri.isascii()
    try:
        assert parse_uri(uri) == (kb, article_id)
    except NotFoundError:
        assert len(kb) > 200 or len(article_id) > 200 or not is_normal(kb + "/" + article_id)


def is_normal(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text)
