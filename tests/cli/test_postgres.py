from pathlib import Path

import pytest

from tests.cli.conftest import Run, write
from tests.postgres_cluster import Cluster


@pytest.fixture
def db(postgres: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database on PostgreSQL."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return postgres.new_database()


def test_the_same_commands_work_on_postgresql(run: Run, db: str, tmp_path: Path) -> None:
    on = ("--db", db)
    assert run(*on, "doctor").code == 1
    assert run(*on, "init", "--kb", "kb", "--json").json["created"] is True
    files = {"a.md": "---\ntitle: T\n---\n# Leave\r\n", "b/c.md": "---\ndraft: true\n---\ntext"}
    folder = write(tmp_path / "docs", files)
    report = (*on, "import", folder, "--kb", "kb", "--publish", "--json")
    assert run(*report).json["counts"] == {"new": 2}
    assert run(*report).json["counts"] == {"unchanged": 2}
    assert run(*on, "search", "kb", "leave", "--json").json["results"][0]["article_id"] == "a"
    assert run(*on, "export", "out", "--kb", "kb", "--drafts").code == 0
    for name, text in files.items():
        assert (tmp_path / "out" / name).read_bytes() == text.encode()
    assert run(*on, "store", "check").code == 0


def test_a_knowledge_base_moves_between_the_engines(run: Run, db: str) -> None:
    run("init", "--kb", "kb")
    made = run("article", "new", "kb", "a", "--publish", "--json", typed=b"text").json
    assert run("store", "copy", db, "--kb", "kb").code == 0
    versions = run("--db", db, "article", "history", "kb", "a", "--json").json["versions"]
    assert [one["updated_at"] for one in versions] == [made["updated_at"]]
    assert run("--db", db, "backup", "b.db").code == 0
    assert run("--db", "back.db", "restore", "b.db").code == 0
    assert run("--db", "back.db", "article", "show", "kb", "a").out == "text"


def test_a_database_that_does_not_answer_is_told_in_one_sentence(run: Run, tmp_path: Path) -> None:
    ran = run("--db", f"postgresql://u@/none?host={tmp_path}", "doctor")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: ")
    assert len(ran.err.splitlines()) == 1
    assert "No such file or directory. Is the server running" in ran.err


@pytest.mark.parametrize("secret", ["pa%ss", "s3cret word", 's3"cret word'])
def test_a_password_that_makes_no_address_is_not_repeated(run: Run, secret: str) -> None:
    ran = run("--db", f"postgresql://u:{secret}@h/d", "doctor")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: This is no PostgreSQL URL: ")
    assert not {"pa%ss", "s3cret", "s3", "cret"} & set(ran.err.replace('"', " ").split())


def test_a_password_in_an_address_is_never_printed(run: Run, db: str, tmp_path: Path) -> None:
    secret = f"{db}{'&' if '?' in db else '?'}password=s3cret"
    for arguments in (
        ("--db", secret, "init"),
        ("--db", secret, "init", "--kb", "other"),
        ("--db", "here.db", "init", "--kb", "kb"),
        ("--db", "here.db", "store", "copy", secret, "--kb", "kb"),
        ("--db", secret, "store", "copy", "there.db", "--kb", "other"),
        ("--db", secret, "doctor"),
    ):
        for form in ((), ("--json",)):
            ran = run(*arguments, *form)
            assert "s3cret" not in ran.out + ran.err
            assert ran.code == 0 or form, ran.err  # a second copy is refused


def test_a_restored_databases_password_is_never_printed(run: Run, db: str) -> None:
    run("init")
    run("backup", "b.db")
    ran = run("--db", f"{db}{'&' if '?' in db else '?'}password=s3cret", "restore", "b.db")
    assert ran.code == 0, ran.err
    assert "s3cret" not in ran.out + ran.err


@pytest.mark.parametrize("over", ["process", "http"])
def test_search_indexes_are_kept_where_the_setting_says(
    run: Run, db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, over: str
) -> None:
    monkeypatch.setenv("PINCITE_INDEX_FOLDER", str(tmp_path / "indexes"))
    tiny = ("--seeds", "1", "--articles", "8", "--topics", "2", "--questions", "4")
    ran = run("--db", db, "simulate", *tiny, "--saves", "8", "--hours", "1", "--over", over)
    assert ran.code == 0, ran.err
    assert run("--db", db, "store", "copy", "here.db", "--kb", "support-day").code == 0
    assert list((tmp_path / "indexes").iterdir())
    assert not (tmp_path / "cache").exists()
