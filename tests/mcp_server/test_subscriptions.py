"""Clients of either era hear of changes of the articles that they may read, and of no others."""

from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.server.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError

from pincite.domain.edits import Context, Create, Edit
from pincite.domain.events import Resource
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId
from pincite.domain.texts import Text
from pincite.errors import RateLimitedError, StoreUnavailableError
from pincite.mcp_server.subscriptions import Follower, Subscription
from pincite.mcp_server.workers import Workers
from pincite.ports import Store
from pincite.service.environment import Limits
from tests.mcp_server.clients import Era, connected, endpoint_of, subscribe, unsubscribe
from tests.service.world import KB, OTHER, OWNER, A, World

pytestmark = pytest.mark.anyio

MINE = "pincite:///kb/a"
SECOND = "pincite:///kb/b"
HIDDEN = "pincite:///other/a"


class LostAtTheSecond:
    """The ends of logs in a store that is lost when the second one is asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.asked = 0

    def wait(self, seen: int, timeout: float) -> int:
        return self._store.wait(seen, timeout)

    def head(self, resource: Resource) -> int:
        self.asked += 1
        if self.asked == 2:
            raise StoreUnavailableError("The disk reported an error.")
        return self._store.head(resource)


def publish_hidden(world: World) -> None:
    world.service.write(OWNER, OTHER, A, Create(Text("Hidden", "Text."), publish=True))


async def test_a_listening_client_hears_of_the_article_that_it_named(world: World) -> None:
    first = world.publish("One.")
    world.publish("Other.", "b")
    async with (
        connected(endpoint_of(world)) as client,
        client.listen(resource_subscriptions=[MINE]) as stream,
    ):
        world.edit(first, "Two.")
        with anyio.fail_after(10):
            assert await anext(aiter(stream)) == ResourceUpdated(MINE)


@pytest.mark.spec("ACC-1")
async def test_only_addresses_that_may_be_read_are_acknowledged(world: World) -> None:
    world.publish("One.")
    publish_hidden(world)
    async with (
        connected(endpoint_of(world, world.agent(Grant.READ))) as client,
        client.listen(
            resource_subscriptions=[HIDDEN, MINE, SECOND], tools_list_changed=True
        ) as stream,
    ):
        assert stream.honored == types.SubscriptionFilter(resource_subscriptions=[MINE])


@pytest.mark.spec("FT-3")
async def test_a_stream_takes_so_many_addresses_and_no_more(world: World) -> None:
    world.publish("One.")
    some = [MINE, *(f"pincite:///kb/{number}" for number in range(999))]
    async with connected(endpoint_of(world)) as client:
        async with client.listen(resource_subscriptions=some) as stream:
            assert stream.honored == types.SubscriptionFilter(resource_subscriptions=[MINE])
        with pytest.raises(MCPError, match="at most 1000 resource subscriptions"):
            async with client.listen(resource_subscriptions=[*some, SECOND]):
                pass


@pytest.mark.spec("ACC-2")
async def test_a_revoked_token_hears_nothing_more(world: World) -> None:
    first = world.publish("One.")
    endpoint = endpoint_of(world, world.agent(Grant.READ))
    owner = endpoint_of(world)
    async with (
        connected(endpoint) as client,
        connected(owner) as other,
        client.listen(resource_subscriptions=[MINE]) as stream,
        other.listen(resource_subscriptions=[MINE]) as told,
    ):
        world.service.revoke_token(OWNER, "agent")
        world.edit(first, "Two.")
        with anyio.fail_after(10):
            assert await anext(aiter(told)) == ResourceUpdated(MINE)
        with pytest.raises(TimeoutError), anyio.fail_after(0.3):
            await anext(aiter(stream))


async def test_what_the_server_polls_for_a_subscriber_counts_as_no_call_of_theirs(
    world: World,
) -> None:
    world.publish("One.")
    paced = World(world.store, world.clock, Limits(calls_per_minute=2))
    agent = paced.agent(Grant.READ)
    follower = Follower(paced.service, paced.store, Workers())
    send, heard = anyio.create_memory_object_stream[str](10)

    with send, heard:
        async with anyio.create_task_group() as beside:
            await follower.add(Subscription(agent, send.send), [MINE])
            beside.start_soon(follower.run)
            for text in ("Two.", "Three.", "Four."):
                world.edit(world.service.read(OWNER, KB, A).updated_at, text)
                with anyio.fail_after(10):
                    assert await heard.receive() == MINE
            beside.cancel_scope.cancel()
    paced.service.read(agent, KB, A)  # the second call: looking the address up was the first
    with pytest.raises(RateLimitedError):
        paced.service.read(agent, KB, A)


@pytest.mark.spec("FT-2")
async def test_changes_that_were_found_are_told_though_the_store_is_lost_for_others(
    world: World,
) -> None:
    first = world.publish("One.")
    heads = LostAtTheSecond(world.store)
    follower = Follower(world.service, heads, Workers())
    publish_hidden(world)
    send, heard = anyio.create_memory_object_stream[str](10)
    with send, heard:
        async with anyio.create_task_group() as beside:
            await follower.add(Subscription(OWNER, send.send), [MINE, HIDDEN])
            world.edit(first, "Two.")
            beside.start_soon(follower.run)
            with anyio.fail_after(10):
                assert await heard.receive() == MINE
            beside.cancel_scope.cancel()
    assert heads.asked == 2


async def test_a_withdrawn_article_is_told_as_a_change(world: World) -> None:
    first = world.publish("One.")
    async with (
        connected(endpoint_of(world)) as client,
        client.listen(resource_subscriptions=[MINE]) as stream,
    ):
        world.withdraw(first)
        with anyio.fail_after(10):
            assert await anext(aiter(stream)) == ResourceUpdated(MINE)


async def test_events_lost_to_a_compaction_are_told_as_a_change(world: World) -> None:
    first = world.publish("One.")
    endpoint = endpoint_of(world)
    async with (
        connected(endpoint) as client,
        client.listen(resource_subscriptions=[MINE]) as stream,
    ):
        # Within one step of the loop, so that the follower cannot poll in between.
        world.edit(first, "Two.")
        world.store.upkeep.compact(Resource.of(KB), 2)
        with anyio.fail_after(10):
            assert await anext(aiter(stream)) == ResourceUpdated(MINE)


async def test_an_older_client_subscribes_and_hears_until_it_unsubscribes(world: World) -> None:
    first = world.publish("One.")
    world.publish("Other.", "b")
    heard_send, heard = anyio.create_memory_object_stream[str](10)

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            await heard_send.send(message.params.uri)

    with heard_send, heard:
        async with connected(endpoint_of(world), "legacy", hear) as client:
            await subscribe(client, MINE)
            await subscribe(client, SECOND)
            world.edit(first, "Two.")
            with anyio.fail_after(10):
                assert await heard.receive() == MINE
            await unsubscribe(client, MINE)
            second = world.service.read(OWNER, KB, A).updated_at
            world.edit(second, "Three.")
            at = world.service.read(OWNER, KB, ArticleId("b")).updated_at
            world.service.write(OWNER, KB, ArticleId("b"), Edit(at, "New."), Context("b1"))
            with anyio.fail_after(10):
                assert await heard.receive() == SECOND


@pytest.mark.spec("ACC-1")
async def test_an_older_client_cannot_subscribe_to_what_it_may_not_read(world: World) -> None:
    publish_hidden(world)
    told = []
    async with connected(endpoint_of(world, world.agent(Grant.READ)), "legacy") as client:
        for uri in (HIDDEN, "pincite:///nowhere/a"):
            with pytest.raises(MCPError) as caught:
                await subscribe(client, uri)
            assert caught.value.error.data.pop("uri") == uri
            told.append(caught.value.error)
    assert told[0] == told[1]
    assert told[0].code == -32002


async def test_a_client_that_left_leaves_no_subscription(world: World) -> None:
    world.publish("One.")
    endpoint = endpoint_of(world)
    async with connected(endpoint, "legacy") as client:
        await subscribe(client, MINE)
        assert endpoint.follower.count == 1
    assert endpoint.follower.count == 0
    async with connected(endpoint) as client:
        async with client.listen(resource_subscriptions=[MINE]):
            assert endpoint.follower.count == 1
        with anyio.fail_after(10):
            while endpoint.follower.count:
                await anyio.lowlevel.checkpoint()


async def test_lists_are_not_announced_so_that_no_client_waits_for_them(
    world: World, era: Era
) -> None:
    async with connected(endpoint_of(world), era) as client:
        capabilities = client.server_capabilities
    assert capabilities.tools == types.ToolsCapability(list_changed=False)
    assert capabilities.resources == types.ResourcesCapability(list_changed=False, subscribe=True)
