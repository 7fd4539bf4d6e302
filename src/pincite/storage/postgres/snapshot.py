"""One snapshot of the database, on one connection."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import psycopg

from pincite.storage import rows
from pincite.storage.postgres.connections import Connection, Connections, refusal

Value: TypeAlias = str | int | Sequence[str] | Sequence[int | None] | None
Values: TypeAlias = Sequence[Value] | Mapping[str, Value]
"""What the parameters of a query stand for."""

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class Snapshot:
    """Lends one connection in one read-only transaction, which is one snapshot.

    The transaction begins with the first question, in the same round trip; until something
    was answered, a lost connection is replaced.
    """

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._connection: Connection | None = None

    def rows(self, query: str, values: Values = ()) -> list[rows.Row]:
        """What a query answers in this snapshot.

        Raises:
            StoreBusyError: No connection came free in time.
            StoreUnavailableError: The server is lost, and with it the snapshot.
        """
        if self._connection is None:
            self._connection, found = self._connections.hold(
                lambda connection: _begin(connection, query, values)
            )
            return found
        try:
            return list(self._connection.execute(query, values).fetchall())
        except psycopg.Error as error:
            raise refusal(error) from error

    def end(self) -> None:
        """Gives the connection back, if one was taken."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.execute("COMMIT")
        except psycopg.Error:
            connection.close()  # what it answered before was answered
        self._connections.release(connection)


def _begin(connection: Connection, query: str, values: Values) -> list[rows.Row]:
    with connection.pipeline():
        connection.execute(_BEGIN)
        found = connection.execute(query, values)
    return list(found.fetchall())
