"""The database of a store: made, recognised, brought up to date."""

import uuid
from functools import cache

from psycopg import errors

from pincite.errors import StoreUnavailableError
from pincite.storage.migrate import Schema
from pincite.storage.postgres import timeline
from pincite.storage.postgres.connections import Connection, connect, connection_settings

OLDEST_POSTGRESQL = 150000
"""PostgreSQL 15, as the driver numbers versions."""

# Held while the schema changes and at no other time: whichever server comes first makes the
# change, the others find it made. The number is any that nobody else uses.
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(71238219, 1)"


@cache
def schema() -> Schema:
    """The schema of this engine."""
    return Schema.of("pincite.storage.postgres")


def make_store(url: str) -> None:
    """Makes an empty store where there is none; leaves one that is there alone.

    Raises:
        StoreUnavailableError: No server answers, or the database cannot hold a store.
    """
    settings = connection_settings(url, target_session_attrs="read-write")
    with connect(settings) as connection, connection.transaction():
        _check_server(connection)
        connection.execute(_ONE_AT_A_TIME)
        if find_version(connection) is None:
            _make_tables(connection)
            connection.execute(
                "INSERT INTO store (one, id, version, timeline) VALUES (1, %s, %s, %s)",
                (uuid.uuid4().hex, schema().version, timeline.current(connection)),
            )


def _make_tables(connection: Connection) -> None:
    try:
        connection.execute(schema().sql)
    except (errors.InsufficientPrivilege, errors.InvalidSchemaName) as error:
        raise StoreUnavailableError(
            f"The role {connection.info.user} may not make tables in the database "
            f"{connection.info.dbname} ({error.diag.message_primary}). Its owner may: "
            f"createdb --owner {connection.info.user} …"
        ) from None


def check_store(settings: str) -> str:
    """Makes sure that a store is there, and brings it to the present version.

    Returns:
        The store's id.

    Raises:
        StoreUnavailableError: There is none, it is of a newer version, or no server answers.
    """
    with connect(settings) as connection:
        _check_server(connection)
        version = find_version(connection)
        if version is None:
            raise StoreUnavailableError(
                "This database is not set up for Pincite. Set it up with: pincite init"
            )
        if schema().lacking(version):
            _migrate(connection)
        return str(connection.execute("SELECT id FROM store").fetchall()[0][0])


def find_version(connection: Connection) -> int | None:
    """The newest migration applied; None if there is no store."""
    try:
        with connection.transaction():
            row = connection.execute("SELECT version FROM store").fetchone()
    except errors.UndefinedTable:
        return None
    return None if row is None else int(row[0])


def _migrate(connection: Connection) -> None:
    with connection.transaction():
        connection.execute(_ONE_AT_A_TIME)
        for migration in schema().lacking(find_version(connection) or 0):
            connection.execute(migration.sql)
            connection.execute("UPDATE store SET version = %s", (migration.number,))


def _check_server(connection: Connection) -> None:
    if connection.info.server_version < OLDEST_POSTGRESQL:
        raise StoreUnavailableError(
            "Pincite needs PostgreSQL 15 or later; "
            f"this is {connection.info.parameter_status('server_version')}."
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnavailableError(
            f"The database's encoding must be UTF8; it is {encoding}. "
            "Make one with: createdb --encoding UTF8 --template template0"
        )
