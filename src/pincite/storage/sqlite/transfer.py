"""Everything that a SQLite store holds, read and written in bulk."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import apsw

from pincite.domain.events import Resource
from pincite.domain.ids import KnowledgeBaseId
from pincite.errors import InvalidInputError
from pincite.storage.rows import Row
from pincite.storage.sqlite.connections import Place, connect, storage_errors
from pincite.storage.sqlite.indexing import make_index_of
from pincite.storage.sqlite.logs import Log
from pincite.storage.sqlite.writer import Transaction, Writer
from pincite.storage.transfer import LOG_TABLES, STORE_TABLES, Part, resource_of

_ALL_LOGS = """
SELECT CASE type WHEN 'knowledge_base' THEN id ELSE type || ':' || id END, no FROM log ORDER BY 1
"""


class SqliteTransfer:
    """See :class:`pincite.storage.transfer.Transfer`."""

    def __init__(self, place: Place, writer: Writer) -> None:
        self._place = place
        self._writer = writer

    def seal(self, knowledge_base_id: KnowledgeBaseId, *, sealed: bool) -> bool | None:
        """Lets a knowledge base take no more writes, or take them again."""

        def work(transaction: Transaction) -> bool | None:
            log = Log.find(transaction.connection, Resource.of(knowledge_base_id))
            if log is None:
                return None
            before: int = log.connection.execute(
                "SELECT sealed FROM knowledge_base WHERE log = ?", (log.no,)
            ).get
            log.connection.execute(
                "UPDATE knowledge_base SET sealed = ? WHERE log = ?", (sealed, log.no)
            )
            return bool(before)

        return self._writer.run(work)

    @contextmanager
    def reading(self, knowledge_base_id: KnowledgeBaseId | None) -> Iterator[Iterable[Part]]:
        """One snapshot of a knowledge base, or of everything."""
        with storage_errors(self._place):
            connection = connect(self._place)
            try:
                connection.execute("BEGIN")
                yield _parts(connection, knowledge_base_id)
            finally:
                connection.close()

    def write(self, parts: Iterable[Part]) -> None:
        """Writes what another store read, whole or not at all."""

        def work(transaction: Transaction) -> None:
            connection = transaction.connection
            logs: dict[str, int] = {}
            for part in parts:
                if part.table == "log":
                    logs[part.scope] = _begin(connection, part)
                else:
                    _write(connection, part, logs.get(part.scope))
            for number in logs.values():
                _count_published(connection, number)
                make_index_of(connection, number)

        self._writer.run(work)


def _parts(connection: apsw.Connection, scope: str | None) -> Iterator[Part]:
    tables = list(STORE_TABLES) if scope is None else ["store"]
    for table in tables:
        query = f"SELECT {', '.join(STORE_TABLES[table])} FROM {table} ORDER BY 1"
        yield Part("", table, connection.execute(query))
    logs: list[Any] = connection.execute(_ALL_LOGS).fetchall()
    for one, number in logs:
        if scope in (None, one):
            for table, columns in LOG_TABLES.items():
                key = "no" if table == "log" else "log"
                order = ", ".join(str(place) for place, _ in enumerate(columns[:3], 1))
                query = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} = ? ORDER BY {order}"
                yield Part(one, table, connection.execute(query, (number,)))


def _begin(connection: apsw.Connection, part: Part) -> int:
    resource = resource_of(part.scope)
    if Log.find(connection, resource) is not None:
        raise InvalidInputError(
            f"The target holds {part.scope} already.", field="target", limit="a database without it"
        )
    for epoch, latest, compacted_through in part.rows:
        connection.execute(
            "INSERT INTO log (type, id, epoch, latest, compacted_through) VALUES (?, ?, ?, ?, ?)",
            (resource.type, resource.id, epoch, latest, compacted_through),
        )
    return connection.last_insert_rowid()


def _write(connection: apsw.Connection, part: Part, log: int | None) -> None:
    if part.table == "store":
        connection.executemany(
            "UPDATE store SET stamp_floor = nullif(max(ifnull(stamp_floor, 0), ifnull(?, 0)), 0)",
            part.rows,
        )
        return
    columns = [*LOG_TABLES.get(part.table, ()), *STORE_TABLES.get(part.table, ())]
    values: Iterable[Row] = part.rows
    if log is not None:
        columns.insert(0, "log")
        values = ((log, *row) for row in part.rows)
    marks = ", ".join("?" * len(columns))
    connection.executemany(
        f"INSERT INTO {part.table} ({', '.join(columns)}) VALUES ({marks})", values
    )


def _count_published(connection: apsw.Connection, log: int) -> None:
    connection.execute(
        "UPDATE knowledge_base SET published ="
        " (SELECT count(*) FROM article WHERE article.log = ?1 AND state = 'published')"
        " WHERE log = ?1",
        (log,),
    )
