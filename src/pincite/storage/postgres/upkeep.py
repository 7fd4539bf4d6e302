"""What an operator does with a PostgreSQL store."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from psycopg import conninfo

from pincite.domain.events import Resource, ResourceType
from pincite.domain.grants import scope_of
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.storage import rows
from pincite.storage.postgres.connections import Connection, Connections
from pincite.storage.postgres.finding import Finder
from pincite.storage.postgres.ledger import forget_quotes, hold
from pincite.storage.postgres.logs import Values
from pincite.storage.postgres.place import schema
from pincite.storage.postgres.proof import contradictions
from pincite.storage.postgres.timeline import current

# A cursor is refused only if something behind it is dropped.
_COMPACT = """
WITH dropped AS (
    DELETE FROM event WHERE log = %(log)s AND sequence <= %(through)s RETURNING sequence
), told AS (
    UPDATE log SET compacted_through = (SELECT max(sequence) FROM dropped)
    WHERE id = %(log)s AND EXISTS (SELECT FROM dropped)
)
SELECT count(*) FROM dropped
"""

# A text was replaced by the next one, or by the deletion of its article. What an answer cites
# is kept: its verdicts need it.
_DROP_REVISIONS = """
UPDATE revision SET title = NULL, passages = NULL, content = NULL
WHERE log = %(log)s AND content IS NOT NULL
AND NOT EXISTS (
    SELECT FROM cited AS c WHERE c.log = revision.log AND c.article = revision.article
    AND c.updated_at = revision.updated_at)
AND EXISTS (
    SELECT FROM article AS a
    WHERE a.log = revision.log AND a.id = revision.article
    AND a.revision IS DISTINCT FROM revision.updated_at
    AND %(before)s > coalesce(
        (SELECT min(later.updated_at) FROM revision AS later
         WHERE later.log = revision.log AND later.article = revision.article
         AND later.updated_at > revision.updated_at),
        a.updated_at))
"""

_OLD_SESSIONS = f"""
SELECT log.id, log.latest FROM log JOIN event AS e ON e.log = log.id AND e.sequence = log.latest
WHERE log.id LIKE '{ResourceType.SESSION}:%%' AND e.at < %s
"""

_ERASE = """
UPDATE article SET state = 'deleted', revision = NULL, erased_at = %(at)s,
    draft_updated_at = NULL, draft_base = NULL, draft_title = NULL, draft_content = NULL
WHERE log = %(log)s AND id = %(article)s AND state IN ('withdrawn', 'deleted')
"""
# The log's row tells every host's index to remove the text from its pages too.
_ERASE_TRACES = (
    """
    UPDATE revision SET title = NULL, passages = NULL, content = NULL, note = NULL
    WHERE log = %(log)s AND article = %(article)s
    """,
    """
    UPDATE imported SET front_matter = '', title = '', details = '{}'
    WHERE log = %(log)s AND article = %(article)s
    """,
    "UPDATE log SET erasures = erasures + 1 WHERE id = %(log)s",
)


class PostgresUpkeep:
    """See :class:`pincite.ports.Upkeep`."""

    def __init__(
        self,
        connections: Connections,
        finder: Finder,
        settings: str,
        back_up: Callable[[Path], None],
    ) -> None:
        self._connections = connections
        self._finder = finder
        self._settings = settings
        self._back_up = back_up

    def compact(self, resource: Resource, through: int) -> int:
        """Drops a log's events up to and including ``through``; returns how many."""
        values: Values = {"log": scope_of(resource), "through": through}
        return self._count(_COMPACT, values)

    def drop_receipts(self, before: Stamp) -> int:
        """Drops receipts earned before a time; returns how many."""
        values: Values = {"before": rows.first_not_before(before)}
        return self._change("DELETE FROM receipt WHERE at < %(before)s", values)

    def drop_revisions(self, knowledge_base_id: KnowledgeBaseId, before: Stamp) -> int:
        """Drops texts replaced before a time; returns how many. Their stamps stay known."""
        values: Values = {"log": knowledge_base_id, "before": rows.first_not_before(before)}

        def work(connection: Connection) -> int:
            with connection.transaction():
                hold(connection, knowledge_base_id)
                return connection.execute(_DROP_REVISIONS, values).rowcount

        return self._connections.run(work)

    def drop_sessions(self, before: Stamp) -> int:
        """Drops the logs of sessions whose last event is older; returns how many.

        What is left is the number that a session's log has reached: should the session go
        on, an old cursor of it is ``cursor_expired`` and not valid for other events.
        """

        def work(connection: Connection) -> int:
            old = connection.execute(_OLD_SESSIONS, (rows.first_not_before(before),)).fetchall()
            for log, latest in old:
                connection.execute(_COMPACT, {"log": log, "through": latest})
            return len(old)

        return self._connections.run(work)

    def erase(self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, at: Stamp) -> bool:
        """Removes every text of a withdrawn or deleted article for good; False if there is none.

        PostgreSQL keeps the old rows until it vacuums them, and its write-ahead log and
        base backups until they are recycled.
        """
        values: Values = {"log": knowledge_base_id, "article": article_id, "at": at.milliseconds}

        def work(connection: Connection) -> bool:
            # Each statement sees what was committed while the one before waited for its lock.
            with connection.transaction():
                hold(connection, knowledge_base_id)
                if not connection.execute(_ERASE, values).rowcount:
                    return False
                for trace in _ERASE_TRACES:
                    connection.execute(trace, values)
                forget_quotes(connection, knowledge_base_id, article_id)
                return True

        return self._connections.run(work)

    def backup(self, target: Path) -> None:
        """Writes a whole copy, as a SQLite store, while others go on writing.

        Raises:
            InvalidInputError: There is something at ``target``.
        """
        self._back_up(target)

    def check(self) -> Sequence[str]:
        """What disagrees between text, revision, event, receipt and search entry; or nothing."""
        return [*self._connections.run(contradictions), *self._finder.disagreements()]

    def describe(self) -> Mapping[str, str]:
        """What people want to know of the store: engine, version, place, schema."""

        def work(connection: Connection) -> Mapping[str, str]:
            return {
                "engine": "PostgreSQL",
                "engine_version": str(connection.info.parameter_status("server_version")),
                "place": _place(self._settings),
                "schema": str(schema().version),
                "timeline": current(connection),
            }

        return self._connections.run(work)

    def _change(self, query: str, values: Values) -> int:
        def work(connection: Connection) -> int:
            return connection.execute(query, values).rowcount

        return self._connections.run(work)

    def _count(self, query: str, values: Values) -> int:
        def work(connection: Connection) -> int:
            return int(connection.execute(query, values).fetchall()[0][0])

        return self._connections.run(work)


def _place(settings: str) -> str:
    """Where the database is, without whatever opens it."""
    said = conninfo.conninfo_to_dict(settings)
    shown = {name: said[name] for name in ("host", "port", "dbname") if said.get(name)}
    return conninfo.make_conninfo("", **shown)
