"""One snapshot of the database, on one connection."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import psycopg

from pincite.storage.postgres.connections import Connection, Connections, refusal
from pincite.storage.rows import Row

Value: TypeAlias = str | int | Sequence[str] | Sequence[int | None] | None
Values: TypeAlias = Sequence[Value] | Mapping[str, Value]
"""What the parameters of a query stand for."""

KNOWLEDGE_BASES = """
SELECT log.id, title, language, latest, epoch, published, sealed, compacted_through, erasures
FROM log JOIN knowledge_base ON knowledge_base.log = log.id
"""

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class Snapshot:
    """Lends one connection in one read-only transaction, which is one snapshot.

    The transaction begins with the first question, in the same round trip; until something
    was answered, a lost connection is replaced.
    """

    __slots__ = ("_connection", "_connections", "_knowledge_bases")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._knowledge_bases: dict[str, Row | None] = {}
        self._connection: Connection | None = None

    def rows(self, query: str, values: Values = ()) -> list[Row]:
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

    def find_knowledge_base(self, knowledge_base_id: str) -> Row | None:
        """One row of ``KNOWLEDGE_BASES``, which a snapshot is asked for once.

        A search needs it as well as the question whether the caller may search at all.
        """
        known = self._knowledge_bases
        if knowledge_base_id not in known:
            found = self.rows(f"{KNOWLEDGE_BASES} WHERE log.id = %s", (knowledge_base_id,))
            known[knowledge_base_id] = found[0] if found else None
        return known[knowledge_base_id]

    def end(self) -> None:
        """Gives the connection back, if one was taken."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._connections.end(connection)


def _begin(connection: Connection, query: str, values: Values) -> list[Row]:
    with connection.pipeline():
        connection.execute(_BEGIN)
        found = connection.execute(query, values)
    return list(found.fetchall())
