"""Event pages from a replica, under the primary's word on how far the log goes.

An asynchronous replica can lag; it can also show events that were never acknowledged and that
a failover undoes, after which their numbers tell of something else. So what it says is used
only if it is of the epoch that the primary names and reaches as far as the page must, and
nothing beyond the primary's head is passed on. Whatever can still change, such as an
article's state, is asked of the primary.
"""

import threading
from collections.abc import Sequence
from time import monotonic

from pincite.errors import StoreError
from pincite.storage import rows
from pincite.storage.postgres.connections import Connection, Connections

PATIENCE = 0.25
"""Seconds that a replica may need to catch up, before the primary is asked."""

_LOOK_EVERY = 0.005
_AVOID_FOR = 5.0
"""Seconds for which a replica that failed is not asked again."""

_NEVER = threading.Event()

_PAGE = """
SELECT log.epoch, log.latest, e.sequence, e.type, e.at, e.article, e.changed, e.data
FROM log LEFT JOIN LATERAL (
    SELECT * FROM event WHERE event.log = log.id AND event.sequence > %s AND event.sequence <= %s
    ORDER BY event.sequence LIMIT %s) AS e ON true
WHERE log.id = %s ORDER BY e.sequence
"""


class Replica:
    """A database that follows the primary."""

    def __init__(self, settings: str, *, size: int) -> None:
        """Opens a pool; a connection is made when one is first wanted.

        Args:
            settings: Where it is, as libpq reads it.
            size: The most connections at once.
        """
        self._connections = Connections(settings, _greet, size=size, patience=PATIENCE)
        self._avoided_until = 0.0

    def find_events(
        self, log: str, epoch: str, after: int, head: int, limit: int
    ) -> Sequence[rows.Row] | None:
        """The events of a page; None if the primary must be asked.

        Args:
            log: Whose events.
            epoch: What the primary says of it.
            after: The reader's cursor.
            head: The newest number that the primary has acknowledged.
            limit: The most events in the page.
        """
        until = monotonic() + PATIENCE
        if monotonic() < self._avoided_until:
            return None
        try:
            while True:
                page = self._connections.run(
                    lambda connection: _read(connection, log, after, head, limit)
                )
                if page.serves(epoch, head, limit):
                    return page.events
                if page.epoch != epoch or monotonic() > until:
                    return None
                _NEVER.wait(_LOOK_EVERY)
        except StoreError:
            self._avoided_until = monotonic() + _AVOID_FOR
            return None

    def close(self) -> None:
        """Lets go of its connections."""
        self._connections.close()


class _Page:
    """What a replica says at one moment."""

    __slots__ = ("epoch", "events", "latest")

    def __init__(self, found: Sequence[rows.Row]) -> None:
        self.epoch: str | None = found[0][0] if found else None
        self.latest: int = found[0][1] if found else 0
        self.events = [row[2:] for row in found if row[2] is not None]

    def serves(self, epoch: str, head: int, limit: int) -> bool:
        """Whether the page is full, or reaches the primary's head."""
        return self.epoch == epoch and (self.latest >= head or len(self.events) == limit)


def _read(connection: Connection, log: str, after: int, head: int, limit: int) -> _Page:
    return _Page(connection.execute(_PAGE, (after, head, limit, log)).fetchall())


def _greet(connection: Connection) -> None:
    connection.execute("SET default_transaction_read_only = on")
