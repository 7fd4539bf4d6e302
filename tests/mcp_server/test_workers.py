"""Point reads stay on the event loop where the store is in the process, and leave it elsewhere."""

import threading

import pytest

from pincite.mcp_server.server import Options
from pincite.mcp_server.workers import Workers
from tests.mcp_server.clients import Era, call, connected, endpoint_of
from tests.service.world import World

pytestmark = pytest.mark.anyio


async def test_a_point_read_hops_to_a_thread_only_for_a_store_elsewhere() -> None:
    here = threading.get_ident()
    assert await Workers(embedded=True).look(threading.get_ident) == here
    assert await Workers(embedded=False).look(threading.get_ident) != here
    assert await Workers(embedded=True).do(threading.get_ident) != here


async def test_a_store_elsewhere_is_served_the_same(world: World, era: Era) -> None:
    world.publish("Text.")
    uri = "pincite:///kb/a"
    endpoint = endpoint_of(world, options=Options(embedded=False))
    async with connected(endpoint, era) as client:
        read = await call(client, "read_knowledge_article", knowledge_base_id="kb", article_id="a")
        assert read["content"] == "Text."
        resource = await client.read_resource(uri)
        assert [one.uri for one in resource.contents] == [uri]
        if era == "auto":
            async with client.listen(resource_subscriptions=[uri]) as stream:
                assert stream.honored.resource_subscriptions == [uri]
