"""The way of every write: on some connection, and again if that one is lost; then it is told."""

from collections.abc import Callable
from typing import TypeVar

from pincite.ports import Replayed, Reused, Stale
from pincite.storage.postgres.connections import Connection, Connections
from pincite.storage.postgres.listen import Bell

Result = TypeVar("Result")


class Writer:
    """Runs writes, each in a transaction of its own."""

    def __init__(self, connections: Connections, bell: Bell) -> None:
        self._connections = connections
        self._bell = bell

    def run(self, work: Callable[[Connection], Result], *, resend: bool = True) -> Result:
        """Writes; see ``Connections.run``."""
        result = self._connections.run(work, resend=resend)
        if not isinstance(result, Replayed | Reused | Stale):
            self._bell.ring()
        return result
