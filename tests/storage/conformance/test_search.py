"""Search: what is published is found, what is not is not."""

import pytest

from pincite.domain.edits import Create, SaveDraft
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import Passage
from pincite.domain.texts import Text
from pincite.ports import Store
from tests.storage.writing import HANDBOOK, PAYROLL, Author


def found(store: Store, query: str) -> list[str]:
    with store.view() as view:
        return [hit.article_id for hit in view.search(HANDBOOK, query, 10)]


def test_a_hit_carries_stamp_title_snippet_and_the_passage_that_matched(
    store: Store, author: Author
) -> None:
    content = "# Leave\n\nParents get twelve weeks.\n\nAsk your lead first.\n"
    stamp = author.publish("leave", content, "Parental leave")
    with store.view() as view:
        (hit,) = view.search(HANDBOOK, "twelve weeks", 10)
        passages = view.list_passages(HANDBOOK, ArticleId("leave"), stamp)
    assert (hit.article_id, hit.title, hit.updated_at) == ("leave", "Parental leave", stamp)
    assert hit.snippet == "Parents get twelve weeks."
    assert [hit.snippet[begin:end] for begin, end in hit.matches] == ["twelve", "weeks"]
    assert hit.passage == passages[1]
    assert content[passages[1].start : passages[1].end] == "Parents get twelve weeks."
    assert hit.score > 0


@pytest.mark.spec("PUB-2")
def test_a_save_is_found_by_the_next_search(store: Store, author: Author) -> None:
    author.publish("leave", "Parents get twelve weeks.\n")
    author.edit("leave", "Parents get thirteen months.\n")
    assert found(store, "thirteen") == ["leave"]
    assert found(store, "twelve") == []


@pytest.mark.spec("PUB-2")
def test_a_withdrawn_article_is_gone_from_the_next_search(store: Store, author: Author) -> None:
    author.publish("leave", "Parents get twelve weeks.\n")
    author.withdraw("leave")
    assert found(store, "twelve") == []
    author.republish("leave")
    assert found(store, "twelve") == ["leave"]


def test_a_deleted_article_is_not_found(store: Store, author: Author) -> None:
    author.publish("leave", "Parents get twelve weeks.\n")
    author.delete("leave")
    assert found(store, "twelve") == []


@pytest.mark.spec("EV-7", "PUB-1")
def test_a_draft_is_not_found(store: Store, author: Author) -> None:
    author.saved("secret", Create(Text("Severance", "Nobody may know.\n")))
    stamp = author.publish("leave", "Parents get twelve weeks.\n")
    author.saved("leave", SaveDraft(None, stamp, Text("Severance", "Nobody may know.\n")))
    assert found(store, "severance nobody know") == []


def test_another_knowledge_base_is_not_searched(store: Store, author: Author) -> None:
    Author(store, PAYROLL).publish("wages", "Löhne kommen am zehnten.\n")
    author.publish("leave", "Parents get twelve weeks.\n")
    assert found(store, "Löhne") == []
    with store.view() as view:
        assert [hit.article_id for hit in view.search(PAYROLL, "lohn", 10)] == ["wages"]


def test_a_knowledge_base_that_is_not_there_has_nothing_to_find(store: Store) -> None:
    with store.view() as view:
        assert list(view.search(KnowledgeBaseId("nowhere"), "anything", 10)) == []


@pytest.mark.parametrize(
    "query",
    ['"', "NEAR(", "a AND", "title:leave", "*", "leave*", "x OR y NOT z", "^leave", "--", "'"],
)
def test_no_query_is_taken_for_the_engines_syntax(store: Store, author: Author, query: str) -> None:
    author.publish("leave", "Parents get twelve weeks.\n", "Parents")
    assert found(store, query) == []


def test_passages_are_those_of_the_revision_that_is_named(store: Store, author: Author) -> None:
    old = author.publish("leave", "One.\n")
    new = author.edit("leave", "One.\n\nTwo.\n")
    with store.view() as view:
        before = view.list_passages(HANDBOOK, ArticleId("leave"), old)
        after = view.list_passages(HANDBOOK, ArticleId("leave"), new)
        none = view.list_passages(HANDBOOK, ArticleId("leave"), new.next())
    assert [(p.kind, p.start, p.end) for p in before] == [("paragraph", 0, 4)]
    assert [(p.kind, p.start, p.end) for p in after] == [("paragraph", 0, 4), ("paragraph", 6, 10)]
    assert after[0] == before[0] == Passage(before[0].id, "paragraph", (), 0, 4)
    assert none == ()
