"""Connections to one SQLite file: how they are opened, shared and what their errors mean."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import apsw

from pincite.errors import InvalidInputError, StoreBusyError, StoreUnavailableError
from pincite.storage.index.fts import SearchIndex

OLDEST_SQLITE = (3, 51, 3)
"""Before it, a WAL could be reset under a reader (sqlite.org/wal.html, "the WAL-reset bug")."""

PATIENCE = 4.0
"""How long a call waits for another process's lock, in seconds."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0002, 0.002
_NEVER = threading.Event()
_SYNCHRONOUS = ("full", "normal", "off")

_MEANINGS: dict[type[apsw.Error], str] = {
    apsw.FullError: "The disk is full.",
    apsw.ReadOnlyError: "The database or its folder is read-only.",
    apsw.CantOpenError: "The database cannot be opened; look at its path and permissions.",
    apsw.PermissionsError: "The database may not be opened; look at its permissions.",
    apsw.NotADBError: "The file is no SQLite database.",
    apsw.CorruptError: "The database is damaged; restore a backup.",
    apsw.IOError: "The disk reported an error.",
    apsw.NoMemError: "There is not enough memory.",
    apsw.ConnectionClosedError: "The store is closed.",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is, and how hard it makes sure that a write is on the disk.

    Attributes:
        synchronous: ``full`` survives a power cut, ``normal`` may lose the last writes to
            one, ``off`` may lose the file; none of them loses anything to ``kill -9``.
    """

    path: Path
    synchronous: str = "full"

    @classmethod
    def parse(cls, url: str) -> "Place":
        """Reads a path or ``sqlite:///relative`` or ``sqlite:////absolute``.

        Raises:
            InvalidInputError: It is no such thing.
        """
        if not url.startswith("sqlite:"):
            return cls(Path(url))
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        synchronous = options.pop("synchronous", "full")
        path = unquote(parts.path)[1:]
        if parts.netloc or not path or options or synchronous not in _SYNCHRONOUS:
            raise InvalidInputError(
                "A SQLite database is named by a path or by sqlite:///PATH, with "
                f"?synchronous={'|'.join(_SYNCHRONOUS)} at most.",
                field="db",
                limit="sqlite:///PATH",
            )
        return cls(Path(path), synchronous)

    def file_number(self) -> int | None:
        """Which file is there; None if there is none."""
        try:
            return self.path.stat().st_ino
        except OSError:
            return None


@contextmanager
def storage_errors(place: Place) -> Iterator[None]:
    """Turns what SQLite reports into what a caller can act on; bugs pass through."""
    try:
        yield
    except apsw.Error as error:
        refuse_what_is_meant(error, place)
        raise


def refuse_what_is_meant(error: apsw.Error, place: Place) -> None:
    """Raises what an error of SQLite says about the store, if it is no fault of ours.

    Raises:
        StoreBusyError: Another process holds the store.
        StoreUnavailableError: The store is lost, full, read-only or none.
    """
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        raise StoreBusyError(f"Another process holds {place.path}.") from error
    for kind, sentence in _MEANINGS.items():
        if isinstance(error, kind):
            raise StoreUnavailableError(f"{sentence} ({place.path})") from error


def connect(
    place: Place, flags: int = apsw.SQLITE_OPEN_READWRITE, patience: "Patience | None" = None
) -> apsw.Connection:
    """Opens the file, which is there unless ``flags`` tell to make it."""
    connection = apsw.Connection(str(place.path), flags, statementcachesize=200)
    connection.set_busy_handler(patience or Patience())
    # A pragma's row must be read, or what follows it in the string never runs.
    connection.execute(
        f"PRAGMA synchronous={place.synchronous}; PRAGMA foreign_keys=on;"
        "PRAGMA secure_delete=on; PRAGMA trusted_schema=off; PRAGMA journal_size_limit=67108864"
    ).fetchall()
    connection.wal_autocheckpoint(1000)
    # Else SQLite, built with STAT4, prepares each join anew whenever a value is bound.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


class Patience:
    """A busy handler: tries again after a random moment, until its time is over.

    SQLite's own handler waits longer and longer, so that under load the process that has
    waited longest is the last to try again.

    Attributes:
        asked_at: Since when the present call waits, on the monotonic clock; None if it
            began to wait when it met the lock.
    """

    def __init__(self) -> None:
        self.asked_at: float | None = None
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        """Whether to try again."""
        now = time.monotonic()
        if tries == 0:
            self._until = (self.asked_at or now) + PATIENCE
        pause()
        return now < self._until


def pause() -> None:
    """Lets another process have its turn."""
    _NEVER.wait(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))  # noqa: S311 - it hides nothing


@dataclass(frozen=True, slots=True)
class Reader:
    """A connection with the index seen through it.

    Attributes:
        file: Which file it has open.
    """

    connection: apsw.Connection
    index: SearchIndex
    file: int | None


class Pool:
    """Readers; each serves one view at a time, the last used first."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._idle: list[Reader] = []
        self._closed = False

    def take(self) -> Reader:
        """A reader that nobody else uses, of the file that is at the place now.

        SQLite would go on reading one that was moved away, while writes go to its successor.
        """
        if self._closed:
            raise StoreUnavailableError("The store is closed.")
        file = self._place.file_number()
        with suppress(IndexError):
            while True:
                reader = self._idle.pop()
                if reader.file == file:
                    return reader
                reader.connection.close()
        connection = connect(self._place)
        return Reader(connection, SearchIndex(connection), file)

    def give(self, reader: Reader) -> None:
        """Takes back a reader whose connection is in no transaction."""
        self._idle.append(reader)
        if self._closed:
            self.let_go()

    def let_go(self) -> None:
        """Closes what is idle; the next views open anew."""
        with suppress(IndexError):  # a view may take the last one meanwhile
            while True:
                self._idle.pop().connection.close()

    def close(self) -> None:
        """Closes what is idle now, and what is given back later."""
        self._closed = True
        self.let_go()
