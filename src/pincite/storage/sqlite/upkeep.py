"""What an operator does with a SQLite store."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw

from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.storage import rows
from pincite.storage.index.fts import SearchIndex
from pincite.storage.sqlite.connections import Place, connect, storage_errors
from pincite.storage.sqlite.files import copy_file, schema
from pincite.storage.sqlite.ledger import forget_quotes
from pincite.storage.sqlite.logs import Log
from pincite.storage.sqlite.proof import disagreements
from pincite.storage.sqlite.writer import Transaction, Writer

# A text was replaced by the next one, or by the deletion of its article. What an answer cites
# is kept: its verdicts need it.
_DROP_REVISIONS = """
UPDATE revision SET title = NULL, passages = NULL, content = NULL
WHERE log = ?1 AND content IS NOT NULL
AND NOT EXISTS (
    SELECT 1 FROM cited AS c WHERE c.log = revision.log AND c.article = revision.article
    AND c.updated_at = revision.updated_at)
AND EXISTS (
    SELECT 1 FROM article AS a
    WHERE a.log = revision.log AND a.id = revision.article
    AND a.revision IS NOT revision.updated_at
    AND ?2 > coalesce(
        (SELECT min(later.updated_at) FROM revision AS later
         WHERE later.log = revision.log AND later.article = revision.article
         AND later.updated_at > revision.updated_at),
        a.updated_at))
"""

_OLD_SESSIONS = f"""
SELECT log.no, log.latest FROM log JOIN event AS e ON e.log = log.no AND e.sequence = log.latest
WHERE log.type = '{ResourceType.SESSION}' AND e.at < ?
"""


class SqliteUpkeep:
    """See :class:`pincite.ports.Upkeep`."""

    def __init__(self, place: Place, writer: Writer) -> None:
        self._place = place
        self._writer = writer

    def compact(self, resource: Resource, through: int) -> int:
        """Drops a log's events up to and including ``through``; returns how many."""

        def work(transaction: Transaction) -> int:
            log = Log.find(transaction.connection, resource)
            return 0 if log is None else log.compact(through)

        return self._writer.run(work)

    def drop_receipts(self, before: Stamp) -> int:
        """Drops receipts earned before a time; returns how many."""
        return self._change("DELETE FROM receipt WHERE at < ?", rows.first_not_before(before))

    def drop_revisions(self, knowledge_base_id: KnowledgeBaseId, before: Stamp) -> int:
        """Drops texts replaced before a time; returns how many. Their stamps stay known."""

        def work(transaction: Transaction) -> int:
            log = Log.find(transaction.connection, Resource.of(knowledge_base_id))
            if log is None:
                return 0
            moment = rows.first_not_before(before)
            log.connection.execute(_DROP_REVISIONS, (log.no, moment))
            return log.connection.changes()

        return self._writer.run(work)

    def drop_sessions(self, before: Stamp) -> int:
        """Drops the logs of sessions whose last event is older; returns how many.

        What is left is the number that a session's log has reached: should the session go
        on, an old cursor of it is ``cursor_expired`` and not valid for other events.
        """

        def work(transaction: Transaction) -> int:
            connection = transaction.connection
            old: list[Any] = connection.execute(
                _OLD_SESSIONS, (rows.first_not_before(before),)
            ).fetchall()
            for log, latest in old:
                Log(connection, log).compact(latest)
            return len(old)

        return self._writer.run(work)

    def erase(self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, at: Stamp) -> bool:
        """Removes every text of a withdrawn or deleted article for good; False if there is none.

        Freed bytes are overwritten (``secure_delete``), and the write-ahead log, which
        still holds them, is emptied once the readers under way are done.

        Raises:
            StoreBusyError: A reader is not done in time. What can be read is erased then;
                erase once more to empty the write-ahead log.
        """
        erased = self._writer.run(
            lambda transaction: _erase(transaction.connection, knowledge_base_id, article_id, at)
        )
        if erased:
            with storage_errors(self._place):
                connection = connect(self._place)
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                connection.close()
        return erased

    def backup(self, target: Path) -> None:
        """Writes a whole copy while others go on writing.

        Raises:
            InvalidInputError: There is something at ``target``.
        """
        copy_file(self._place, Place(target))

    def check(self) -> Sequence[str]:
        """What disagrees between text, revision, event, receipt and search entry; or nothing."""
        with storage_errors(self._place):
            connection = connect(self._place)
            connection.execute("BEGIN")
            found = disagreements(connection)
            connection.close()
        return found

    def describe(self) -> Mapping[str, str]:
        """What people want to know of the store: engine, version, place, schema."""
        return {
            "engine": "SQLite",
            "engine_version": apsw.sqlite_lib_version(),
            "place": str(self._place.path),
            "schema": str(schema().version),
        }

    def _change(self, sql: str, *values: int) -> int:
        def work(transaction: Transaction) -> int:
            transaction.connection.execute(sql, values)
            return transaction.connection.changes()

        return self._writer.run(work)


def _erase(
    connection: apsw.Connection,
    knowledge_base_id: KnowledgeBaseId,
    article_id: ArticleId,
    at: Stamp,
) -> bool:
    """Leaves the id, the stamps, the events, and who published when."""
    log = Log.find(connection, Resource.of(knowledge_base_id))
    if log is None:
        return False
    of_article = (log.no, article_id)
    connection.execute(
        "UPDATE article SET state = 'deleted', revision = NULL, erased_at = ?3"
        " WHERE log = ?1 AND id = ?2 AND state IN ('withdrawn', 'deleted')",
        (*of_article, at.milliseconds),
    )
    if not connection.changes():
        return False
    connection.execute(
        "UPDATE revision SET title = NULL, passages = NULL, content = NULL, note = NULL"
        " WHERE log = ? AND article = ?",
        of_article,
    )
    connection.execute("DELETE FROM draft WHERE log = ? AND article = ?", of_article)
    connection.execute(
        "UPDATE imported SET front_matter = '', title = '', details = '{}'"
        " WHERE log = ? AND article = ?",
        of_article,
    )
    forget_quotes(connection, log.no, article_id)
    SearchIndex(connection).expunge()
    return True
