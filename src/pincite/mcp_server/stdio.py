"""Carries the server over standard input and output.

Between the SDK's transport and its loop stands a bridge, for what a command that others
start has to get right: it answers a leading ``server/discover`` without settling the
connection's era, answers a line that is no message, and answers what it was asked before its
input ended.
"""

import sys
from collections.abc import AsyncIterator
from io import TextIOWrapper
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from pincite.mcp_server.bodies import without_surrogates
from pincite.mcp_server.server import Endpoint

Item: TypeAlias = SessionMessage | Exception

_LAST_ANSWERS = 10.0
"""How long answers may take after the input ended, in seconds."""


class Lines(anyio.AsyncFile[str]):
    """A text file whose lines any JSON parser can read."""

    async def readline(self) -> str:
        """The next line; empty at the end."""
        return without_surrogates(await super().readline())

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self.readline():
            yield line


async def serve_stdio(endpoint: Endpoint) -> None:
    """Serves one client until its input ends."""
    stdin = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    try:
        async with (
            stdio_server(stdin=Lines(stdin)) as (incoming, outgoing),
            anyio.create_task_group() as beside,
        ):
            beside.start_soon(endpoint.follower.run)
            async with outgoing:
                await Bridge(endpoint.server, outgoing).run(incoming)
            beside.cancel_scope.cancel()
    except* BrokenPipeError:
        pass  # The client left without waiting for its answers.


class Bridge:
    """Carries messages between a transport and the server's loop.

    Args:
        server: Whose loop.
        outgoing: Where answers go.
    """

    def __init__(self, server: Server[Any], outgoing: WriteStream[SessionMessage]) -> None:
        self._server = server
        self._outgoing = outgoing
        self._asked: set[types.RequestId] = set()
        self._answered = anyio.Event()

    async def run(self, incoming: ReadStream[Item]) -> None:
        """Serves until ``incoming`` ends and what it asked is answered."""
        to_loop, loop_incoming = anyio.create_memory_object_stream[Item]()
        loop_outgoing, from_loop = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as both_ways:
            both_ways.start_soon(self._carry_in, incoming, to_loop)
            both_ways.start_soon(self._carry_out, from_loop)
            await self._loop(loop_incoming, loop_outgoing)

    async def _carry_in(
        self, incoming: ReadStream[Item], to_loop: MemoryObjectSendStream[Item]
    ) -> None:
        opened = False
        async with to_loop:
            async for item in incoming:
                if isinstance(item, Exception):
                    await self._outgoing.send(_PARSE_ERROR)
                    continue
                if not opened and _is_discover(item):
                    await self._answer_alone(item)
                    continue
                opened = opened or isinstance(item.message, types.JSONRPCRequest)
                self._note(item)
                await to_loop.send(item)
            with anyio.move_on_after(_LAST_ANSWERS):
                while self._asked:
                    self._answered = anyio.Event()
                    await self._answered.wait()

    async def _carry_out(self, from_loop: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async for item in from_loop:
            await self._outgoing.send(item)
            if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                self._settle(item.message.id)

    async def _answer_alone(self, item: SessionMessage) -> None:
        """Answers one request in a loop of its own, which settles nothing for the others."""
        to_loop, loop_incoming = anyio.create_memory_object_stream[Item](1)
        loop_outgoing, from_loop = anyio.create_memory_object_stream[SessionMessage](1)
        async with anyio.create_task_group() as alone, from_loop:
            alone.start_soon(self._loop, loop_incoming, loop_outgoing)
            async with to_loop:
                await to_loop.send(item)
                await self._outgoing.send(await from_loop.receive())

    async def _loop(
        self,
        incoming: MemoryObjectReceiveStream[Item],
        outgoing: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        options = self._server.create_initialization_options()
        await self._server.run(incoming, outgoing, options)

    def _note(self, item: SessionMessage) -> None:
        """Remembers what must be answered: all but streams, and what the client called off."""
        match item.message:
            case types.JSONRPCRequest(method=method, id=request_id):
                if method != "subscriptions/listen":
                    self._asked.add(request_id)
            case types.JSONRPCNotification(method="notifications/cancelled", params=params):
                self._settle((params or {}).get("requestId"))
            case _:
                pass

    def _settle(self, request_id: object) -> None:
        if isinstance(request_id, str | int):  # A notification may hold anything else.
            self._asked.discard(request_id)
            self._answered.set()


_PARSE_ERROR = SessionMessage(
    types.JSONRPCError(
        jsonrpc="2.0",
        id=None,
        error=types.ErrorData(code=types.PARSE_ERROR, message="This line is no JSON-RPC message."),
    )
)


def _is_discover(item: SessionMessage) -> bool:
    message = item.message
    return isinstance(message, types.JSONRPCRequest) and message.method == "server/discover"
