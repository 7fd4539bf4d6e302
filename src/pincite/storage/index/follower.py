"""The search index of a store that is elsewhere: a local file that follows its logs.

The file holds nothing that cannot be made again: without it, or where a log was broken off
or compacted too far, the articles are indexed anew. All processes of a host share it. One of
them writes at a time, in short transactions; each reads how far it has come in the same
snapshot in which it searches, so no answer is older than the view that asked.

What is indexed is an article's present state, not what an event found it in: an event only
says which article to look at. So the index may run ahead of a view, by what other processes
followed meanwhile, and never stays behind it.
"""

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol, TypeVar

import apsw

from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.passages import Passage
from pincite.errors import StoreBusyError, StoreUnavailableError
from pincite.storage.index.entries import ANALYSIS, prepare
from pincite.storage.index.fts import Change, Hit, Put, Remove, SearchIndex

Result = TypeVar("Result")

BATCH = 100
"""Articles that one transaction indexes, which other processes wait for."""

PATIENCE = 10.0
"""Seconds that a search waits for another process that writes the file."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.005
_NEVER = threading.Event()

_SCHEMA = """
CREATE TABLE followed (
    kb INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    sequence INTEGER NOT NULL,  -- the last event whose article is indexed as it was then, or later
    made_through INTEGER,       -- the last article indexed anew; NULL when all are
    erasures INTEGER NOT NULL   -- how many erasures the file's pages have followed
) STRICT
"""

_DAMAGED = (apsw.CorruptError, apsw.NotADBError)


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a knowledge base's log has come, and what of it is kept.

    Attributes:
        erasures: How many texts were ever erased from the knowledge base.
    """

    language: str
    epoch: str
    latest: int
    compacted_through: int
    erasures: int


@dataclass(frozen=True, slots=True)
class Present:
    """An article as a snapshot has it; without a text unless it is published.

    Attributes:
        sequence: The last of the events asked for that changed it; 0 if none was asked for.
        number: The article's in its knowledge base.
        revision: The stamp of its text, in milliseconds.
    """

    sequence: int
    number: int
    revision: int | None
    title: str
    content: str
    passages: tuple[Passage, ...]


class Source(Protocol):
    """One knowledge base in one snapshot of the store that is followed."""

    @property
    def knowledge_base_id(self) -> KnowledgeBaseId:
        """Whose articles are indexed."""

    @property
    def extent(self) -> Extent:
        """How far its log has come."""

    def list_changed(self, after: int, limit: int) -> Sequence[Present]:
        """What became of the articles that the next ``limit`` events are about."""

    def list_published(self, after: int, limit: int) -> Sequence[Present]:
        """Published articles by number, from behind ``after``."""


class _Progress(NamedTuple):
    """How far the file has come with one knowledge base."""

    kb: int
    epoch: str
    sequence: int
    made_through: int | None
    erasures: int

    def has_reached(self, extent: Extent) -> bool:
        """Whether the file answers no older than the snapshot with this extent."""
        return (
            self.epoch == extent.epoch
            and self.made_through is None
            and self.sequence >= extent.latest
            and self.erasures >= extent.erasures
        )

    def can_follow(self, extent: Extent) -> bool:
        """Whether the log still tells all that the file has not seen."""
        return self.epoch == extent.epoch and self.sequence >= extent.compacted_through


class Follower:
    """One store's index file, for every thread of this process."""

    def __init__(self, folder: Path, store_id: str) -> None:
        """Names the file; it is opened with the first search.

        Args:
            folder: Where this host keeps its index files.
            store_id: Names the store whatever its address.
        """
        self._path = folder / f"{store_id}-{ANALYSIS}.db"
        self._lock = threading.Lock()  # of this process's threads, one follows
        self._idle: list[_File] = []
        self._closed = False

    def search(self, source: Source, query: str, limit: int) -> list[Hit]:
        """What ``SearchIndex.search`` finds, no older than the snapshot that ``source`` is.

        Raises:
            StoreBusyError: Another process kept the file for too long.
            StoreUnavailableError: The file cannot be written or read.
        """
        return self._guarded(lambda: self._search(source, query, limit))

    def follow(self, source: Source) -> None:
        """Comes as far as the snapshot, so that the next search need not.

        Raises:
            StoreBusyError: Another process kept the file for too long.
            StoreUnavailableError: The file cannot be written or read.
        """
        self._guarded(lambda: self._follow(source))

    def close(self) -> None:
        """Lets go of the file."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().connection.close()

    def _search(self, source: Source, query: str, limit: int) -> list[Hit]:
        while True:
            with self._file() as file, file.reading():
                progress = file.find_progress(source.knowledge_base_id)
                if progress is not None and progress.has_reached(source.extent):
                    language = source.extent.language
                    return file.index.search(progress.kb, query, language, limit)
            self._follow(source)

    def _follow(self, source: Source) -> None:
        with self._lock, self._file() as file:
            reached = False
            while not reached:
                with file.writing():
                    reached = file.advance(source)

    def _guarded(self, work: Callable[[], Result]) -> Result:
        """Works on the file; one that is damaged is removed, and made anew by the same work."""
        try:
            try:
                return work()
            except _DAMAGED:
                self._remove()
                return work()
        except apsw.BusyError as error:
            raise StoreBusyError("Another process is writing the search index.") from error
        except (apsw.Error, OSError) as error:
            raise StoreUnavailableError(f"The search index {self._path} fails: {error}") from error

    @contextmanager
    def _file(self) -> Iterator["_File"]:
        """Lends a connection, which is used again unless something fails."""
        try:
            file = self._idle.pop()
        except IndexError:
            file = _File.open(self._path)
        well = False
        try:
            yield file
            well = True
        finally:
            if well and not self._closed:
                self._idle.append(file)
            else:
                file.connection.close()

    def _remove(self) -> None:
        while self._idle:
            self._idle.pop().connection.close()
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _File:
    """One connection to the file."""

    connection: apsw.Connection
    index: SearchIndex

    @classmethod
    def open(cls, path: Path) -> "_File":
        """Opens the file, and makes it if it is not there."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = apsw.Connection(str(path), statementcachesize=100)
        connection.set_busy_handler(_Patience())
        _begin_log(connection)
        # A lost power supply may take the last batches away, which are then followed again.
        for pragma in ("synchronous=normal", "secure_delete=on"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        file = cls(connection, SearchIndex(connection))
        with file.writing():
            if connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None:
                connection.execute(_SCHEMA)
                file.index.create()
        return file

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One snapshot of the file."""
        with self._transaction("BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction, for which other processes wait."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self.connection.execute(begin)
        ending = "ROLLBACK"
        try:
            yield
            ending = "COMMIT"
        finally:
            if self.connection.in_transaction:  # an error may have ended it
                self.connection.execute(ending)

    def find_progress(self, knowledge_base_id: KnowledgeBaseId) -> _Progress | None:
        """How far the file has come; None if it knows nothing of the knowledge base."""
        row = self.connection.execute(
            "SELECT kb, epoch, sequence, made_through, erasures FROM followed WHERE id = ?",
            (knowledge_base_id,),
        ).fetchone()
        return None if row is None else _Progress._make(row)

    def advance(self, source: Source) -> bool:
        """Indexes one batch more; returns whether the snapshot is reached."""
        extent = source.extent
        progress = self.find_progress(source.knowledge_base_id)
        if progress is None or not progress.can_follow(extent):
            progress = self._begin_anew(source, progress)
        if progress.made_through is not None:
            return self._make(source, progress, progress.made_through)
        if progress.sequence < extent.latest:
            return self._catch_up(source, progress)
        if progress.erasures < extent.erasures:
            self.index.expunge()
            self._note(progress._replace(erasures=extent.erasures))
        return True

    def _begin_anew(self, source: Source, progress: _Progress | None) -> _Progress:
        if progress is not None:
            self.index.forget(progress.kb)
        # Events after this one are followed once every article is indexed: an article that
        # changes meanwhile is looked at again.
        extent = source.extent
        row = self.connection.execute(
            "INSERT INTO followed (id, epoch, sequence, made_through, erasures)"
            " VALUES (?1, ?2, ?3, 0, ?4) ON CONFLICT (id) DO UPDATE SET"
            " epoch = ?2, sequence = ?3, made_through = 0"
            " RETURNING kb, epoch, sequence, made_through, erasures",
            (source.knowledge_base_id, extent.epoch, extent.latest, extent.erasures),
        ).fetchall()[0]
        return _Progress._make(row)

    def _make(self, source: Source, progress: _Progress, after: int) -> bool:
        found = source.list_published(after, BATCH)
        self._apply(source, progress, found)
        done = len(found) < BATCH
        self._note(progress._replace(made_through=None if done else found[-1].number))
        return done and progress._replace(made_through=None).has_reached(source.extent)

    def _catch_up(self, source: Source, progress: _Progress) -> bool:
        found = source.list_changed(progress.sequence, BATCH)
        self._apply(source, progress, found)
        # Only an empty page tells that the log ends: several events may be about one article.
        latest = source.extent.latest
        caught_up = progress._replace(sequence=max((one.sequence for one in found), default=latest))
        self._note(caught_up)
        return caught_up.has_reached(source.extent)

    def _apply(self, source: Source, progress: _Progress, found: Sequence[Present]) -> None:
        language = source.extent.language
        self.index.apply([_change(progress.kb, one, language) for one in found])

    def _note(self, progress: _Progress) -> None:
        self.connection.execute(
            "UPDATE followed SET sequence = ?, made_through = ?, erasures = ? WHERE kb = ?",
            (progress.sequence, progress.made_through, progress.erasures, progress.kb),
        )


def _change(kb: int, present: Present, language: str) -> Change:
    if present.revision is None:
        return Remove(kb, present.number)
    entry = prepare(present.title, present.content, present.passages, language)
    return Put(kb, present.number, present.revision, entry)


def _begin_log(connection: apsw.Connection) -> None:
    """Begins the write-ahead log; SQLite does not ask the busy handler about this lock."""
    patience = _Patience()
    tries = 0
    while True:
        try:
            connection.execute("PRAGMA journal_mode=wal").fetchall()
        except apsw.BusyError:
            if not patience(tries):
                raise
            tries += 1
        else:
            return


class _Patience:
    """A busy handler: tries again after a random moment, until its time is over."""

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        """Whether to try again."""
        if tries == 0:
            self._until = monotonic() + PATIENCE
        _NEVER.wait(random.uniform(_SHORTEST_PAUSE, _LONGEST_PAUSE))  # noqa: S311 - hides nothing
        return monotonic() < self._until
