"""The file: what is recognised, what is refused, and that nothing is lost by it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from pincite.domain.texts import Text
from pincite.errors import (
    CursorExpiredError,
    InvalidInputError,
    StoreBusyError,
    StoreUnavailableError,
)
from pincite.storage import create_store, open_store, restore_store
from pincite.storage.sqlite import connections
from pincite.storage.sqlite.files import schema
from pincite.storage.sqlite.store import SqliteStore
from tests.storage.sqlite.filling import filled
from tests.storage.writing import HANDBOOK, LOG, TEN_OCLOCK, Author, events
from tests.unprivileged import as_ordinary_user


def refusal(path: Path) -> str:
    with pytest.raises(StoreUnavailableError) as refused:
        open_store(str(path))
    return refused.value.message


def test_what_was_saved_is_there_when_the_store_is_opened_again(path: Path) -> None:
    author = filled(path)
    author.store.close()
    store = open_store(str(path))
    assert author.at(store).find("leave").text == Text("A title", "First text.\n")
    assert store.upkeep.check() == []
    store.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["store.db"]


def test_a_store_is_made_once_by_many_at_once(path: Path) -> None:
    barrier = threading.Barrier(8)

    def make(_: int) -> list[object]:
        barrier.wait(30)
        store = create_store(str(path))
        store.create_knowledge_base(HANDBOOK, "Handbook", "en")
        with store.view() as view:
            found = view.list_knowledge_bases()
        store.close()
        return list(found)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(make, range(8)))
    assert all(bases == found[0] for bases in found)
    assert len(found[0]) == 1


def test_a_store_that_is_not_there_is_not_made_by_opening_it(path: Path) -> None:
    assert (
        refusal(path) == f"There is no database at {path}. Make one with: pincite init --db {path}"
    )
    assert not path.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be opened; look at its path"):
        create_store(str(tmp_path / "nowhere" / "store.db"))


@pytest.mark.spec("FT-2")
@pytest.mark.parametrize("content", [b"no database, but a text that is long enough\n" * 99, b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path) == f"The file is no SQLite database. ({path})"
    with pytest.raises(StoreUnavailableError, match="no SQLite database"):
        create_store(str(path))
    assert path.read_bytes() == content


def test_a_database_of_something_else_is_refused_and_left_alone(path: Path) -> None:
    apsw.Connection(str(path)).execute("CREATE TABLE song (title)")
    before = path.read_bytes()
    assert refusal(path) == f"{path} is a SQLite database, but not one of Pincite's."
    with pytest.raises(StoreUnavailableError, match="not one of Pincite's"):
        create_store(str(path))
    assert path.read_bytes() == before


def test_an_empty_file_is_no_store_but_can_become_one(path: Path) -> None:
    path.touch()
    assert refusal(path) == f"{path} is a SQLite database, but not one of Pincite's."
    filled(path).store.close()
    open_store(str(path)).close()


@pytest.mark.spec("FT-2")
def test_a_store_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    filled(path).store.close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE store SET version = 99")
    connection.close()
    before = path.read_bytes()
    assert refusal(path) == (
        f"This database has version 99; this Pincite knows versions up to {schema().version}. "
        "A newer Pincite wrote it: install that one."
    )
    assert path.read_bytes() == before


@pytest.mark.spec("FT-2")
def test_a_damaged_store_is_refused_and_says_what_to_do(path: Path) -> None:
    author = filled(path)
    author.publish("long", "Many words.\n" * 20_000)
    author.store.close()
    content = bytearray(path.read_bytes())
    content[4096 * 2 : -4096] = b"\xff" * (len(content) - 4096 * 3)
    path.write_bytes(content)
    with pytest.raises(StoreUnavailableError, match="damaged; restore a backup"):
        Author(open_store(str(path))).find("long")


@pytest.mark.spec("FT-2")
def test_a_store_that_may_not_be_written_is_read_and_its_writes_are_refused() -> None:
    with as_ordinary_user() as folder:
        author = filled(folder / "store.db")
        author.store.close()
        (folder / "store.db").chmod(0o444)
        store = open_store(str(folder / "store.db"))
        reader = author.at(store)
        assert len(events(store)) == 1
        with pytest.raises(StoreUnavailableError, match="read-only") as refused:
            reader.edit("leave", "New.\n")
        assert refused.value.details == {"retry_after": 1.0}
        for file in folder.iterdir():
            file.chmod(0o644)
        reader.edit("leave", "New.\n")
        assert len(events(store)) == 2
        store.close()


@pytest.mark.spec("FT-2")
def test_a_store_in_a_folder_that_may_not_be_written_is_refused_clearly() -> None:
    with as_ordinary_user() as folder:
        filled(folder / "store.db").store.close()
        folder.chmod(0o555)
        assert "The database or its folder is read-only." in refusal(folder / "store.db")
        folder.chmod(0o755)
        open_store(str(folder / "store.db")).close()


@pytest.mark.spec("FT-2")
def test_a_store_that_may_not_be_read_is_refused_clearly() -> None:
    with as_ordinary_user() as folder:
        filled(folder / "store.db").store.close()
        (folder / "store.db").chmod(0)
        assert "look at its path and permissions" in refusal(folder / "store.db")
        (folder / "store.db").chmod(0o644)
        open_store(str(folder / "store.db")).close()


@pytest.mark.spec("FT-2", "CAS-3")
def test_a_write_that_finds_the_file_locked_is_busy_and_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.05)
    author = filled(path)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusyError) as refused:
        author.publish("sick-days")
    assert refused.value.message == f"Another process holds {path}."
    assert len(events(author.store)) == 1
    other.execute("ROLLBACK")
    author.publish("sick-days")
    assert len(events(author.store)) == 2
    author.store.close()


@pytest.mark.spec("FT-2")
def test_a_store_that_another_has_to_itself_is_busy_until_it_lets_go(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.05)
    filled(path).store.close()
    other = apsw.Connection(str(path))
    other.execute("PRAGMA locking_mode = exclusive; BEGIN IMMEDIATE").fetchall()
    with pytest.raises(StoreBusyError) as refused:
        open_store(str(path))
    assert refused.value.message == f"Another process holds {path}."
    other.execute("ROLLBACK")
    other.close()
    store = open_store(str(path))
    assert len(events(store)) == 1
    store.close()


@pytest.mark.spec("FT-2")
def test_a_view_that_meets_a_broken_disk_says_so_and_the_next_one_is_well(path: Path) -> None:
    author = filled(path)
    store = author.store
    assert isinstance(store, SqliteStore)
    with pytest.raises(StoreUnavailableError, match="The disk reported an error"):
        break_in_a_view(store)
    assert len(events(store)) == 1
    store.close()


def break_in_a_view(store: SqliteStore) -> None:
    with store.view() as view:
        view.list_knowledge_bases()
        raise apsw.IOError("disk I/O error")


@pytest.mark.spec("FT-2", "CAS-3")
def test_a_full_disk_refuses_what_does_not_fit_and_nothing_else(path: Path) -> None:
    author = filled(path)
    store = author.store
    assert isinstance(store, SqliteStore)
    pages = store._writer.run(lambda t: t.connection.pragma("page_count"))
    store._writer.run(lambda t: t.connection.pragma("max_page_count", pages + 20))
    with pytest.raises(StoreUnavailableError, match="The disk is full"):
        author.publish("large", "x" * 1_000_000)
    assert [event.sequence for event in events(store)] == [1]
    assert store.upkeep.check() == []
    author.publish("small")
    author.publish("large", "x" * 1_000_000)
    assert [event.sequence for event in events(store)] == [1, 2, 3]
    assert store.upkeep.check() == []
    store.close()


@pytest.mark.spec("FT-2", "FT-3")
def test_the_end_of_a_log_in_a_store_that_cannot_be_opened_any_more_is_refused_clearly(
    path: Path,
) -> None:
    author = filled(path)
    store = author.store
    assert isinstance(store, SqliteStore)
    store._pool.let_go()  # as after a write that failed
    aside = path.rename(path.with_name("aside.db"))
    with pytest.raises(StoreUnavailableError, match="look at its path and permissions"):
        store.head(LOG)
    aside.rename(path)
    assert store.head(LOG) == 1
    store.close()


@pytest.mark.spec("PUB-2", "EV-6", "FT-2")
def test_a_store_that_was_replaced_while_it_was_open_is_read_as_it_is_written(
    path: Path, tmp_path: Path
) -> None:
    author = filled(path)
    author.store.upkeep.backup(tmp_path / "backup")
    author.publish("lost")
    author.store.close()
    store = open_store(str(path))
    seen = store.wait(0, 0)
    assert len(events(store)) == 2
    path.rename(path.with_name("aside.db"))
    for left in ("-wal", "-shm"):
        path.with_name(path.name + left).rename(path.with_name("aside.db" + left))
    with pytest.raises(StoreUnavailableError), store.view():
        pass
    restore_store(str(path), tmp_path / "backup", TEN_OCLOCK)
    assert store.wait(seen, 0) != seen
    with store.view() as view, pytest.raises(CursorExpiredError):
        view.list_events(LOG, 2, 100)
    author.at(store).publish("new")
    first = 1_794_132_000_000  # ten o'clock, in milliseconds
    assert [event.sequence for event in events(store)] == [1, first]
    assert store.head(LOG) == first
    store.close()


def test_a_store_that_is_closed_says_so(path: Path) -> None:
    author = filled(path)
    author.store.close()
    for call in (lambda: author.find("leave"), lambda: author.store.head(LOG)):
        with pytest.raises(StoreUnavailableError, match="The store is closed"):
            call()
    with pytest.raises(StoreUnavailableError, match="The store is closed"):
        author.store.save_imports(HANDBOOK, [])
    author.store.close()


def test_a_backup_that_is_none_is_not_restored(path: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but a text that is long enough\n" * 99)
    with pytest.raises(StoreUnavailableError, match="no SQLite database"):
        restore_store(str(path), tmp_path / "text", TEN_OCLOCK)
    with pytest.raises(StoreUnavailableError, match="There is no backup at"):
        restore_store(str(path), tmp_path / "nothing", TEN_OCLOCK)
    assert not path.exists()


def test_a_restore_never_overwrites(path: Path, tmp_path: Path) -> None:
    author = filled(path)
    author.store.upkeep.backup(tmp_path / "backup")
    with pytest.raises(InvalidInputError, match="is there already"):
        restore_store(str(path), tmp_path / "backup", TEN_OCLOCK)
    assert len(events(author.store)) == 1
    author.store.close()


@pytest.mark.spec("EV-6", "FT-1")
@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_what_is_left_of_a_removed_store_never_gets_into_a_restored_one(
    path: Path, tmp_path: Path, ending: str
) -> None:
    author = filled(path)
    author.store.upkeep.backup(tmp_path / "backup")
    author.publish("lost")
    author.store.close()
    path.unlink()
    left = path.with_name(path.name + ending)
    left.write_bytes(b"of the removed store")
    with pytest.raises(StoreUnavailableError, match="is left of another database; move it away"):
        restore_store(str(path), tmp_path / "backup", TEN_OCLOCK)
    assert not path.exists()
    assert left.read_bytes() == b"of the removed store"
    left.unlink()
    restore_store(str(path), tmp_path / "backup", TEN_OCLOCK)
    restored = open_store(str(path))
    assert len(events(restored)) == 1
    assert restored.upkeep.check() == []
    restored.close()


def test_a_backup_stays_as_it_is_when_it_is_restored(path: Path, tmp_path: Path) -> None:
    author = filled(path)
    author.store.upkeep.backup(tmp_path / "backup")
    author.store.close()
    before = (tmp_path / "backup").read_bytes()
    restore_store(str(tmp_path / "restored"), tmp_path / "backup", TEN_OCLOCK)
    assert (tmp_path / "backup").read_bytes() == before


def test_a_backup_that_cannot_be_written_is_refused_by_its_own_name(
    path: Path, tmp_path: Path
) -> None:
    author = filled(path)
    nowhere = tmp_path / "nowhere" / "backup"
    with pytest.raises(StoreUnavailableError) as refused:
        author.store.upkeep.backup(nowhere)
    assert str(nowhere) in refused.value.message
    author.store.close()


def test_a_half_written_copy_is_not_in_the_way(path: Path, tmp_path: Path) -> None:
    (tmp_path / "backup.part").write_text("left by a process that was killed")
    author = filled(path)
    author.store.upkeep.backup(tmp_path / "backup")
    author.store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["backup", "store.db"]
    open_store(str(tmp_path / "backup")).close()


@pytest.mark.spec("FT-2", "FT-1")
def test_nothing_is_written_to_a_file_that_was_moved_away(path: Path) -> None:
    author = filled(path)
    moved = path.with_name("moved.db")
    path.rename(moved)
    for _ in range(2):
        with pytest.raises(StoreUnavailableError) as refused:
            author.store.save_imports(HANDBOOK, [])
        assert str(path) in refused.value.message
    assert not path.exists()
    moved.rename(path)
    author.edit("leave", "New.\n")
    assert len(events(author.store)) == 2
    assert author.store.upkeep.check() == []
    author.store.close()


@pytest.mark.parametrize(
    "url", ["sqlite://host/store.db", "sqlite:///", "sqlite:///a.db?mode=ro", "oracle://a/b"]
)
def test_an_address_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        open_store(url)
    assert refused.value.details["field"] == "db"


def test_addresses_name_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for url in ("a.db", "sqlite:///b.db", f"sqlite:///{tmp_path}/c%20d.db?synchronous=normal"):
        create_store(url).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "b.db", "c d.db"]
