"""The file of a SQLite store: made, recognised, brought up to date."""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from pincite.domain.events import sequence_after_restore
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError, StoreUnavailableError
from pincite.storage.index.entries import ANALYSIS
from pincite.storage.index.fts import SearchIndex
from pincite.storage.migrate import Schema
from pincite.storage.sqlite.connections import OLDEST_SQLITE, Place, connect, storage_errors
from pincite.storage.sqlite.indexing import is_current, make_index_anew
from pincite.storage.sqlite.logs import new_epoch

APPLICATION_ID = 0x50494E43
"""``PINC`` in the file's header: what tells a store from other SQLite databases."""

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file (sqlite.org/tempfiles.html)."""

_HEADER = b"SQLite format 3\0"  # sqlite.org/fileformat.html, section 1.3.1
_MAKE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


@cache
def schema() -> Schema:
    """The schema of this engine."""
    return Schema.of("pincite.storage.sqlite")


def make_file(place: Place) -> None:
    """Makes an empty store where there is none; leaves one that is there alone.

    Raises:
        StoreUnavailableError: Something else is there, or nothing can be.
    """
    _check_header(place)
    with storage_errors(place):
        connection = connect(place, _MAKE)
        if _is_empty(connection):
            connection.execute("PRAGMA journal_mode=wal").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            if _is_empty(connection):
                connection.execute(schema().sql)
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
                connection.execute(
                    "INSERT INTO store (only, version, analysis) VALUES (1, ?, ?)",
                    (schema().version, ANALYSIS),
                )
                SearchIndex(connection).create()
            connection.execute("COMMIT")
        connection.close()


def check_file(place: Place) -> None:
    """Makes sure that a store is there, and brings it to the present version.

    Raises:
        StoreUnavailableError: There is none, it is of a newer version, or it cannot be opened.
    """
    _check_engine()
    if not place.path.exists():
        raise StoreUnavailableError(
            f"There is no database at {place.path}. Make one with: pincite init --db {place.path}"
        )
    _check_header(place)
    with storage_errors(place):
        connection = connect(place)
        _recognise(connection, place)
        if schema().lacking(_version(connection)) or not is_current(connection):
            _migrate(connection)
        if connection.pragma("journal_mode") != "wal":
            connection.pragma("journal_mode", "wal")
        connection.close()


def copy_file(place: Place, target: Place) -> None:
    """Writes a whole copy of a store while others go on writing to it.

    ``VACUUM INTO`` copies one snapshot. SQLite's backup interface begins again whenever
    another process writes, which may be always, and copies pages that are free.

    Raises:
        InvalidInputError: There is something at the target.
        StoreUnavailableError: A removed store left files there.
    """
    _refuse_taken(target)
    part = target.path.with_name(f"{target.path.name}.part")
    part.unlink(missing_ok=True)  # left by a process that was killed
    with storage_errors(place):
        connection = connect(place)
    try:
        with storage_errors(target):
            connection.execute("VACUUM INTO ?", (str(part),))
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        _give_name(part, target.path)
    finally:
        connection.close()
        part.unlink(missing_ok=True)


def restore_file(backup: Place, place: Place, now: Stamp, *, revoke_tokens: bool = False) -> None:
    """Makes a store of a backup, whose logs go on beyond a gap under a new epoch (EV-6).

    Nothing of it can be opened before its tokens are revoked, if that is wanted.

    Raises:
        InvalidInputError: There is something at the place.
        StoreUnavailableError: The backup is none, or a removed store left files at the place.
    """
    if not backup.path.exists():
        raise StoreUnavailableError(f"There is no backup at {backup.path}.")
    _check_header(backup)
    with storage_errors(backup):
        _recognise(connect(backup), backup)
    _refuse_taken(place)
    # Until its logs are broken off, nobody may take the copy for the store.
    unfinished = replace(place, path=place.path.with_name(f"{place.path.name}.restoring"))
    for ending in ("", *BESIDE):
        unfinished.path.with_name(unfinished.path.name + ending).unlink(missing_ok=True)
    copy_file(backup, unfinished)
    check_file(unfinished)
    with storage_errors(unfinished):
        connection = connect(unfinished)
        connection.execute("BEGIN IMMEDIATE")
        _break_off(connection, now)
        if revoke_tokens:
            connection.execute(
                "UPDATE token SET revoked_at = ? WHERE revoked_at IS NULL", (now.milliseconds,)
            )
        connection.execute("COMMIT")
        connection.close()  # the last one, so that the write-ahead log is in the file
    _give_name(unfinished.path, place.path)


def _refuse_taken(place: Place) -> None:
    """Refuses a name that is taken, also by what is left of a store that was removed.

    SQLite would take an old write-ahead log for the new file's and write it into it.
    """
    if place.path.exists():
        raise InvalidInputError(
            f"{place.path} is there already.", field="target", limit="a new file"
        )
    for ending in BESIDE:
        left = place.path.with_name(place.path.name + ending)
        if left.exists():
            raise StoreUnavailableError(f"{left} is left of another database; move it away.")


def _give_name(file: Path, name: Path) -> None:
    """Moves a whole file to its place, and has the folder remember it."""
    file.rename(name)
    folder = os.open(name.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _break_off(connection: apsw.Connection, now: Stamp) -> None:
    """Keeps old cursors and stamps from being taken for new ones."""
    logs: list[Any] = connection.execute("SELECT no, latest FROM log").fetchall()
    for log, latest in logs:
        first = sequence_after_restore(latest, now)
        connection.execute("INSERT INTO gap VALUES (?, ?, ?)", (log, latest, first))
        connection.execute(
            "UPDATE log SET latest = ?, epoch = ? WHERE no = ?", (first - 1, new_epoch(), log)
        )
    connection.execute(
        "UPDATE store SET stamp_floor = (SELECT max(at) FROM (SELECT ? AS at"
        " UNION ALL SELECT stamp_floor FROM store UNION ALL SELECT updated_at FROM article"
        " UNION ALL SELECT updated_at FROM revision UNION ALL SELECT drafted_at FROM article))",
        (now.milliseconds,),
    )


def _check_engine() -> None:
    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        oldest = ".".join(str(part) for part in OLDEST_SQLITE)
        raise StoreUnavailableError(f"Pincite needs SQLite {oldest} or later; this is {version}.")


def _check_header(place: Place) -> None:
    """Refuses a file that SQLite would take for an empty database because it is so short."""
    if not place.path.exists():
        return
    try:
        with place.path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise StoreUnavailableError(
            f"The database cannot be opened; look at its path and permissions. ({place.path})"
        ) from error
    if header not in {b"", _HEADER}:
        raise StoreUnavailableError(f"The file is no SQLite database. ({place.path})")


def _recognise(connection: apsw.Connection, place: Place) -> None:
    if connection.pragma("application_id") != APPLICATION_ID:
        raise StoreUnavailableError(f"{place.path} is a SQLite database, but not one of Pincite's.")


def _migrate(connection: apsw.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for migration in schema().lacking(_version(connection)):
        connection.execute(migration.sql)
        connection.execute("UPDATE store SET version = ?", (migration.number,))
    if not is_current(connection):
        make_index_anew(connection)
    connection.execute("COMMIT")


def refuse_newer(connection: apsw.Connection) -> None:
    """Keeps this Pincite from writing what a newer one, in another process, has migrated.

    Raises:
        StoreUnavailableError: It has.
    """
    schema().lacking(_version(connection))


def _version(connection: apsw.Connection) -> int:
    version: int = connection.execute("SELECT version FROM store").get
    return version


def _is_empty(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None
