from pathlib import Path

import pytest

from tests.cli.conftest import Run


def publish(kb: Run, article: str, content: str) -> str:
    made = kb("article", "new", "kb", article, "--publish", "--json", typed=content.encode())
    return str(made.json["updated_at"])


def test_without_a_limit_only_old_receipts_go(kb: Run) -> None:
    publish(kb, "a", "text")
    assert kb("store", "compact").out == "Dropped: 0 receipts.\n"
    assert kb("store", "compact", "--json").json == {"dropped": {"receipts": 0}}


def test_all_but_the_latest_events_go_and_an_older_cursor_is_told(kb: Run) -> None:
    for article in ("a", "b", "c"):
        publish(kb, article, "text")
    dropped = kb("store", "compact", "--keep-events", "1", "--json").json["dropped"]
    assert dropped == {"receipts": 0, "events": 2}
    error = kb("poll", "knowledge_base", "kb", "--json").error
    assert (error["code"], error["details"]["oldest_sequence"]) == ("cursor_expired", 3)
    page = kb("poll", "knowledge_base", "kb", "--after", "2", "--json").json
    assert [event["sequence"] for event in page["events"]] == [3]
    assert kb("store", "compact", "--keep-events", "5", "--json").json["dropped"]["events"] == 0
    assert kb("doctor").code == 0


def test_limits_may_be_settings(kb: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(kb, "a", "text")
    monkeypatch.setenv("PINCITE_KEEP_EVENTS", "0")
    monkeypatch.setenv("PINCITE_KEEP_VERSIONS", "1")
    monkeypatch.setenv("PINCITE_KEEP_SESSIONS", "1")
    assert kb("store", "compact", "--json").json["dropped"] == {
        "receipts": 0,
        "events": 1,
        "versions": 0,
        "sessions": 0,
    }


def test_a_limit_that_is_none_and_a_knowledge_base_that_is_none_drop_nothing(kb: Run) -> None:
    publish(kb, "a", "text")
    assert kb("store", "compact", "--keep-events", "-1").code == 2
    assert kb("store", "compact", "--keep-receipts", "0").code == 2
    ran = kb("store", "compact", "--kb", "none", "--keep-events", "0", "--json")
    assert ran.error["code"] == "not_found"
    assert len(kb("poll", "knowledge_base", "kb", "--json").json["events"]) == 1


@pytest.mark.spec("PUB-5")
def test_an_erased_articles_text_is_nowhere_in_the_file(kb: Run, tmp_path: Path) -> None:
    stamp = publish(kb, "a", "unforgettable words")
    command = ("article", "edit", "kb", "a", "-", "--expected-version", stamp)
    kb(*command, typed=b"unforgettable too")
    assert kb("store", "erase", "kb", "a", "--yes").out == "Every text of a is gone.\n"
    assert (
        kb("article", "show", "kb", "a", "--version", stamp, "--json").error["code"] == "not_found"
    )
    types = [one["type"] for one in kb("poll", "knowledge_base", "kb", "--json").json["events"]]
    assert types == ["article.published", "article.updated", "article.deleted"]
    assert kb("article", "new", "kb", "a", typed=b"again").code == 1
    kb("backup", "b.db")
    assert b"unforgettable" not in (tmp_path / "b.db").read_bytes()
    assert kb("doctor").code == 0
    assert kb("store", "erase", "kb", "none", "--yes", "--json").error["code"] == "not_found"


def test_nothing_is_erased_unasked_where_there_is_no_terminal(kb: Run) -> None:
    publish(kb, "a", "text")
    ran = kb("store", "erase", "kb", "a", "--json")
    assert (ran.code, ran.error["code"], ran.error["message"]) == (
        2,
        "wrong_usage",
        "This cannot be undone, and without a terminal nobody can be asked: add --yes.",
    )
    assert kb("article", "show", "kb", "a").out == "text"


def test_a_database_is_brought_to_the_present_form_and_checked(kb: Run) -> None:
    assert kb("store", "migrate").out.startswith("The database has the present form, ")
    assert kb("store", "check", "--json").json["ok"] is True


@pytest.mark.spec("EV-6")
def test_a_copied_knowledge_base_goes_on_there_and_is_sealed_here(kb: Run) -> None:
    stamp = publish(kb, "a", "text")
    ran = kb("store", "copy", "other.db", "--kb", "kb")
    assert ran.out == (
        "The knowledge base kb is in other.db now. The one in pincite.db is sealed.\n"
    )
    there = ("--db", "other.db")
    assert kb(*there, "article", "show", "kb", "a", "--version", stamp).out == "text"
    command = ("article", "edit", "kb", "a", "-", "--expected-version", stamp, "--json")
    assert kb(*command, typed=b"here").error["code"] == "denied"
    assert kb(*there, *command, typed=b"there").json["sequence"] == 2
    assert kb("article", "show", "kb", "a").out == "text"
    assert (kb("doctor").code, kb(*there, "doctor").code) == (0, 0)
    again = kb("store", "copy", "other.db", "--kb", "none", "--json")
    assert again.error["code"] == "not_found"
