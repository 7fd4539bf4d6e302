"""The schema is made once, by whichever server comes first, and is what the migrations make."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest

from pincite.domain.edits import SaveDraft
from pincite.domain.texts import Text
from pincite.errors import StoreUnavailableError
from pincite.storage import create_store, open_store
from pincite.storage.postgres.place import schema
from tests.postgres_cluster import USER, Cluster
from tests.storage.writing import HANDBOOK, Author

STRUCTURE = """
SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default
FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT tablename, indexname, indexdef, NULL, NULL, NULL
FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), NULL, NULL, NULL
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT relname, array_to_string(reloptions, ','), NULL, NULL, NULL, NULL
FROM pg_class WHERE relnamespace = 'public'::regnamespace
ORDER BY 1, 2, 3
"""

OPEN = """
import sys
from pathlib import Path
from pincite.storage import create_store
create_store(sys.argv[1], index_folder=Path(sys.argv[2])).close()
"""


def structure(url: str) -> Sequence[object]:
    with psycopg.connect(url) as connection:
        return connection.execute(STRUCTURE).fetchall()


def test_the_migrations_make_what_the_schema_says(postgres: Cluster, tmp_path: Path) -> None:
    made, migrated = postgres.new_database(), postgres.new_database()
    create_store(made, index_folder=tmp_path).close()
    with psycopg.connect(migrated) as connection:
        for migration in schema().migrations:
            connection.execute(migration.sql)
    assert structure(migrated) == structure(made)
    assert [migration.number for migration in schema().migrations] == [1, 2]
    assert len(structure(made)) > 90


def test_every_key_begins_with_the_log_that_the_row_belongs_to(
    postgres: Cluster, tmp_path: Path
) -> None:
    url = postgres.new_database()
    create_store(url, index_folder=tmp_path).close()
    with psycopg.connect(url) as connection:
        indexes = connection.execute(
            "SELECT c.relname, a.attname FROM pg_index AS i"
            " JOIN pg_class AS c ON c.oid = i.indexrelid"
            " JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
            " WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1"
        ).fetchall()
    assert len(indexes) == 18
    assert [index for index in indexes if index[1] != "log"] == [
        ("log_pkey", "id"),
        ("store_pkey", "one"),
        ("token_pkey", "digest"),
    ]


def test_text_is_compared_by_its_bytes_whatever_the_database_prefers(
    postgres: Cluster, tmp_path: Path
) -> None:
    url = postgres.new_database()
    create_store(url, index_folder=tmp_path).close()
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND data_type = 'text'"
            " AND collation_name IS DISTINCT FROM 'C'"
        ).fetchall()
    assert found == []


def test_servers_that_start_at_once_make_one_store(postgres: Cluster, tmp_path: Path) -> None:
    url = postgres.new_database()
    servers = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, url, str(tmp_path)], stderr=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    assert [server.communicate()[1] for server in servers] == [""] * 4
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT version FROM store").fetchall() == [(2,)]


def test_an_older_store_is_brought_to_the_present_version(
    postgres: Cluster, tmp_path: Path
) -> None:
    url = postgres.new_database()
    store = create_store(url, index_folder=tmp_path)
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    author = Author(store)
    drafted = SaveDraft(None, author.publish("leave"), Text("A title", "Draft.\n"))
    author.saved("leave", drafted)
    before = author.find("leave")
    store.close()
    with psycopg.connect(url) as connection:
        connection.execute("ALTER TABLE article DROP COLUMN drafted_at")
        connection.execute("UPDATE store SET version = 1")
    store = open_store(url, index_folder=tmp_path)
    assert author.at(store).find("leave") == before
    assert store.upkeep.check() == []
    store.close()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT version FROM store").fetchall() == [(2,)]


def test_a_store_of_a_newer_version_is_left_alone(postgres: Cluster, tmp_path: Path) -> None:
    url = postgres.new_database()
    create_store(url, index_folder=tmp_path).close()
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE store SET version = 900")
    with pytest.raises(StoreUnavailableError, match="This database has version 900"):
        open_store(url, index_folder=tmp_path)


def test_a_database_without_a_store_says_how_to_make_one(postgres: Cluster, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="pincite init"):
        open_store(postgres.new_database(), index_folder=tmp_path)


def as_an_ordinary_role(cluster: Cluster, name: str, owner: str) -> str:
    """Makes a database and a role that is no superuser; the database's URL for that role."""
    with psycopg.connect(cluster.url("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN")
        connection.execute(f"CREATE DATABASE {name} OWNER {owner} TEMPLATE template0")
    return cluster.url(name).replace(f"{USER}@", f"{name}@", 1)


def test_the_owner_of_a_database_needs_no_further_rights(postgres: Cluster, tmp_path: Path) -> None:
    url = as_an_ordinary_role(postgres, "plain", owner="plain")
    store = create_store(url, index_folder=tmp_path)
    assert store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    store.upkeep.backup(tmp_path / "backup")
    assert store.upkeep.check() == []
    store.close()


def test_a_role_that_may_make_no_tables_is_told_so(postgres: Cluster, tmp_path: Path) -> None:
    url = as_an_ordinary_role(postgres, "guest", owner=USER)
    with pytest.raises(StoreUnavailableError, match=r"guest may not make tables .* --owner guest"):
        create_store(url, index_folder=tmp_path)


def test_a_database_of_another_encoding_is_refused(postgres: Cluster, tmp_path: Path) -> None:
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    with pytest.raises(StoreUnavailableError, match="encoding must be UTF8; it is LATIN1"):
        create_store(postgres.url("latin"), index_folder=tmp_path)


def test_a_host_where_nothing_answers_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="PostgreSQL does not answer"):
        open_store(f"postgresql://nobody@/nothing?host={tmp_path}", index_folder=tmp_path)
