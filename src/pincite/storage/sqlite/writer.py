"""The one thread of a process that writes: concurrent writes share a durable transaction."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import apsw

from pincite.errors import PinciteError, StoreUnavailableError
from pincite.storage.index.fts import Change, SearchIndex
from pincite.storage.sqlite.connections import Patience, Place, connect, pause, storage_errors

BATCH_LARGEST = 128
"""The most writes in one transaction."""

BATCH_LONGEST = 0.02
"""How long a transaction takes up more writes, in seconds: other processes wait meanwhile."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Transaction:
    """What a write writes to.

    Attributes:
        changes: Of the search index, made once for the whole transaction.
    """

    connection: apsw.Connection
    changes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class Job(Generic[Result]):
    """One write, which is saved whole or not at all.

    Attributes:
        work: Writes, in a savepoint of its own; what it raises undoes it.
        answer: Completes once the transaction is durable.
    """

    work: Callable[[Transaction], Result]
    answer: "Future[Result]" = field(default_factory=Future)
    asked_at: float = field(default_factory=time.monotonic)
    result: Result | None = None
    refusal: Exception | None = None

    def attempt(self, transaction: Transaction) -> None:
        """Writes in a savepoint; a refusal undoes this write alone."""
        connection = transaction.connection
        before = len(transaction.changes)
        self.refusal = None
        connection.execute("SAVEPOINT job")
        try:
            self.result = self.work(transaction)
        except PinciteError as error:
            connection.execute("ROLLBACK TO job")
            del transaction.changes[before:]
            self.refusal = error
        connection.execute("RELEASE job")

    def settle(self) -> None:
        """Answers the caller, after the transaction."""
        if self.refusal is not None:
            self.answer.set_exception(self.refusal)
        else:
            self.answer.set_result(self.result)  # type: ignore[arg-type]


class Writer:
    """Takes writes from any thread and saves them, in the order in which they were asked.

    A transaction takes up what is asked while it runs, so that its sync serves many. It
    ends soon, and where other processes write to the file too, the next one begins a
    moment later, so that they get their turn.
    """

    def __init__(
        self, place: Place, committed: Callable[[], None], failed: Callable[[], None]
    ) -> None:
        """Begins its thread with the first write.

        Args:
            place: The store's file.
            committed: Called in the writer's thread after each commit.
            failed: Called there when a transaction was lost.
        """
        self._place = place
        self._committed = committed
        self._failed = failed
        self._asked: queue.SimpleQueue[Job[object] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._connection: apsw.Connection | None = None
        self._patience = Patience()
        self._version = 0
        self._file: int | None = None

    def run(self, work: Callable[[Transaction], Result]) -> Result:
        """Saves a write and returns its result once it is durable.

        Raises:
            StoreBusyError: Another process held the file for too long.
            StoreUnavailableError: The file cannot be written.
            Exception: Whatever ``work`` raised; then it changed nothing.
        """
        job = Job(work)
        with self._gate:
            if self._closed:
                raise StoreUnavailableError("The store is closed.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="writer", daemon=True)
                self._thread.start()
            self._asked.put(job)  # type: ignore[arg-type]
        return job.answer.result()

    def close(self) -> None:
        """Saves what was asked, then ends the thread."""
        with self._gate:
            self._closed = True
            self._asked.put(None)
        if self._thread is not None:
            self._thread.join()

    def _serve(self) -> None:
        while (job := self._asked.get()) is not None:
            self._save(job, BATCH_LARGEST)
        self._let_go()

    def _save(self, first: Job[object], largest: int) -> None:
        """Saves a job and those that come meanwhile; if they fail together, each alone."""
        batch = [first]
        try:
            with storage_errors(self._place):
                self._transact(batch, largest)
        except Exception as error:  # noqa: BLE001 - the caller gets it, the thread serves on
            self._let_go()
            self._failed()
            if len(batch) > 1:
                for job in batch:
                    self._save(job, 1)
                return
            first.refusal = error
        for job in batch:
            job.settle()

    def _transact(self, batch: list[Job[object]], largest: int) -> None:
        connection = self._connected()
        self._refuse_moved()
        transaction = Transaction(connection)
        self._patience.asked_at = batch[0].asked_at
        connection.execute("BEGIN IMMEDIATE")
        shared = connection.data_version() != self._version
        until = time.monotonic() + BATCH_LONGEST
        batch[0].attempt(transaction)
        while len(batch) < largest and time.monotonic() < until and (job := self._next()):
            batch.append(job)
            job.attempt(transaction)
        if transaction.changes:
            SearchIndex(connection).apply(transaction.changes)
        connection.execute("COMMIT")
        self._version = connection.data_version()
        self._committed()
        if shared:
            pause()

    def _next(self) -> Job[object] | None:
        """A job that waits; None if none does."""
        try:
            job = self._asked.get_nowait()
        except queue.Empty:
            return None
        if job is None:
            self._asked.put(None)  # the end, for _serve
        return job

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            self._connection = connect(self._place, patience=self._patience)
            self._version = self._connection.data_version()
            self._file = self._place.file_number()
        return self._connection

    def _refuse_moved(self) -> None:
        """SQLite would go on writing to a file that nobody can open any more."""
        if self._place.file_number() != self._file:
            raise StoreUnavailableError(
                f"{self._place.path} was moved, deleted or replaced while it was open."
            )

    def _let_go(self) -> None:
        """Closes the connection, which undoes what it had not committed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
