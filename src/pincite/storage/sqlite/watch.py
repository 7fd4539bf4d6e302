"""Notices commits, also those of other processes."""

import threading
import time

import apsw

from pincite.storage.sqlite.connections import Place, connect, storage_errors

_LOOK_EVERY = 0.05
"""How often a waiting thread looks for other processes' commits, in seconds."""


class Watch:
    """Counts commits: this process's as they happen, others' by looking."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.RLock()
        self._moved = threading.Condition(self._lock)
        self._count = 1
        self._connection: apsw.Connection | None = None
        self._version = 0
        self._file: int | None = None

    def notify(self) -> None:
        """Tells that this process committed."""
        with self._lock:
            self._count += 1
            self._moved.notify_all()

    def wait(self, seen: int, timeout: float) -> int:
        """Waits until the count is not ``seen``, at most ``timeout`` seconds; returns it."""
        until = time.monotonic() + timeout
        with self._lock:
            while self._look() == seen and (left := until - time.monotonic()) > 0:
                self._moved.wait(min(left, _LOOK_EVERY))
            return self._count

    def close(self) -> None:
        """Lets go of the connection; whoever waits goes on waiting for its time."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _look(self) -> int:
        with storage_errors(self._place):
            file = self._place.file_number()
            if self._connection is None or self._file != file:
                self._connection, self._version, self._file = connect(self._place), 0, file
            # Moves when another connection committed (sqlite.org/pragma.html#pragma_data_version).
            version = self._connection.pragma("data_version")
        if version != self._version:
            self._version = version
            self._count += 1
        return self._count
