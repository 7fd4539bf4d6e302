"""The agent's ledger: one poll a check, on any server, and never a wrong verdict after a gap."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pincite.client.calls import ArticleRead, read
from pincite.client.ledger import Ledger, Rest
from pincite.domain.citations import Verdict
from pincite.domain.ids import ArticleId
from pincite.domain.quotes import Quote
from pincite.errors import InvalidInputError, PinciteError
from tests.client.plain_server import PlainServer
from tests.service.world import KB

A = ArticleId("a")
THIRTY = Quote("Thirty days.")
TEXT = "# Refunds\n\nThirty days.\n\nNo reason needed.\n"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture
def server() -> PlainServer:
    plain = PlainServer()
    plain.save("a", TEXT)
    return plain


def record(ledger: Ledger, server: PlainServer, *quotes: Quote, article: str = "a") -> int:
    found = server.run(read(KB, ArticleId(article)))
    return ledger.record("Q?", "A.", [Rest(found, quotes)])


def check(ledger: Ledger, server: PlainServer) -> list[tuple[Verdict | None, Verdict]]:
    return [(one.before, one.after) for one in server.run(ledger.check())]


def test_a_check_of_nothing_new_is_one_poll_however_much_was_cited(
    ledger: Ledger, server: PlainServer
) -> None:
    for number in range(30):
        server.save(f"b{number}", TEXT)
        record(ledger, server, THIRTY, article=f"b{number}")
    check(ledger, server)
    server.calls.clear()
    assert check(ledger, server) == []
    assert server.calls == ["poll_resource_events"]


def test_only_cited_articles_that_changed_are_read_again(
    ledger: Ledger, server: PlainServer
) -> None:
    server.save("b", TEXT)
    record(ledger, server, THIRTY)
    check(ledger, server)
    server.save("a", TEXT.replace("Thirty", "Forty"))
    server.save("b", "Other.")
    server.calls.clear()
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]
    assert server.calls == ["poll_resource_events", "read_knowledge_article"]


def test_an_edit_elsewhere_leaves_an_answer_intact_without_the_old_version(
    ledger: Ledger, server: PlainServer
) -> None:
    number = record(ledger, server, THIRTY)
    check(ledger, server)
    server.save("a", TEXT.replace("No reason", "A reason is"))
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.INTACT)]
    assert [(one.number, one.citations[0].verdict) for one in ledger.list_stale()] == [
        (number, Verdict.INTACT)
    ]


@pytest.mark.spec("CITE-2")
def test_a_look_alike_is_told_from_the_quote_by_what_stood_around_it(
    ledger: Ledger, server: PlainServer
) -> None:
    server.save("a", "Cats:\n\nThirty days.\n\nDogs:\n\nForty days.\n")
    record(ledger, server, THIRTY)
    check(ledger, server)
    server.save("a", "Dogs:\n\nThirty days.\n\nBirds:\n\nThirty days.\n")
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]


def test_a_withdrawn_article_is_gone_by_its_event_alone(
    ledger: Ledger, server: PlainServer
) -> None:
    record(ledger, server, THIRTY)
    check(ledger, server)
    server.withdraw("a")
    server.calls.clear()
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.GONE)]
    assert server.calls == ["poll_resource_events"]


def test_a_quote_that_was_never_there_is_unfounded_from_the_start(
    ledger: Ledger, server: PlainServer
) -> None:
    number = record(ledger, server, Quote("Sixty days."))
    assert [one.number for one in ledger.list_stale()] == [number]
    check(ledger, server)
    server.save("a", "Sixty days.")
    assert check(ledger, server) == []
    assert ledger.list_stale()[0].citations[0].verdict is Verdict.UNFOUNDED


@pytest.mark.spec("CITE-5")
def test_after_an_expired_cursor_everything_is_checked_and_the_ledger_goes_on(
    ledger: Ledger, server: PlainServer
) -> None:
    record(ledger, server, THIRTY)
    check(ledger, server)
    server.save("a", TEXT.replace("Thirty", "Forty"))
    server.save("a", TEXT.replace("Thirty", "Fifty"))
    server.dropped = 2
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]
    server.save("a", TEXT)
    server.calls.clear()
    assert check(ledger, server) == [(Verdict.CHANGED, Verdict.INTACT)]
    assert server.calls == ["poll_resource_events", "read_knowledge_article"]


@pytest.mark.spec("CITE-5")
def test_a_cursor_ahead_of_a_log_that_began_anew_is_no_end(
    ledger: Ledger, server: PlainServer
) -> None:
    for _ in range(5):
        server.save("a", TEXT)
    record(ledger, server, THIRTY)
    check(ledger, server)
    del server.log[2:]
    server.save("a", TEXT.replace("Thirty", "Forty"))
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]
    server.save("a", TEXT)
    assert check(ledger, server) == [(Verdict.CHANGED, Verdict.INTACT)]


def test_pages_are_followed_to_the_end(ledger: Ledger, server: PlainServer) -> None:
    record(ledger, server, THIRTY)
    check(ledger, server)
    for number in range(250):
        server.save(f"b{number % 9}", "Other.")
    server.save("a", TEXT.replace("Thirty", "Forty"))
    server.calls.clear()
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]
    assert server.calls.count("poll_resource_events") == 3


def read_before_another_is_recorded(ledger: Ledger, server: PlainServer) -> ArticleRead:
    early = server.run(read(KB, A))
    server.save("b", TEXT)
    record(ledger, server, THIRTY, article="b")
    return early


def test_an_answer_recorded_late_is_judged_though_its_events_were_seen(
    ledger: Ledger, server: PlainServer
) -> None:
    early = read_before_another_is_recorded(ledger, server)
    server.save("a", TEXT.replace("Thirty", "Forty"))
    check(ledger, server)
    ledger.record("Late?", "A.", [Rest(early, (THIRTY,))])
    assert check(ledger, server) == [(None, Verdict.CHANGED)]


def test_a_version_cited_again_by_an_older_read_keeps_its_verdict_and_nothing_moves(
    ledger: Ledger, server: PlainServer
) -> None:
    early = server.run(read(KB, A))
    record(ledger, server, THIRTY)
    server.save("a", f"{TEXT}\nMore.\n")
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.INTACT)]
    ledger.record("Late?", "A.", [Rest(early, (THIRTY,))])
    assert [answer.question for answer in ledger.list_stale()] == ["Q?", "Late?"]
    assert check(ledger, server) == []


def test_an_answer_recorded_late_that_is_still_current_has_not_moved(
    ledger: Ledger, server: PlainServer
) -> None:
    early = read_before_another_is_recorded(ledger, server)
    ledger.record("Late?", "A.", [Rest(early, (THIRTY,))])
    assert check(ledger, server) == []


def test_a_failure_in_the_middle_keeps_the_cursor_where_it_was(
    ledger: Ledger, server: PlainServer
) -> None:
    record(ledger, server, THIRTY)
    check(ledger, server)
    server.save("a", TEXT.replace("Thirty", "Forty"))
    steps = ledger.check()
    assert next(steps).name == "poll_resource_events"
    with pytest.raises(PinciteError, match="lost"):
        steps.throw(PinciteError("The connection was lost."))
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]


def test_the_ledger_outlives_its_process(tmp_path: Path, server: PlainServer) -> None:
    with Ledger(tmp_path / "ledger.db") as first:
        record(first, server, THIRTY)
        check(first, server)
    server.save("a", TEXT.replace("Thirty", "Forty"))
    with Ledger(tmp_path / "ledger.db") as second:
        assert second.count() == (1, 1)
        assert check(second, server) == [(Verdict.CURRENT, Verdict.CHANGED)]


@pytest.mark.parametrize("other", ["text", "database"])
def test_a_file_that_is_no_ledger_is_refused_and_left_as_it_is(tmp_path: Path, other: str) -> None:
    file = tmp_path / "other.db"
    if other == "text":
        file.write_text("no ledger, but a text that is long enough to be one\n" * 20)
    else:
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE answer (x)")
    before = file.read_bytes()
    with pytest.raises(InvalidInputError, match="no ledger of an agent's answers"):
        Ledger(file)
    assert file.read_bytes() == before


def test_the_same_citation_of_many_answers_is_kept_and_judged_once(
    ledger: Ledger, server: PlainServer
) -> None:
    for _ in range(5):
        record(ledger, server, THIRTY)
    assert ledger.count() == (5, 1)
    check(ledger, server)
    server.save("a", TEXT.replace("Thirty", "Forty"))
    assert check(ledger, server) == [(Verdict.CURRENT, Verdict.CHANGED)]
    assert len(ledger.list_stale()) == 5


def test_a_ledger_of_before_sizes_were_kept_is_still_one(
    tmp_path: Path, server: PlainServer
) -> None:
    file = tmp_path / "ledger.db"
    with Ledger(file) as first:
        record(first, server, THIRTY)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("ALTER TABLE cited DROP COLUMN size")
    server.save("a", TEXT.replace("Thirty", "Forty"))
    with Ledger(file) as second:
        record(second, server, Quote("Forty days."))
        assert check(second, server) == [(Verdict.CURRENT, Verdict.CHANGED)]
