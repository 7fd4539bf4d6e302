"""Notices that the database is not the one that gave out the latest numbers (EV-6).

PostgreSQL begins a new timeline when a standby is promoted and when a backup is restored to
a point in time. Either may have lost events that were acknowledged, and nobody can tell
whether it did: a synchronous standby has all of them, an asynchronous one need not. So each
connection compares the timeline before its first use, and the first on a new one lets every
log go on beyond a gap, under a new epoch. A cursor at or before the log's end stays good.
"""

from pincite.domain.events import sequence_after_restore
from pincite.domain.stamps import Stamp
from pincite.errors import StoreUnavailableError
from pincite.storage import rows
from pincite.storage.postgres.connections import Connection
from pincite.storage.postgres.logs import new_epoch

# The first eight digits of a log file's name are its timeline. A session that would not wait
# for the disk is told to: what Pincite acknowledges is durable. The time-outs keep one lost
# client from holding a row for long.
_GREETING = """
SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), timeline,
    (pg_control_system()).system_identifier,
    CASE current_setting('synchronous_commit')
        WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END,
    set_config('lock_timeout', '5s', false),
    set_config('idle_in_transaction_session_timeout', '60s', false)
FROM store
"""

_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_LATEST_STAMP = """
SELECT max(at) FROM (SELECT %s::bigint AS at UNION ALL SELECT stamp_floor FROM store
UNION ALL SELECT max(updated_at) FROM article UNION ALL SELECT max(drafted_at) FROM article
UNION ALL SELECT max(updated_at) FROM revision) AS stamps
"""


class Greeter:
    """Prepares new connections, and remembers how far the database has come.

    A former primary that comes back would still take writes, for a while, that nobody keeps.
    """

    def __init__(self) -> None:
        self._newest: dict[int, str] = {}

    def greet(self, connection: Connection) -> None:
        """Prepares a new connection to a server that takes writes.

        Raises:
            StoreUnavailableError: There is no store in this database, or it is a former primary.
        """
        timeline, known, system, *_ = _one(connection, _GREETING)
        if timeline < self._newest.get(system, ""):
            connection.close()
            raise StoreUnavailableError("This PostgreSQL server was overtaken by another.")
        if timeline != known:
            continue_on(connection, timeline)
        self._newest[system] = timeline


def current(connection: Connection) -> str:
    """The timeline that the server writes."""
    query = "SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)"
    return str(_one(connection, query)[0])


def now(connection: Connection) -> Stamp:
    """The database's clock, which all servers share."""
    return Stamp(_one(connection, _NOW)[0])


def continue_on(connection: Connection, timeline: str) -> None:
    """Breaks the logs off for a new timeline, unless another connection did so before."""
    with connection.transaction():
        (known,) = _one(connection, "SELECT timeline FROM store FOR UPDATE")
        if known != timeline:
            break_off(connection, now(connection))
            connection.execute("UPDATE store SET timeline = %s", (timeline,))


def break_off(connection: Connection, at: Stamp) -> None:
    """Keeps old cursors and stamps from being taken for new ones; within a transaction."""
    gaps, ends = [], []
    for log, latest in connection.execute("SELECT id, latest FROM log FOR UPDATE").fetchall():
        first = sequence_after_restore(latest, at)
        gaps.append((log, latest, first))
        ends.append((first - 1, new_epoch(), log))
    cursor = connection.cursor()
    cursor.executemany("INSERT INTO gap (log, after, next) VALUES (%s, %s, %s)", gaps)
    cursor.executemany("UPDATE log SET latest = %s, epoch = %s WHERE id = %s", ends)
    (floor,) = _one(connection, _LATEST_STAMP, at.milliseconds)
    connection.execute("UPDATE store SET stamp_floor = %s", (floor,))


def _one(connection: Connection, query: str, *values: int) -> rows.Row:
    row = connection.execute(query, values or None).fetchone()
    if row is None:
        raise StoreUnavailableError("This database is not set up for Pincite.")
    return row
