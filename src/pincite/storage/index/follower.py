"""The search index of a store that is elsewhere: a local file that follows its logs.

The file holds nothing that cannot be made again: without it, or where a log was broken off
or compacted too far, the articles are indexed anew. All processes of a host share it. One of
them writes at a time, in short transactions; each reads how far it has come in the same
snapshot in which it searches, so no answer is older than the view that asked.

What is indexed is an article's present state, not what an event found it in: an event only
says which article to look at. Before a search the file comes as far as the view that asks. It
may be ahead already, by what others followed meanwhile; then the few articles that changed
since are put back as the view has them, and the transaction that did so is undone.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import apsw

from pincite.errors import StoreBusyError, StoreUnavailableError
from pincite.storage.index.entries import ANALYSIS
from pincite.storage.index.fts import Hit
from pincite.storage.index.host_file import HostFile
from pincite.storage.index.source import Source

Result = TypeVar("Result")

_DAMAGED = (apsw.CorruptError, apsw.NotADBError)


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
        self._idle: list[HostFile] = []
        self._closed = False

    def search(self, source: Source, query: str, limit: int) -> list[Hit]:
        """What ``SearchIndex.search`` finds, no older than the snapshot that ``source`` is.

        Raises:
            StoreBusyError: Another process kept the file for too long.
            StoreUnavailableError: The file cannot be written or read.
        """
        language = source.extent.language
        return self._guarded(
            lambda: self._ask(
                source, lambda file, kb: file.index.search(kb, query, language, limit)
            )
        )

    def disagreements(self, source: Source) -> list[str]:
        """Where the file does not say what the snapshot does; nothing if there is no file."""
        if not self._path.exists():
            return []
        return self._guarded(
            lambda: self._ask(source, lambda file, kb: list(file.disagreements(kb, source)))
        )

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

    def _ask(self, source: Source, ask: Callable[[HostFile, int], Result]) -> Result:
        """Asks the file, of a knowledge base's number in it, as it stands at the snapshot."""
        extent = source.extent
        while True:
            with self._file() as file:
                with file.reading():
                    progress = file.find_progress(source.knowledge_base_id)
                    if progress is not None and progress.is_at(extent):
                        return ask(file, progress.kb)
                if progress is not None and progress.has_reached(extent):
                    with file.undone():
                        ahead = file.find_progress(source.knowledge_base_id)
                        if ahead is not None and ahead.has_reached(extent):
                            file.put_back(ahead, source)
                            return ask(file, ahead.kb)
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
    def _file(self) -> Iterator[HostFile]:
        """Lends a connection, which is used again unless something fails."""
        try:
            file = self._idle.pop()
        except IndexError:
            file = HostFile.open(self._path)
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
