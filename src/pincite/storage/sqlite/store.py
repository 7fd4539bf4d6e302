"""A store in one SQLite file."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pincite.domain.articles import ImportRecord
from pincite.domain.decide import Decision
from pincite.domain.edits import Request
from pincite.domain.events import Occurrence, Resource
from pincite.domain.grants import Token
from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.ports import Outcome
from pincite.storage.sqlite import writes
from pincite.storage.sqlite.commits import Commit, Prepared
from pincite.storage.sqlite.connections import Place, Pool, storage_errors
from pincite.storage.sqlite.files import check_file, make_file
from pincite.storage.sqlite.ledger import SqliteLedger
from pincite.storage.sqlite.transfer import SqliteTransfer
from pincite.storage.sqlite.upkeep import SqliteUpkeep
from pincite.storage.sqlite.view import Snapshot
from pincite.storage.sqlite.watch import Watch
from pincite.storage.sqlite.writer import Writer

_MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - the folder made in it is private


class SqliteStore:
    """One file, one writer at a time, many readers; see :class:`pincite.ports.Store`."""

    def __init__(self, place: Place) -> None:
        """Opens the store at a place, and brings it to the present version.

        Raises:
            StoreUnavailableError: There is none, or it cannot be opened.
        """
        check_file(place)
        self._place = place
        self._pool = Pool(place)
        self._watch = Watch(place)
        self._writer = Writer(place, self._watch.notify, self._let_go)
        self.upkeep = SqliteUpkeep(place, self._writer)
        self.ledger = SqliteLedger(self._writer)
        self.transfer = SqliteTransfer(place, self._writer)

    def view(self) -> Snapshot:
        """Opens a snapshot; what was acknowledged before is in it."""
        return Snapshot(self._pool, self._place)

    def create_knowledge_base(
        self, knowledge_base_id: KnowledgeBaseId, title: str, language: str
    ) -> bool:
        """Makes a knowledge base with an empty log; False if it is there already."""
        return self._writer.run(
            lambda transaction: writes.create_knowledge_base(
                transaction.connection, knowledge_base_id, title, language
            )
        )

    def rename_knowledge_base(self, knowledge_base_id: KnowledgeBaseId, title: str) -> bool:
        """Gives a knowledge base another title; False if there is none of that id.

        Raises:
            DeniedError: It moved to another store.
        """
        return self._writer.run(
            lambda transaction: writes.rename_knowledge_base(
                transaction.connection, knowledge_base_id, title
            )
        )

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        """Saves text, revision, event, receipt and search entry, or nothing.

        Raises:
            NotFoundError: There is no such knowledge base.
        """
        return self._writer.run(Commit(decision, self._prepared(decision), request, at).save)

    def append(
        self, resource: Resource, occurrence: Occurrence, request: Request, at: Stamp
    ) -> Outcome:
        """Appends a host event to a resource's log, which begins with its first event."""
        return self._writer.run(
            lambda transaction: writes.append(
                transaction.connection, resource, occurrence, request, at=at
            )
        )

    def save_token(self, token: Token) -> bool:
        """Keeps a new token; False if its name is taken by a token that still holds."""
        return self._writer.run(
            lambda transaction: writes.save_token(transaction.connection, token)
        )

    def revoke_token(self, name: str, at: Stamp) -> bool:
        """Ends a token at once; False if none of that name holds."""
        return self._writer.run(
            lambda transaction: writes.revoke_token(transaction.connection, name, at)
        )

    def save_imports(
        self, knowledge_base_id: KnowledgeBaseId, records: Sequence[ImportRecord]
    ) -> None:
        """Replaces what importers remember of these paths."""
        self._writer.run(
            lambda transaction: writes.save_imports(
                transaction.connection, knowledge_base_id, records
            )
        )

    def wait(self, seen: int, timeout: float) -> int:
        """Waits until anything was committed since ``seen``, by whichever process."""
        return self._watch.wait(seen, timeout)

    def head(self, resource: Resource) -> int:
        """The log's latest sequence, as cheaply as can be; 0 for a log not begun."""
        with storage_errors(self._place):
            reader = self._pool.take()
            row = reader.connection.execute(
                "SELECT latest FROM log WHERE type = ? AND id = ?", (resource.type, resource.id)
            ).fetchone()
        self._pool.give(reader)
        return 0 if row is None else row[0]

    def _let_go(self) -> None:
        """Forgets what is known of the file: SQLite shares that among a process's connections."""
        self._pool.let_go()
        self._watch.close()

    def _prepared(self, decision: Decision) -> Prepared | None:
        """What the writer need not do while others wait for it."""
        text = decision.article.text
        if text is None or not decision.publishes:
            return None
        with self.view() as view:
            knowledge_base = view.find_knowledge_base(decision.article.knowledge_base_id)
        return None if knowledge_base is None else Prepared.of(text, knowledge_base.language)

    def find_clock(self) -> Stamp | None:
        """None: the file and its servers are on one machine."""
        return None

    def figures(self) -> Mapping[str, int]:
        """Nothing: readers and the writer are this process's own."""
        return {}

    def close(self) -> None:
        """Waits for writes under way and lets go of everything."""
        self._writer.close()
        self._watch.close()
        self._pool.close()


class MemoryStore(SqliteStore):
    """A store that is gone when it is closed, shared by all threads.

    It is a file too, on a disk in memory where the machine has one: a database that SQLite
    itself keeps in memory has no snapshots, so that readers and the writer would wait for
    each other as they never do elsewhere.
    """

    def __init__(self) -> None:
        disk = _MEMORY_DISK if _MEMORY_DISK.is_dir() else None
        # Removes itself when the store is closed or forgotten.
        self._folder = tempfile.TemporaryDirectory(prefix="pincite-", dir=disk)
        place = Place(Path(self._folder.name) / "memory.db", synchronous="off")
        make_file(place)
        super().__init__(place)

    def close(self) -> None:
        """Lets go of everything, for good."""
        super().close()
        self._folder.cleanup()
