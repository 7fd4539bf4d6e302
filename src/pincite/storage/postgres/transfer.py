"""Everything that a PostgreSQL store holds, read and written in bulk."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from psycopg import errors

from pincite.domain.ids import KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.storage.postgres.connections import Connection, Connections
from pincite.storage.postgres.timeline import break_off
from pincite.storage.rows import Row
from pincite.storage.transfer import LOG_TABLES, STORE_TABLES, Part

_BATCH = 500
"""Rows that are on their way at once."""

_DRAFT_COLUMNS = ("id", "draft_updated_at", "draft_base", "draft_title", "draft_content")

_HOLD = """
SELECT sealed FROM log JOIN knowledge_base ON knowledge_base.log = log.id
WHERE log.id = %s FOR UPDATE OF log
"""

_HOLDS_SOMETHING = "SELECT EXISTS (SELECT FROM log) OR EXISTS (SELECT FROM token)"

_RECEIVED = """
UPDATE log SET
    articles = (SELECT coalesce(max(no), 0) FROM article WHERE article.log = log.id),
    published = (SELECT count(*) FROM article WHERE article.log = log.id AND state = 'published')
WHERE id = ANY(%s)
"""

_COUNTED = "log, knowledge_base, article, revision, event, receipt, answer, cited, rests_on"


class PostgresTransfer:
    """See :class:`pincite.storage.transfer.Transfer`."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def seal(self, knowledge_base_id: KnowledgeBaseId, *, sealed: bool) -> bool | None:
        """Lets a knowledge base take no more writes, or take them again."""

        def work(connection: Connection) -> bool | None:
            with connection.transaction():
                # Waits for each write under way, those that take no number too: a plain
                # UPDATE would let those go on, since they hold no more than a key's lock.
                before = connection.execute(_HOLD, (knowledge_base_id,)).fetchone()
                connection.execute(
                    "UPDATE log SET sealed = %s WHERE id = %s", (sealed, knowledge_base_id)
                )
                return None if before is None else bool(before[0])

        return self._connections.run(work)

    @contextmanager
    def reading(self, knowledge_base_id: KnowledgeBaseId | None) -> Iterator[Iterable[Part]]:
        """One snapshot of a knowledge base, or of everything."""
        connection, _ = self._connections.hold(
            lambda one: one.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        )
        try:
            yield _parts(connection, knowledge_base_id)
        finally:
            self._connections.end(connection)

    def write(self, parts: Iterable[Part]) -> None:
        """Writes what another store read, whole or not at all."""

        def work(connection: Connection) -> None:
            with connection.transaction():
                _receive(connection, parts)

        self._write(work)

    def restore(self, parts: Iterable[Part], now: Stamp) -> None:
        """Writes a whole backup; its logs go on beyond a gap, under a new epoch."""

        def work(connection: Connection) -> None:
            with connection.transaction():
                connection.execute("LOCK TABLE log, token IN ACCESS EXCLUSIVE MODE")
                if connection.execute(_HOLDS_SOMETHING).fetchall() != [(False,)]:
                    raise InvalidInputError(
                        "The database holds something of Pincite already.",
                        field="db",
                        limit="an empty database",
                    )
                _receive(connection, parts)
                break_off(connection, now)

        self._write(work)

    def _write(self, work: Callable[[Connection], None]) -> None:
        try:
            self._connections.run(work, resend=False)
        except errors.UniqueViolation as error:
            raise InvalidInputError(
                f"The target holds a part of this already: {error.diag.message_detail}",
                field="target",
                limit="a database without it",
            ) from None


def _receive(connection: Connection, parts: Iterable[Part]) -> None:
    scopes = [part.scope for part in parts if _write(connection, part)]
    connection.execute(_RECEIVED, (scopes,))
    # PostgreSQL would count by itself within minutes; until then it takes a large knowledge
    # base for a small one, and reads all of it where an index is there to be asked.
    connection.execute(f"ANALYZE {_COUNTED}")


def _parts(connection: Connection, scope: str | None) -> Iterator[Part]:
    tables = list(STORE_TABLES) if scope is None else ["store"]
    for table in tables:
        query = f"SELECT {', '.join(STORE_TABLES[table])} FROM {table} ORDER BY 1"
        yield Part("", table, _stream(connection, query))
    scopes: list[str] = [] if scope is None else [scope]
    if scope is None:
        scopes = [row[0] for row in connection.execute("SELECT id FROM log ORDER BY id")]
    for one in scopes:
        for table in LOG_TABLES:
            yield Part(one, table, _stream(connection, _query(table), one))


def _query(table: str) -> str:
    columns: Sequence[str] = LOG_TABLES[table]
    if table == "log":
        return f"SELECT {', '.join(columns)} FROM log WHERE id = %s"
    if table == "knowledge_base":
        return (
            "SELECT title, language, sealed FROM log JOIN knowledge_base ON log = id WHERE id = %s"
        )
    if table == "draft":
        return (
            f"SELECT {', '.join(_DRAFT_COLUMNS)} FROM article"
            " WHERE log = %s AND draft_updated_at IS NOT NULL ORDER BY id"
        )
    # The first two columns hold each table's key, or more.
    return f"SELECT {', '.join(columns)} FROM {table} WHERE log = %s ORDER BY {_order(columns)}"


def _order(columns: Sequence[str]) -> str:
    return ", ".join(str(place) for place, _ in enumerate(columns[:3], 1))


def _stream(connection: Connection, query: str, *values: str) -> Iterator[Row]:
    """Rows that are fetched as they are wanted, so that none need fit in memory together."""
    with connection.cursor("stream") as cursor:
        cursor.itersize = _BATCH
        yield from cursor.execute(query, values)


def _write(connection: Connection, part: Part) -> bool:
    """Writes a part; returns whether it begins a log."""
    match part.table:
        case "store":
            connection.cursor().executemany(
                "UPDATE store SET stamp_floor = greatest(stamp_floor, %s)", list(part.rows)
            )
        case "knowledge_base":
            _write_knowledge_base(connection, part)
        case "draft":
            _write_drafts(connection, part)
        case "cited":
            columns = (*LOG_TABLES["cited"], "digest")
            quote = columns.index("quote")
            digested = ((*row, _digest(row[quote])) for row in part.rows)
            _copy(connection, Part(part.scope, "cited", digested), columns)
        case table:
            _copy(connection, part, {**LOG_TABLES, **STORE_TABLES}[table])
    return part.table == "log"


def _copy(connection: Connection, part: Part, columns: Sequence[str]) -> None:
    """Appends rows in bulk, with the log's name in front."""
    named = () if not part.scope else ("id" if part.table == "log" else "log",)
    lead = (part.scope,) if part.scope else ()
    into = f"COPY {part.table} ({', '.join((*named, *columns))}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(into) as copy:
        for row in part.rows:
            copy.write_row((*lead, *row))


def _write_knowledge_base(connection: Connection, part: Part) -> None:
    for title, language, sealed in part.rows:
        connection.execute(
            "INSERT INTO knowledge_base (log, title, language) VALUES (%s, %s, %s)",
            (part.scope, title, language),
        )
        connection.execute("UPDATE log SET sealed = %s WHERE id = %s", (bool(sealed), part.scope))


def _write_drafts(connection: Connection, part: Part) -> None:
    connection.cursor().executemany(
        "UPDATE article SET draft_updated_at = %s, draft_base = %s, draft_title = %s,"
        " draft_content = %s WHERE log = %s AND id = %s",
        [(*draft, part.scope, article) for article, *draft in part.rows],
    )


def _digest(quote: str) -> str:
    return hashlib.sha256(quote.encode()).hexdigest()
