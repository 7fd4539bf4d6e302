from contextlib import closing
from pathlib import Path

import apsw
import pytest

from pincite.storage import open_store
from tests.cli.conftest import Run
from tests.unprivileged import as_ordinary_user


def sql(path: Path, statement: str) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(statement)


def test_init_makes_a_database_and_a_knowledge_base_and_changes_nothing_again(run: Run) -> None:
    assert run("init").out == "The database pincite.db is ready.\n"
    made = ("init", "--kb", "handbook", "--title", "Our handbook", "--language", "de", "--json")
    assert run(*made).json == {
        "db": "pincite.db",
        "knowledge_base_id": "handbook",
        "created": True,
    }
    assert run(*made).json["created"] is False
    again = run("init", "--kb", "handbook", "--title", "Another")
    assert again.out == (
        "The knowledge base handbook in pincite.db was there already and stays as it is.\n"
    )


def test_a_title_without_a_knowledge_base_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    assert run("init", "--title", "T").code == 2
    assert not (tmp_path / "pincite.db").exists()


@pytest.mark.parametrize(
    ("kb", "told"),
    [
        ("a b", "--kb may hold letters, digits and - _ . ~ / only, not ' '."),
        ("x" * 201, "--kb must have 1–200 characters; it has 201."),
        ("", "--kb must have 1–200 characters; it has 0."),
    ],
)
def test_an_id_that_does_not_fit_is_refused_by_name(run: Run, kb: str, told: str) -> None:
    assert run("init", "--kb", kb).err == f"Error: {told}\n"


@pytest.fixture
def bad_places(run: Run, tmp_path: Path) -> dict[str, str]:
    """Paths that are no store, each with what is wrong with it."""
    (tmp_path / "text.db").write_text(
        "This is no database at all, but long enough to be one.\n" * 20
    )
    sql(tmp_path / "other.db", "CREATE TABLE t (x)")
    (tmp_path / "folder.db").mkdir()
    run("--db", "newer.db", "init")
    sql(tmp_path / "newer.db", "UPDATE store SET version = 999")
    return {
        "text.db": "The file is no SQLite database",
        "other.db": "is a SQLite database, but not one of Pincite's",
        "folder.db": "folder.db",
        "newer.db": "newer",
        "none/none.db": "There is no database at none/none.db",
    }


def test_what_is_no_store_is_told_and_left_as_it_is(
    run: Run, tmp_path: Path, bad_places: dict[str, str]
) -> None:
    before = {path: path.read_bytes() for path in tmp_path.glob("*.db") if path.is_file()}
    for place, told in bad_places.items():
        for command in (["doctor"], ["search", "kb", "words"], ["article", "list", "kb"]):
            ran = run("--db", place, *command)
            assert (ran.code, ran.out) == (1, "")
            assert told in ran.err
            assert "Traceback" not in ran.err
    assert {path: path.read_bytes() for path in before} == before


def test_a_read_only_database_is_read_or_refused_and_never_half_written(run: Run) -> None:
    with as_ordinary_user() as folder:
        db = folder / "pincite.db"
        run("--db", db, "init", "--kb", "kb")
        run("--db", db, "article", "new", "kb", "a", "--publish", typed=b"text")
        db.chmod(0o400)
        folder.chmod(0o500)
        ran = run("--db", db, "article", "new", "kb", "b", "--json", typed=b"text")
        folder.chmod(0o700)
        db.chmod(0o600)
        shown = run("--db", db, "article", "list", "kb", "--json").json
    assert ran.code == 1
    assert ran.error["code"] == "store_unavailable"
    assert [one["article_id"] for one in shown["articles"]] == ["a"]


def test_an_engine_that_is_not_there_is_refused_by_name(run: Run) -> None:
    ran = run("--db", "mysql://host/db", "doctor", "--json")
    assert (ran.code, ran.error["code"]) == (1, "invalid_input")
    assert "mysql" in ran.error["message"]


def test_a_backup_restores_to_a_new_database_beyond_a_gap(kb: Run, tmp_path: Path) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"text")
    assert kb("backup", "b.db").out == "The backup is in b.db.\n"
    assert kb("--db", "c.db", "restore", "b.db").out == "The database c.db is restored.\n"
    assert kb("--db", "c.db", "article", "show", "kb", "a").out == "text"
    page = kb("--db", "c.db", "poll", "knowledge_base", "kb", "--json").json
    assert [event["sequence"] for event in page["events"]] == [1]
    assert page["gap"]["after"] == 1
    assert kb("--db", "c.db", "doctor").code == 0


def test_a_backup_is_written_over_nothing(kb: Run, tmp_path: Path) -> None:
    (tmp_path / "b.db").write_bytes(b"mine")
    ran = kb("backup", "b.db")
    assert (ran.code, ran.err) == (1, "Error: b.db is there already.\n")
    assert (tmp_path / "b.db").read_bytes() == b"mine"


def test_a_restore_refuses_a_database_that_is_there_and_says_how(kb: Run) -> None:
    kb("backup", "b.db")
    kb("article", "new", "kb", "later", "--publish", typed=b"text")
    ran = kb("restore", "b.db")
    assert ran.err == (
        "Error: pincite.db is there already. With --replace it is renamed and the backup takes "
        "its place.\n"
    )
    assert kb("article", "show", "kb", "later").out == "text"


def test_a_replaced_database_is_kept_beside_whole(kb: Run, tmp_path: Path) -> None:
    kb("backup", "b.db")
    kb("article", "new", "kb", "later", "--publish", typed=b"text")
    for number in (1, 2):
        ran = kb("restore", "b.db", "--replace", "--json")
        assert ran.json == {
            "db": "pincite.db",
            "kept": f"pincite.db.replaced-{number}",
            "tokens": [],
        }
    assert kb("article", "show", "kb", "later").code == 1
    kept = ("--db", "pincite.db.replaced-1", "article", "show", "kb", "later")
    assert kb(*kept).out == "text"
    names = sorted(path.name for path in tmp_path.iterdir() if "-shm" not in path.name)
    assert [name for name in names if "-wal" not in name] == [
        "b.db",
        "pincite.db",
        "pincite.db.replaced-1",
        "pincite.db.replaced-2",
    ]


def test_a_restore_names_the_tokens_that_hold_again(kb: Run) -> None:
    for name in ("agent", "bot", "old"):
        kb("token", "create", name, "--grant", "kb:read")
    kb("token", "revoke", "old")
    kb("backup", "b.db")
    kb("token", "revoke", "agent")
    told = (
        "These tokens hold, also those that were revoked after the backup: agent, bot.\n"
        "End one with pincite token revoke NAME; a restore with --revoke-tokens ends all.\n"
    )
    ran = kb("--db", "c.db", "restore", "b.db")
    assert ran.out == "The database c.db is restored.\n" + told
    assert kb("restore", "b.db", "--replace").out.endswith("pincite.db.replaced-1.\n" + told)


@pytest.mark.parametrize("replace", [(), ("--replace",)])
def test_a_restore_that_ends_all_tokens_leaves_none_that_holds(
    kb: Run, replace: tuple[str, ...]
) -> None:
    kb("token", "create", "agent", "--grant", "kb:read")
    kb("backup", "b.db")
    db = "pincite.db" if replace else "c.db"
    ran = kb("--db", db, "restore", "b.db", "--revoke-tokens", "--json", *replace)
    assert (ran.code, ran.json["tokens"]) == (0, [])
    [token] = kb("--db", db, "token", "list", "--json").json["tokens"]
    assert (token["name"], token["revoked_at"] is not None) == ("agent", True)
    assert kb("--db", db, "token", "create", "agent", "--grant", "kb:read").code == 0


def test_a_broken_database_can_be_replaced(kb: Run, tmp_path: Path) -> None:
    kb("backup", "b.db")
    (tmp_path / "pincite.db").write_bytes(b"broken" * 1000)
    assert kb("doctor").code == 1
    assert kb("restore", "b.db", "--replace").code == 0
    assert kb("doctor").code == 0
    assert (tmp_path / "pincite.db.replaced-1").read_bytes() == b"broken" * 1000


def test_a_database_in_use_is_not_replaced(kb: Run, tmp_path: Path) -> None:
    kb("backup", "b.db")
    before = sorted(path.name for path in tmp_path.iterdir())
    store = open_store(str(tmp_path / "pincite.db"))
    with store.view() as view:
        view.list_knowledge_bases()
        ran = kb("restore", "b.db", "--replace", "--json")
    store.close()
    assert (ran.code, ran.error["code"]) == (1, "store_busy")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert kb("doctor").code == 0


def test_what_is_no_backup_restores_nothing(kb: Run, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database" * 100)
    for backup in ("text", "none.db"):
        for extra in ((), ("--replace",)):
            ran = kb("--db", "pincite.db" if extra else "new.db", "restore", backup, *extra)
            assert ran.code == 1
            assert backup in ran.err
    assert not (tmp_path / "new.db").exists()
    assert kb("doctor").code == 0


def test_doctor_finds_nothing_wrong_with_a_sound_database(kb: Run) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"text")
    ran = kb("doctor", "--json").json
    assert (ran["ok"], ran["problems"]) == (True, [])
    assert ran["store"]["engine"] == "SQLite"
    assert kb("doctor").out.endswith("All agrees.\n")


def test_doctor_names_what_disagrees_and_exits_with_1(kb: Run, tmp_path: Path) -> None:
    kb("article", "new", "kb", "a", "--publish", typed=b"text")
    sql(tmp_path / "pincite.db", "PRAGMA foreign_keys = off; DELETE FROM event")
    ran = kb("doctor", "--json")
    assert ran.code == 1
    assert '"ok": false' in ran.out
    assert "kb" in kb("doctor").out
