"""A store in one PostgreSQL database."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from pincite.domain.articles import Article, ImportRecord
from pincite.domain.decide import Decision
from pincite.domain.edits import Request
from pincite.domain.events import Occurrence, Resource
from pincite.domain.grants import Token, scope_of
from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.ports import Committed, Outcome, Stale
from pincite.storage import rows
from pincite.storage.index.follower import Follower
from pincite.storage.postgres import writes
from pincite.storage.postgres.commits import Commit
from pincite.storage.postgres.connections import Connection, Connections, connection_settings
from pincite.storage.postgres.finding import Finder
from pincite.storage.postgres.ledger import PostgresLedger
from pincite.storage.postgres.listen import Bell
from pincite.storage.postgres.place import check_store
from pincite.storage.postgres.replica import Replica
from pincite.storage.postgres.timeline import Greeter, now
from pincite.storage.postgres.transfer import PostgresTransfer
from pincite.storage.postgres.upkeep import PostgresUpkeep
from pincite.storage.postgres.view import PostgresView, Surroundings, opened
from pincite.storage.postgres.writer import Writer
from pincite.storage.transfer import Transfer

POOL_SIZE = 16
"""The most connections that one process opens for its calls."""


class PostgresStore:
    """One database, any number of servers; see :class:`pincite.ports.Store`."""

    def __init__(
        self,
        url: str,
        index_folder: Path,
        back_up: Callable[[Transfer, Path], None],
        *,
        read_url: str | None = None,
        pool_size: int = POOL_SIZE,
    ) -> None:
        """Opens the store at a URL, and brings it to the present version.

        Args:
            url: Where the database is, as libpq reads it.
            index_folder: Where this host keeps its search indexes.
            back_up: Writes all that a transfer reads to a file.
            read_url: Where a replica of the database is, that may lag.
            pool_size: The most connections for calls.

        Raises:
            StoreUnavailableError: There is none, or no server answers.
        """
        settings = connection_settings(url, target_session_attrs="read-write")
        store_id = check_store(settings)
        self._connections = Connections(settings, Greeter().greet, size=pool_size)
        self._bell = Bell(settings)
        self._writer = Writer(self._connections, self._bell)
        self.ledger = PostgresLedger(self._writer)
        follower = Follower(index_folder, store_id)
        replica = Replica(connection_settings(read_url), size=pool_size) if read_url else None
        finder = Finder(follower, self._connections, self._bell)
        self._around = Surroundings(self._connections, finder, replica)
        self.transfer = PostgresTransfer(self._connections)
        self.upkeep = PostgresUpkeep(
            self._connections, finder, settings, partial(back_up, self.transfer)
        )

    def view(self) -> AbstractContextManager[PostgresView]:
        """Opens a snapshot; what was acknowledged before is in it."""
        return opened(self._around)

    def create_knowledge_base(
        self, knowledge_base_id: KnowledgeBaseId, title: str, language: str
    ) -> bool:
        """Makes a knowledge base with an empty log; False if it is there already."""
        return self._writer.run(
            lambda connection: writes.create_knowledge_base(
                connection, knowledge_base_id, title, language
            )
        )

    def rename_knowledge_base(self, knowledge_base_id: KnowledgeBaseId, title: str) -> bool:
        """Gives a knowledge base another title; False if there is none of that id.

        Raises:
            DeniedError: It moved to another store.
        """
        return self._writer.run(
            lambda connection: writes.rename_knowledge_base(connection, knowledge_base_id, title)
        )

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        """Saves text, revision, event, receipt and search entry, or nothing.

        Raises:
            NotFoundError: There is no such knowledge base.
            DeniedError: It moved to another store.
        """
        commit = Commit.of(decision, request, at)
        tries = 0

        def work(connection: Connection) -> Outcome:
            nonlocal tries
            tries += 1
            return commit.save(connection)

        outcome = self._writer.run(work)
        if isinstance(outcome, Stale) and tries > 1 and request.key is None:
            return self._own_work(decision) or outcome
        return outcome

    def append(
        self, resource: Resource, occurrence: Occurrence, request: Request, at: Stamp
    ) -> Outcome:
        """Appends a host event to a resource's log, which begins with its first event."""
        return self._writer.run(
            lambda connection: writes.append(connection, resource, occurrence, request, at),
            resend=request.key is not None,
        )

    def save_token(self, token: Token) -> bool:
        """Keeps a new token; False if its name is taken by a token that still holds."""
        return self._writer.run(lambda connection: writes.save_token(connection, token))

    def revoke_token(self, name: str, at: Stamp) -> bool:
        """Ends a token at once; False if none of that name holds."""
        return self._writer.run(lambda connection: writes.revoke_token(connection, name, at))

    def save_imports(
        self, knowledge_base_id: KnowledgeBaseId, records: Sequence[ImportRecord]
    ) -> None:
        """Replaces what importers remember of these paths."""
        self._writer.run(
            lambda connection: writes.save_imports(connection, knowledge_base_id, records)
        )

    def wait(self, seen: int, timeout: float) -> int:
        """Waits until anything was committed since ``seen``, by whichever process."""
        return self._bell.wait(seen, timeout)

    def head(self, resource: Resource) -> int:
        """The log's latest sequence, as cheaply as can be; 0 for a log not begun."""

        def work(connection: Connection) -> rows.Row | None:
            query = "SELECT latest FROM log WHERE id = %s"
            return connection.execute(query, (scope_of(resource),)).fetchone()

        row = self._connections.run(work)
        return 0 if row is None else row[0]

    def find_clock(self) -> Stamp | None:
        """The database's clock."""
        return self._connections.run(now)

    def figures(self) -> Mapping[str, int]:
        """How the connections fare, for metrics; the names are the pool's."""
        return self._connections.figures()

    def close(self) -> None:
        """Waits for writes under way and lets go of everything."""
        self._bell.close()
        self._around.finder.close()
        if self._around.replica is not None:
            self._around.replica.close()
        self._connections.close()

    def _own_work(self, decision: Decision) -> Outcome | None:
        """A write without a key, whose connection was lost, may have been saved all the same.

        Stamps never repeat, so an article that stands just as this decision leaves it is its
        work.
        """
        wanted = decision.article
        with self.view() as view:
            found = view.find_article(wanted.knowledge_base_id, wanted.article_id)
        if found is None or _text_and_version(found) != _text_and_version(wanted):
            return None
        return Committed(rows.receipt_of(decision, found.sequence if decision.event else None))


def _text_and_version(article: Article) -> tuple[object, ...]:
    return article.version, article.text, article.draft
