"""Runs calls over a connection to an MCP server, in code that is not async.

The connection itself lives in a thread of its own; see ``aio``.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TYPE_CHECKING

from pincite.client import aio
from pincite.client.calls import Steps, T, ToolCall, advance

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


class SyncClient:
    """A connection on which calls run; usable from one thread at a time.

    Attributes:
        tools: The names of the tools that the server offers.
    """

    def __init__(self, connection: aio.AsyncClient, portal: "BlockingPortal") -> None:
        self._connection = connection
        self._portal = portal
        self.tools = connection.tools

    def run(self, steps: Steps[T]) -> T:
        """Makes the calls; see :meth:`pincite.client.aio.AsyncClient.run`.

        The steps themselves run in the caller's thread.
        """
        call = advance(steps)
        while isinstance(call, ToolCall):
            call = advance(steps, self._portal.call(self._connection.ask, call))
        return call.value


@contextmanager
def connect(url: str, token: str | None = None) -> Iterator[SyncClient]:
    """Connects over Streamable HTTP; see :func:`pincite.client.aio.connect`."""
    with _opened(aio.connect(url, token)) as client:
        yield client


@contextmanager
def start(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> Iterator[SyncClient]:
    """Starts a server on pipes; see :func:`pincite.client.aio.start`."""
    with _opened(aio.start(command, environment)) as client:
        yield client


@contextmanager
def _opened(connecting: AbstractAsyncContextManager[aio.AsyncClient]) -> Iterator[SyncClient]:
    from anyio.from_thread import start_blocking_portal

    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(connecting) as connection,
    ):
        yield SyncClient(connection, portal)
