"""Wakes whoever waits for commits: of this process at once, of others by NOTIFY.

A notification is sent after the commit and not in its transaction, where PostgreSQL takes a
lock that every commit in the database would wait for. It may therefore be lost, with its
sender; so whoever listens also looks, now and then, at how far the logs have come.
"""

import threading
from collections.abc import Callable
from select import select
from socket import socket, socketpair
from time import monotonic

import psycopg

from pincite.errors import StoreUnavailableError
from pincite.storage.postgres.connections import Connection, connect

CHANNEL = "pincite"

LOOK_EVERY = 2.0
"""Seconds after which a commit is noticed whose notification was lost."""

_SEND_EVERY = 0.01
"""Seconds between two notifications: all commits between are told by one."""

_RECONNECT_AFTER = 0.5

_LISTEN_WITHIN = 1.0
"""Seconds that the first wait lets pass for the connection on which it listens."""

_PROGRESS = "SELECT count(*), sum(latest) FROM log"


class Bell:
    """Counts commits, and tells other processes of this one's.

    Its threads and connections begin with the first commit to tell of and with the first
    wait, so that a process that does neither has none.
    """

    def __init__(self, settings: str) -> None:
        self._settings = settings
        self._moved = threading.Condition()
        self._count = 1
        self._to_tell = threading.Event()
        self._closing = threading.Event()
        self._ends: tuple[socket, socket] | None = None
        self._listening = threading.Event()
        self._teller = 0
        self._threads: dict[str, threading.Thread] = {}

    def ring(self) -> None:
        """Tells that this process committed."""
        self._advance()
        self._to_tell.set()
        self._begin("teller", self._tell)

    def wait(self, seen: int, timeout: float) -> int:
        """Waits until the count is not ``seen``, at most ``timeout`` seconds; returns it.

        The first wait begins to listen: what is committed after it returns will be heard.
        """
        self._begin("listener", self._listen)
        self._listening.wait(_LISTEN_WITHIN)
        with self._moved:
            self._moved.wait_for(
                lambda: self._count != seen or self._closing.is_set(), timeout=timeout
            )
            return self._count

    def close(self) -> None:
        """Ends the threads; whoever waits returns."""
        with self._moved:
            self._closing.set()
        self._to_tell.set()
        self._advance()
        if self._ends is not None:
            self._ends[0].close()  # which the listener sees on its own side
        for thread in self._threads.values():
            thread.join()
        if self._ends is not None:
            self._ends[1].close()

    def _begin(self, name: str, work: Callable[[Connection], None]) -> None:
        if name in self._threads or self._closing.is_set():
            return
        with self._moved:
            if name not in self._threads:
                thread = threading.Thread(target=self._keep_at, args=(work,), daemon=True)
                self._threads[name] = thread
                thread.start()

    def _advance(self) -> None:
        with self._moved:
            self._count += 1
            self._moved.notify_all()

    def _keep_at(self, work: Callable[[Connection], None]) -> None:
        """Works on a connection of its own, and on a new one when that is lost."""
        while not self._closing.is_set():
            try:
                with connect(self._settings) as connection:
                    work(connection)
            except (psycopg.OperationalError, StoreUnavailableError):
                self._closing.wait(_RECONNECT_AFTER)

    def _tell(self, connection: Connection) -> None:
        self._teller = connection.info.backend_pid
        while self._to_tell.wait() and not self._closing.is_set():
            self._to_tell.clear()
            try:
                connection.execute(f"NOTIFY {CHANNEL}")
            except psycopg.OperationalError:
                self._to_tell.set()
                raise
            self._closing.wait(_SEND_EVERY)

    def _listen(self, connection: Connection) -> None:
        with self._moved:
            if self._closing.is_set():
                return
            self._ends = self._ends or socketpair()
        ending = self._ends[1]
        connection.execute(f"LISTEN {CHANNEL}")
        progress = connection.execute(_PROGRESS).fetchone()
        self._advance()  # what was committed before was not heard
        self._listening.set()
        look_at = monotonic() + LOOK_EVERY
        wakers = [connection.fileno(), ending.fileno()]
        while not self._closing.is_set():
            if any(note.pid != self._teller for note in connection.notifies(timeout=0)):
                self._advance()
            if monotonic() >= look_at:
                before, progress = progress, connection.execute(_PROGRESS).fetchone()
                look_at = monotonic() + LOOK_EVERY
                if before != progress:
                    self._advance()
            else:
                select(wakers, [], [], max(0.0, look_at - monotonic()))
