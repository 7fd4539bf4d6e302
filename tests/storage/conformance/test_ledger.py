"""The answer ledger: kept once, moved from event to event, paged worst first."""

from collections.abc import Sequence

import pytest

from pincite.domain.answers import Answer, Cited, Standing, cited_by
from pincite.domain.citations import Citation, Verdict
from pincite.domain.edits import Receipt, Status
from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import ArticleId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.ports import AnswerCounts, Committed, Outcome, Replayed, Reused, Stale, Store
from tests.storage.dump import dump
from tests.storage.writing import ANNA, HANDBOOK, TEN_OCLOCK, Author, events

ONE, TWO = Quote("First"), Quote("text", "First ", ".")


def cite(stamp: Stamp, *quotes: Quote) -> Citation:
    return Citation(HANDBOOK, ArticleId("leave"), stamp, quotes)


def record(
    author: Author,
    answer_id: str,
    citations: Sequence[Citation],
    verdict: Verdict = Verdict.CURRENT,
    sequence: int = 1,
    **request: str,
) -> Outcome:
    answer = Answer(answer_id, "Q?", "A.", tuple(citations), TEN_OCLOCK, ANNA)
    standings = [Standing(cited, verdict) for one in citations for cited in cited_by(one)]
    asked = author.request(**request)
    return author.store.ledger.record(HANDBOOK, answer, standings, asked, sequence)


def stale(store: Store, after: str | None = None, limit: int = 10) -> list[str]:
    with store.view() as view:
        page = view.ledger.list_stale(HANDBOOK, after, limit)
    return [one.answer_id for one in page.answers]


def test_a_recorded_answer_has_a_receipt_and_tells_its_session(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave")
    outcome = record(author, "a-1", [cite(stamp, ONE)], session="token/anna/s")
    assert outcome == Committed(Receipt(Status.RECORDED, ArticleId("a-1"), None, 1))
    (told,) = events(store, Resource(ResourceType.SESSION, "token/anna/s"))
    assert told.type == "answer.recorded"
    assert len(events(store)) == 1


@pytest.mark.spec("IDEM-1", "IDEM-2")
def test_a_key_earns_one_answer(store: Store, author: Author) -> None:
    stamp = author.publish("leave")
    bad = Verdict.UNFOUNDED
    record(author, "a-1", [cite(stamp)], bad, key="k", fingerprint="same")
    before = (dump(store), stale(store))
    again = record(author, "a-2", [cite(stamp)], bad, key="k", fingerprint="same")
    assert again == Replayed(Receipt(Status.RECORDED, ArticleId("a-1"), None, 1))
    other = record(author, "a-2", [cite(stamp)], bad, key="k", fingerprint="other")
    assert other == Reused()
    assert (dump(store), stale(store)) == before == (before[0], ["a-1"])


def test_what_two_answers_cite_is_kept_once_with_the_verdict_that_it_has(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave")
    record(author, "a-1", [cite(stamp, ONE, TWO)])
    record(author, "a-2", [cite(stamp, TWO), cite(stamp)], Verdict.CHANGED)
    with store.view() as view:
        standings = view.ledger.list_standings(HANDBOOK, [ArticleId("leave")])
        assert standings == view.ledger.list_standings(HANDBOOK, None)
        assert view.ledger.list_standings(HANDBOOK, [ArticleId("pay")]) == []
    cited = [Cited(ArticleId("leave"), stamp, quote) for quote in (ONE, TWO, None)]
    assert standings == [
        Standing(cited[0], Verdict.CURRENT),
        Standing(cited[1], Verdict.CURRENT),
        Standing(cited[2], Verdict.CHANGED),
    ]
    with store.view() as view:
        assert view.ledger.count_answers(HANDBOOK, cited) == AnswerCounts(2, [1, 2, 1])
        assert view.ledger.count_answers(HANDBOOK, []) == AnswerCounts(0, [])


def test_verdicts_move_from_one_event_to_another_and_only_from_where_they_were(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave")
    record(author, "a-1", [cite(stamp, ONE)])
    author.edit("leave", "Other.\n")
    cited = Cited(ArticleId("leave"), stamp, ONE)
    moved = [Standing(cited, Verdict.CHANGED, 2)]
    assert not store.ledger.advance(HANDBOOK, 0, 2, moved)
    assert stale(store) == []
    assert store.ledger.advance(HANDBOOK, 1, 2, moved)
    assert stale(store) == ["a-1"]
    with store.view() as view:
        assert view.ledger.reach(HANDBOOK) == 2
        assert view.ledger.list_standings(HANDBOOK, None) == moved
    assert not store.ledger.advance(HANDBOOK, 1, 2, [Standing(cited, Verdict.GONE, 2)])
    assert record(author, "a-2", [cite(stamp)], sequence=1) == Stale()


def test_a_ledger_without_answers_is_true_up_to_the_newest_event(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    author.edit("leave", "Other.\n")
    with store.view() as view:
        assert view.ledger.reach(HANDBOOK) == 2
        assert stale(store) == []


def test_pages_go_from_the_worst_to_the_mildest_and_leave_out_the_current(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave")
    for number, verdict in enumerate(
        [Verdict.INTACT, Verdict.CURRENT, Verdict.UNFOUNDED, Verdict.GONE, Verdict.CHANGED]
    ):
        record(author, f"a-{number}", [cite(stamp, Quote(str(number)))], verdict)
    seen: list[str] = []
    after: str | None = None
    while True:
        with store.view() as view:
            page = view.ledger.list_stale(HANDBOOK, after, 2)
        seen += [f"{one.answer_id} {one.worst}" for one in page.answers]
        after = page.next
        if after is None:
            break
    assert seen == ["a-2 unfounded", "a-3 gone", "a-4 changed", "a-0 intact"]


def test_an_answer_comes_back_with_its_citations_as_they_were_made(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave")
    odd = cite(Stamp(5, "25"))
    record(author, "a-1", [cite(stamp, ONE, TWO), odd], Verdict.CHANGED)
    with store.view() as view:
        (answer,) = view.ledger.list_stale(HANDBOOK, None, 10).answers
    assert answer.citations == (
        (cite(stamp, ONE, TWO), Verdict.CHANGED),
        (odd, Verdict.CHANGED),
    )
    assert (answer.question, answer.answered_at, answer.since) == ("Q?", TEN_OCLOCK, None)


@pytest.mark.spec("PUB-5")
def test_an_answer_recorded_after_an_erasure_does_not_bring_the_words_back(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave", "First text.\n")
    kept = author.publish("pay", "Other text.\n")
    author.delete("leave")
    assert store.upkeep.erase(HANDBOOK, ArticleId("leave"), author.now)
    other = Citation(HANDBOOK, ArticleId("pay"), kept, (Quote("Other text."),))
    record(author, "a-1", [cite(stamp, Quote("First text.")), other], Verdict.GONE, 3)
    record(author, "a-2", [cite(stamp, Quote("First text."), Quote("First"))], Verdict.GONE, 3)
    assert stale(store) == ["a-1", "a-2"]
    with store.view() as view:
        page = view.ledger.list_stale(HANDBOOK, None, 10)
        standings = view.ledger.list_standings(HANDBOOK, None)
    assert "First" not in repr((page, standings))
    assert "Other text." in repr(standings)
    assert store.upkeep.check() == []
