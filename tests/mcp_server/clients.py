"""The SDK's client, connected to a server in this process."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeAlias

import anyio
import mcp_types as types
from mcp import Client
from mcp.client.session import MessageHandlerFnT

from pincite.domain.grants import Credential
from pincite.mcp_server.callers import always
from pincite.mcp_server.server import Endpoint, Options, build_endpoint
from tests.service.world import OWNER, World

Era: TypeAlias = Literal["auto", "legacy"]


def endpoint_of(
    world: World,
    credential: Credential = OWNER,
    session: str | None = None,
    options: Options | None = None,
) -> Endpoint:
    """A server on the world, for one caller."""
    return build_endpoint(
        world.service, world.store, always(credential, session), options or Options()
    )


@asynccontextmanager
async def connected(
    endpoint: Endpoint,
    era: Era = "auto",
    heard: MessageHandlerFnT | None = None,
) -> AsyncIterator[Client]:
    """A client of an era, with the server's follower running."""
    async with anyio.create_task_group() as beside:
        beside.start_soon(endpoint.follower.run)
        async with Client(endpoint.server, mode=era, message_handler=heard) as client:
            yield client
        beside.cancel_scope.cancel()
    endpoint.close()


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The structured content of a call's result, which its text must repeat."""
    result = await client.call_tool(name, arguments)
    return content_of(result)


def content_of(result: types.CallToolResult) -> dict[str, Any]:
    """The structured content of a result, which its text must repeat."""
    [text] = result.content
    assert isinstance(text, types.TextContent)
    assert json.loads(text.text) == result.structured_content
    found: dict[str, Any] = result.structured_content
    assert ("error" in found) == result.is_error
    return found


async def subscribe(client: Client, uri: str) -> None:
    """Subscribes in the older era's way, which the newer has dropped."""
    request = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)


async def unsubscribe(client: Client, uri: str) -> None:
    """Takes the same back."""
    request = types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri))
    await client.session.send_request(request, types.EmptyResult)
