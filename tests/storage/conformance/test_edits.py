"""Edits: compared inside the write, saved whole or not at all."""

import pytest

from pincite.domain.articles import Article, Draft
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import Create, DiscardDraft, Edit, Publish, Receipt, SaveDraft, Status
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import NotFoundError
from pincite.ports import Committed, Stale, Store
from tests.storage.dump import REFUSED, dump
from tests.storage.writing import BEN, HANDBOOK, LOG, Author, events


@pytest.mark.spec("CAS-1")
def test_an_edit_of_the_present_version_is_saved(store: Store, author: Author) -> None:
    first = author.publish("leave", "Old text.\n")
    author.later()
    outcome = author.write("leave", Edit(first, "New text.\n"))
    stamp = Stamp.parse("2026-11-08T10:00:01.000Z")
    assert outcome == Committed(Receipt(Status.SAVED, ArticleId("leave"), stamp, 2))
    article = author.find("leave")
    assert article.text == Text("A title", "New text.\n")
    assert (article.updated_at, article.sequence) == (stamp, 2)


@pytest.mark.spec("CAS-1", "CAS-3")
def test_an_edit_that_was_overtaken_is_stale_and_changes_nothing(
    store: Store, author: Author
) -> None:
    first = author.publish("leave")
    overtaken = decide(author.find("leave"), Edit(first, "Mine.\n"), author.now)
    Author(store, principal=BEN).edit("leave", "Theirs.\n")
    before = dump(store)
    assert store.commit(overtaken, author.request(REFUSED), author.now) == Stale()
    assert dump(store) == before


@pytest.mark.spec("CAS-1", "CAS-3")
def test_an_edit_of_an_article_that_was_withdrawn_meanwhile_is_stale(
    store: Store, author: Author
) -> None:
    first = author.publish("leave")
    overtaken = decide(author.find("leave"), Edit(first, "Mine.\n"), author.now)
    author.withdraw("leave")
    before = dump(store)
    assert store.commit(overtaken, author.request(REFUSED), author.now) == Stale()
    assert dump(store) == before


def overtaken_draft(author: Author) -> tuple[Stamp, SaveDraft, Decision]:
    """The published stamp, and a draft of it decided on before another one was saved."""
    stamp = author.publish("leave")
    mine = SaveDraft(None, stamp, Text("A title", "Mine.\n"))
    overtaken = decide(author.find("leave"), mine, author.now)
    author.saved("leave", SaveDraft(None, stamp, Text("A title", "Theirs.\n")))
    return stamp, mine, overtaken


@pytest.mark.spec("PUB-3", "CAS-3")
def test_a_draft_that_was_overtaken_is_stale_and_changes_nothing(
    store: Store, author: Author
) -> None:
    stamp, _, overtaken = overtaken_draft(author)
    publication = decide(
        author.find("leave"), Publish(stamp, stamp.next()), author.now
    )  # of the draft as it is now, which changes once more before it is published
    author.saved("leave", SaveDraft(stamp.next(), stamp, Text("A title", "Theirs, better.\n")))
    before = dump(store)
    assert store.commit(overtaken, author.request(REFUSED), author.now) == Stale()
    assert store.commit(publication, author.request(REFUSED), author.now) == Stale()
    assert dump(store) == before


@pytest.mark.spec("PUB-3", "CAS-3")
def test_a_draft_decided_on_before_another_came_and_went_is_stale_and_repeats_no_stamp(
    store: Store, author: Author
) -> None:
    stamp, mine, overtaken = overtaken_draft(author)
    author.saved("leave", DiscardDraft(stamp.next()))
    before = dump(store)
    assert store.commit(overtaken, author.request(REFUSED), author.now) == Stale()
    assert dump(store) == before
    author.saved("leave", mine)
    assert author.find("leave").draft == Draft(mine.text, stamp.next().next(), base=stamp)


@pytest.mark.spec("CAS-6")
def test_an_edit_that_changes_nothing_is_unchanged_and_keeps_its_receipt(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave", "Same.\n")
    before = dump(store)
    author.later()
    request = author.request("again")  # a key that the dump does not look for
    receipt = Receipt(Status.UNCHANGED, ArticleId("leave"), stamp, 1)
    assert author.write("leave", Edit(stamp, "Same.\n"), request) == Committed(receipt)
    assert dump(store) == before
    with store.view() as view:
        kept = view.find_receipt(LOG, request.principal, "again")
    assert kept is not None
    assert kept.receipt == receipt


def test_a_draft_that_says_what_is_published_goes_when_it_is_published(
    store: Store, author: Author
) -> None:
    stamp = author.publish("leave", "Same.\n")
    author.saved("leave", SaveDraft(None, stamp, Text("A title", "Same.\n")))
    draft = author.find("leave").draft
    assert draft is not None
    receipt = author.saved("leave", Publish(stamp, draft.updated_at))
    assert receipt == Receipt(Status.UNCHANGED, ArticleId("leave"), stamp, 1)
    assert author.find("leave").draft is None
    assert len(events(store)) == 1


@pytest.mark.spec("CAS-3")
def test_a_write_to_a_knowledge_base_that_is_not_there_is_refused(store: Store) -> None:
    author = Author(store, KnowledgeBaseId("nowhere"))
    before = dump(store)
    with pytest.raises(NotFoundError):
        author.write("leave", Create(Text("A title", "Text.\n")))
    assert dump(store) == before


def test_an_article_belongs_to_one_knowledge_base(store: Store, author: Author) -> None:
    author.publish("leave")
    other = Article.absent(KnowledgeBaseId("payroll"), ArticleId("leave"))
    assert Author(store, KnowledgeBaseId("payroll")).find("leave") == other
    assert author.find("leave").knowledge_base_id == HANDBOOK
