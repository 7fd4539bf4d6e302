"""Runs calls over a connection to an MCP server, in async code."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pincite.client.calls import Reply, Steps, T, ToolCall, advance
from pincite.client.replies import reply_of
from pincite.client.statuses import Statuses
from pincite.errors import PinciteError

if TYPE_CHECKING:
    from mcp import Client


class AsyncClient:
    """A connection on which calls run.

    Attributes:
        tools: The names of the tools that the server offers.
    """

    def __init__(
        self, connection: "Client", tools: frozenset[str], statuses: Statuses | None = None
    ) -> None:
        self._connection = connection
        self._statuses = statuses or Statuses()
        self.tools = tools

    async def run(self, steps: Steps[T]) -> T:
        """Makes the calls of one of the functions in ``calls`` or of a ledger.

        Raises:
            UnauthenticatedError: The server needs a token, and another one than this.
            PinciteError: What the server refused and the steps did not expect.
        """
        call = advance(steps)
        while isinstance(call, ToolCall):
            call = advance(steps, await self.ask(call))
        return call.value

    async def ask(self, call: ToolCall) -> Reply | PinciteError:
        """Makes one call; a refusal is returned, not raised."""
        from mcp.shared.exceptions import MCPError

        try:
            result = await self._connection.call_tool(call.name, dict(call.arguments))
        except MCPError as error:
            return self._statuses.unanswered_call(_innermost(error))
        texts = [block.text for block in result.content if block.type == "text"]
        try:
            return reply_of(result.structured_content, texts, is_error=bool(result.is_error))
        except PinciteError as error:
            return error


@asynccontextmanager
async def connect(url: str, token: str | None = None) -> AsyncIterator[AsyncClient]:
    """Connects over Streamable HTTP.

    Args:
        url: The server's MCP address, such as ``http://127.0.0.1:8420/mcp``.
        token: Sent as ``Authorization: Bearer`` (RFC 6750).

    Raises:
        UnauthenticatedError: The token is not valid.
        InvalidInputError: There is a server, and no MCP at this address of it.
        StoreUnavailableError: No server answers, or it cannot now.
    """
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    statuses = Statuses()
    hooks = {"response": [statuses.note]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, event_hooks=hooks) as http,
        _opened(Client(streamable_http_client(url, http_client=http)), statuses) as client,
    ):
        yield client


@asynccontextmanager
async def start(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> AsyncIterator[AsyncClient]:
    """Starts a server and connects over its standard input and output.

    Args:
        command: The program and its arguments.
        environment: Variables for it, beside the few that it inherits.
    """
    from mcp import Client, StdioServerParameters

    program, *arguments = command
    server = StdioServerParameters(
        command=program, args=arguments, env=dict(environment) if environment else None
    )
    async with _opened(Client(server)) as client:
        yield client


@asynccontextmanager
async def _opened(
    connection: "Client", statuses: Statuses | None = None
) -> AsyncIterator[AsyncClient]:
    """Keeps what the caller raises away from the connection, whose tasks would wrap it."""
    statuses = statuses or Statuses()
    tools = await _entered(connection, statuses)
    try:
        yield AsyncClient(connection, tools, statuses)
    finally:
        await connection.__aexit__(None, None, None)


async def _entered(connection: "Client", statuses: Statuses) -> frozenset[str]:
    """Opens a connection; the names of the tools that the server offers."""
    from mcp.shared.exceptions import MCPError

    try:
        await connection.__aenter__()
        listed = await connection.list_tools()
    except (MCPError, OSError, ExceptionGroup) as error:
        raise statuses.unopened(_innermost(error)) from error
    return frozenset(tool.name for tool in listed.tools)


def _innermost(error: BaseException) -> str:
    """What went wrong in the first place, on one line and without its full stop."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__
