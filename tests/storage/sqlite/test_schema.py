"""The schema, and how an older file comes to it."""

from pathlib import Path

import apsw

from pincite.domain.edits import SaveDraft
from pincite.domain.texts import Text
from pincite.storage import open_store
from pincite.storage.sqlite.files import schema
from pincite.storage.sqlite.store import SqliteStore
from tests.storage.sqlite.filling import filled
from tests.storage.writing import HANDBOOK, events


def test_numbered_migrations_make_what_the_schema_says() -> None:
    made, migrated = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    made.execute(schema().sql)
    for migration in schema().migrations:
        migrated.execute(migration.sql)
    tables = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    assert migrated.execute(tables).fetchall() == made.execute(tables).fetchall()
    assert [migration.number for migration in schema().migrations] == [1, 2, 3]
    assert len(made.execute(tables).fetchall()) > 12


def test_every_table_is_strict_and_has_the_resource_in_front_of_its_key() -> None:
    made = apsw.Connection(":memory:")
    made.execute(schema().sql)
    tables = made.execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'")
    strict = {name: bool(is_strict) for name, is_strict in tables if name != "sqlite_schema"}
    assert set(strict.values()) == {True}
    first = {
        table: made.execute("SELECT name FROM pragma_table_info(?) WHERE pk = 1", (table,)).get
        for table in strict
    }
    assert {table for table, column in first.items() if column != "log"} == {
        "store",
        "log",
        "token",
    }


def test_an_older_store_is_brought_to_the_present_version(path: Path) -> None:
    author = filled(path)
    drafted = SaveDraft(None, author.stamp("leave"), Text("A title", "Draft.\n"))
    author.saved("leave", drafted)
    before = author.find("leave")
    author.store.close()
    connection = apsw.Connection(str(path))
    for table in ("rests_on", "cited", "answer", "ledger"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ALTER TABLE article DROP COLUMN drafted_at")
    connection.execute("UPDATE store SET version = 1")
    connection.close()
    store = open_store(str(path))
    assert store.upkeep.check() == []
    assert len(events(store)) == 1
    assert author.at(store).find("leave") == before
    store.close()
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT version FROM store").get == 3
    assert connection.execute("SELECT count(*) FROM ledger").get == 0


def test_an_index_of_an_older_analysis_is_made_anew_at_opening(path: Path) -> None:
    author = filled(path)
    author.store.close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE store SET analysis = 0; UPDATE search_entry SET digest = x'00'")
    connection.close()
    store = open_store(str(path))
    assert store.upkeep.check() == []
    with store.view() as view:
        assert [hit.article_id for hit in view.search(HANDBOOK, "first", 5)] == ["leave"]
    store.close()


def test_the_store_describes_itself(path: Path) -> None:
    author = filled(path)
    assert author.store.upkeep.describe() == {
        "engine": "SQLite",
        "engine_version": "3.54.1",
        "place": str(path),
        "schema": "3",
    }
    author.store.close()


def test_a_write_is_on_the_disk_before_it_is_acknowledged(path: Path) -> None:
    author = filled(path)
    store = author.store
    assert isinstance(store, SqliteStore)
    settings = ("synchronous", "journal_mode", "foreign_keys", "secure_delete")
    found = store._writer.run(lambda t: [t.connection.pragma(name) for name in settings])
    assert found == [2, "wal", 1, 1]
    store.close()
