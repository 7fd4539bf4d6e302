"""A search index in a file of its own, for all processes of one host."""

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import apsw

from pincite.domain.ids import KnowledgeBaseId
from pincite.storage.index.entries import digest, prepare
from pincite.storage.index.fts import Change, Put, Remove, SearchIndex
from pincite.storage.index.source import Extent, Present, Source

BATCH = 100
"""Articles that one transaction indexes, which other processes wait for."""

PATIENCE = 10.0
"""Seconds that a search waits for another process that writes the file."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.005
_NEVER = threading.Event()

_SCHEMA = """
CREATE TABLE changed (
    kb INTEGER NOT NULL,
    number INTEGER NOT NULL,
    sequence INTEGER NOT NULL,  -- the last event about this article that was followed
    PRIMARY KEY (kb, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX changed_by_sequence ON changed (kb, sequence);
CREATE TABLE followed (
    kb INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    sequence INTEGER NOT NULL,  -- the last event whose article is indexed as it was then, or later
    made_through INTEGER,       -- the last article indexed anew; NULL when all are
    erasures INTEGER NOT NULL   -- how many erasures the file's pages have followed
) STRICT
"""


class Progress(NamedTuple):
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

    def is_at(self, extent: Extent) -> bool:
        """Whether the file says what the snapshot with this extent does."""
        return self.has_reached(extent) and self.sequence == extent.latest

    def can_follow(self, extent: Extent) -> bool:
        """Whether the log still tells all that the file has not seen."""
        return self.epoch == extent.epoch and self.sequence >= extent.compacted_through


@dataclass(frozen=True, slots=True)
class HostFile:
    """One connection to the file."""

    connection: apsw.Connection
    index: SearchIndex

    @classmethod
    def open(cls, path: Path) -> "HostFile":
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
                connection.execute(_SCHEMA).fetchall()
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
    def undone(self) -> Iterator[None]:
        """One transaction that leaves nothing behind."""
        with self._transaction("BEGIN IMMEDIATE", "ROLLBACK"):
            yield

    @contextmanager
    def _transaction(self, begin: str, end: str = "COMMIT") -> Iterator[None]:
        self.connection.execute(begin)
        ending = "ROLLBACK"
        try:
            yield
            ending = end
        finally:
            if self.connection.in_transaction:  # an error may have ended it
                self.connection.execute(ending)

    def find_progress(self, knowledge_base_id: KnowledgeBaseId) -> Progress | None:
        """How far the file has come; None if it knows nothing of the knowledge base."""
        row = self.connection.execute(
            "SELECT kb, epoch, sequence, made_through, erasures FROM followed WHERE id = ?",
            (knowledge_base_id,),
        ).fetchone()
        return None if row is None else Progress._make(row)

    def put_back(self, progress: Progress, source: Source) -> None:
        """Makes the file what it was at a snapshot that it is ahead of; see ``undone``.

        Of events before the index was made nothing is known; a view that is older still may
        miss an article that changed in between, and does so only right after that.
        """
        later: list[Any] = self.connection.execute(
            "SELECT number FROM changed WHERE kb = ? AND sequence > ?",
            (progress.kb, source.extent.latest),
        ).fetchall()
        numbers = [number for (number,) in later]
        there = source.list_numbered(numbers)
        missing = {*numbers} - {one.number for one in there}
        self.index.apply([Remove(progress.kb, number) for number in missing])
        self._apply(source, progress, there)

    def disagreements(self, kb: int, source: Source) -> Iterator[str]:
        """Where the file does not say what the snapshot does, as sentences."""
        indexed = {one.article_number: one for one in self.index.entries(kb)}
        name, language = source.knowledge_base_id, source.extent.language
        after, more = 0, True
        while more:
            found = source.list_published(after, BATCH)
            for one in found:
                entry = indexed.pop(one.number, None)
                if entry is None:
                    yield f"Article number {one.number} of {name} is not in this host's index."
                elif entry.digest != digest(one.title, one.content, language):
                    yield f"Article number {one.number} of {name} is indexed with another text."
            after, more = (found[-1].number, True) if found else (after, False)
        for number in indexed:
            yield f"This host's index holds article number {number} of {name}, not published."
        yield from self.index.disagreements()

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

    def _begin_anew(self, source: Source, progress: Progress | None) -> Progress:
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
        return Progress._make(row)

    def _make(self, source: Source, progress: Progress, after: int) -> bool:
        found = source.list_published(after, BATCH)
        self._apply(source, progress, found)
        done = len(found) < BATCH
        self._note(progress._replace(made_through=None if done else found[-1].number))
        return done and progress._replace(made_through=None).has_reached(source.extent)

    def _catch_up(self, source: Source, progress: Progress) -> bool:
        found = source.list_changed(progress.sequence, BATCH)
        self._apply(source, progress, found)
        self.connection.executemany(
            "INSERT OR REPLACE INTO changed (kb, number, sequence) VALUES (?, ?, ?)",
            [(progress.kb, one.number, one.sequence) for one in found],
        )
        # Only an empty page tells that the log ends: several events may be about one article.
        latest = source.extent.latest
        caught_up = progress._replace(sequence=max((one.sequence for one in found), default=latest))
        self._note(caught_up)
        return caught_up.has_reached(source.extent)

    def _apply(self, source: Source, progress: Progress, found: Sequence[Present]) -> None:
        language = source.extent.language
        self.index.apply([_change(progress.kb, one, language) for one in found])

    def _note(self, progress: Progress) -> None:
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
