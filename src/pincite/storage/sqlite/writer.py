"""A process's one way to write: concurrent writes share a durable transaction."""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import apsw

from pincite.errors import PinciteError, StoreUnavailableError
from pincite.storage.index.fts import Change, SearchIndex
from pincite.storage.sqlite.connections import Patience, Place, connect, pause, storage_errors
from pincite.storage.sqlite.files import refuse_newer

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


def _held() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(slots=True, eq=False)
class Job(Generic[Result]):
    """One write, which is saved whole or not at all.

    Attributes:
        work: Writes, in a savepoint of its own; what it raises undoes it.
        settled: Whether its transaction is durable, or will never be.
        woken: Held until it is settled or its turn to write has come.
    """

    work: Callable[[Transaction], Result]
    asked_at: float = field(default_factory=time.monotonic)
    result: Result | None = None
    refusal: Exception | None = None
    settled: bool = False
    woken: threading.Lock = field(default_factory=_held)

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


class Writer:
    """Takes writes from any thread and saves them, in the order in which they were asked.

    Who asks while nobody writes does so at once, in its own thread: to wake another one takes
    longer than most writes. Its transaction takes up what others ask meanwhile, so that one
    sync serves many. It ends soon, and where other processes write to the file too, the next
    one begins a moment later, so that they get their turn.
    """

    def __init__(
        self, place: Place, committed: Callable[[], None], failed: Callable[[], None]
    ) -> None:
        """Opens the file with the first write.

        Args:
            place: The store's file.
            committed: Called after each commit, by the thread that made it.
            failed: Called when a transaction was lost.
        """
        self._place = place
        self._committed = committed
        self._failed = failed
        self._asked: deque[Job[Any]] = deque()
        self._gate = threading.Lock()
        self._idle = threading.Condition(self._gate)
        self._writes: Job[Any] | None = None
        self._closed = False
        self._connection: apsw.Connection | None = None
        self._begun = False
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
        try:
            self._ask(job)
            job.woken.acquire()  # its turn to write, or written by another
            while not job.settled:
                self._save(BATCH_LARGEST)
        finally:
            try:
                self._pass_on(job)
            finally:  # an interrupt may fall here, too, and a turn that is kept stops everybody
                self._pass_on(job)
        if job.refusal is not None:
            raise job.refusal
        return job.result  # type: ignore[return-value]

    def close(self) -> None:
        """Takes no more writes, and waits for those that were asked."""
        with self._gate:
            self._closed = True
            self._idle.wait_for(lambda: self._writes is None)
            self._let_go()

    def _ask(self, job: Job[Any]) -> None:
        """Puts a job in line; if nobody writes, it has its turn at once."""
        with self._gate:
            if self._closed:
                raise StoreUnavailableError("The store is closed.")
            self._asked.append(job)
            if self._writes is None:
                self._give_turn(job)

    def _pass_on(self, job: Job[Any]) -> None:
        """If a job has the turn, or nobody, the first in line has it; may be repeated."""
        with self._gate:
            if not job.settled:  # interrupted: nobody waits for it any more
                with suppress(ValueError):
                    self._asked.remove(job)
            if self._writes is job:
                self._writes = None
            if self._writes is not None:
                return
            if self._asked:
                self._give_turn(self._asked[0])
            else:
                self._idle.notify_all()

    def _give_turn(self, job: Job[Any]) -> None:
        self._writes = job
        job.woken.release()

    def _save(self, largest: int) -> None:
        """Saves the first of those who wait and others with it; if they fail, each alone."""
        self._begun = False
        batch = [self._asked.popleft()]
        try:
            with storage_errors(self._place):
                self._transact(batch, largest)
        except Exception as error:  # noqa: BLE001 - the caller gets it, the others go on
            self._begun = False
            self._let_go()
            self._failed()
            if len(batch) == 1:
                batch[0].refusal = error
                self._settle(batch)
        finally:
            if self._is_committed():  # and then interrupted: nobody writes it again
                self._settle([job for job in batch if not job.settled])
            left = [job for job in batch if not job.settled]
            if left:  # also if this thread was interrupted, which concerns nobody else
                self._let_go()
                self._asked.extendleft(reversed(left))
        for _ in left:
            self._save(1)

    def _transact(self, batch: list[Job[Any]], largest: int) -> None:
        connection = self._connected()
        self._refuse_moved()
        transaction = Transaction(connection)
        self._patience.asked_at = batch[0].asked_at
        connection.execute("BEGIN IMMEDIATE")
        self._begun = True
        shared = connection.data_version() != self._version
        if shared:
            refuse_newer(connection)
        until = time.monotonic() + BATCH_LONGEST
        batch[0].attempt(transaction)
        while self._asked and len(batch) < largest and time.monotonic() < until:
            batch.append(self._asked.popleft())
            batch[-1].attempt(transaction)
        if transaction.changes:
            SearchIndex(connection).apply(transaction.changes)
        connection.execute("COMMIT")
        self._version = connection.data_version()
        self._committed()
        self._settle(batch)
        if shared:
            pause()

    def _is_committed(self) -> bool:
        """Whether the transaction that was begun, and met no error, is over."""
        connection = self._connection
        return self._begun and connection is not None and not connection.in_transaction

    def _settle(self, batch: list[Job[Any]]) -> None:
        """Answers those who asked."""
        for job in batch:
            job.settled = True
            if job is not self._writes:
                job.woken.release()

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            self._connection = connect(self._place, patience=self._patience)
            refuse_newer(self._connection)
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
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
