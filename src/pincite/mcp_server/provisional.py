"""What the SDK keeps to itself, or says that it may change: touched here and nowhere else."""

from mcp.server.connection import Connection

from pincite.mcp_server.callers import Context


def connection_of(context: Context) -> Connection:
    """The connection that a request came on; in the newer era over HTTP, its own alone.

    A session is made anew for every request, so only the connection tells when a client of
    the older era has gone.
    """
    return context.session._connection  # noqa: SLF001
