"""Articles: text byte for byte, states, lists, revisions."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.domain.articles import Article, Draft, KnowledgeBase, Revision, State
from pincite.domain.edits import Create, DiscardDraft, Edit, Publish, SaveDraft
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import ArticleSummary, Store
from tests.storage.writing import ANNA, BEN, HANDBOOK, TEN_OCLOCK, Author, stamp_of

LEAVE = ArticleId("leave")
AWKWARD = "\ufeff# Tête\r\n\r\ntrailing  \n\ttab\r\u2028 👩‍👩‍👧 e\u0301 \U0010ffff\x01\n\n\n"


def test_a_new_knowledge_base_is_empty_and_made_once(store: Store) -> None:
    support = KnowledgeBaseId("support")
    assert store.create_knowledge_base(support, "Support", "fr") is True
    assert store.create_knowledge_base(support, "Another", "es") is False
    with store.view() as view:
        found = view.find_knowledge_base(support)
        assert found is not None
        assert found == KnowledgeBase(support, "Support", "fr", 0, found.epoch, 0)
        assert found.epoch != ""
        ids = [base.knowledge_base_id for base in view.list_knowledge_bases()]
        assert ids == ["handbook", "payroll", "support"]
        assert view.find_knowledge_base(KnowledgeBaseId("nowhere")) is None


def test_a_knowledge_base_is_renamed_and_nothing_else_of_it_changes(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    with store.view() as view:
        before = view.list_knowledge_bases()
    assert store.rename_knowledge_base(HANDBOOK, "Staff handbook") is True
    assert store.rename_knowledge_base(KnowledgeBaseId("nowhere"), "Nothing") is False
    with store.view() as view:
        assert view.list_knowledge_bases() == [
            replace(before[0], title="Staff handbook"),
            before[1],
        ]


def test_a_knowledge_base_counts_its_published_articles(store: Store, author: Author) -> None:
    author.publish("leave")
    author.publish("sick-days")
    author.saved("secret", Create(Text("A title", "Draft.\n")))
    author.edit("leave", "New.\n")
    author.withdraw("sick-days")
    with store.view() as view:
        found = view.find_knowledge_base(HANDBOOK)
    assert found is not None
    assert (found.article_count, found.latest_sequence) == (1, 4)
    author.republish("sick-days")
    author.delete("leave")
    author.delete("sick-days")
    with store.view() as view:
        found = view.find_knowledge_base(HANDBOOK)
    assert found is not None
    assert (found.article_count, found.latest_sequence) == (0, 7)


@pytest.mark.spec("TEXT-1")
@pytest.mark.parametrize("content", [AWKWARD, " ", "\r\n", "x" * 1024 * 1024])
def test_content_comes_back_byte_for_byte(store: Store, author: Author, content: str) -> None:
    stamp = author.publish("leave", content, title="Tête-à-tête 👋")
    assert author.find("leave").text == Text("Tête-à-tête 👋", content)
    with store.view() as view:
        revision = view.find_revision(HANDBOOK, LEAVE, stamp)
    assert revision is not None
    assert revision.text == Text("Tête-à-tête 👋", content)


@pytest.mark.spec("TEXT-1")
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_text_comes_back_as_it_was_saved(store: Store, author: Author, text: str) -> None:
    name = f"article-{author.request().key}"
    author.saved(name, Create(Text(text, text), publish=True))
    stamp = author.stamp(name)
    author.saved(name, SaveDraft(None, stamp, Text(text, text)))
    article = author.find(name)
    assert article.text == Text(text, text)
    assert article.draft == Draft(Text(text, text), stamp.next(), stamp)


@pytest.mark.spec("STAMP-2")
def test_stamps_rise_when_the_clock_stands_still_and_when_it_steps_back(author: Author) -> None:
    stamps = [author.publish("leave")]
    stamps.append(author.edit("leave", "Same millisecond.\n"))
    author.later(-3_600_000)
    stamps.append(author.edit("leave", "An hour earlier.\n"))
    stamps.append(author.withdraw("leave"))
    stamps.append(author.republish("leave"))
    stamps.append(stamp_of(author.delete("leave")))
    assert [stamp.milliseconds - TEN_OCLOCK.milliseconds for stamp in stamps] == [0, 1, 2, 3, 4, 5]
    assert author.stamp("leave") == stamps[-1]


def test_an_article_is_what_its_writes_made_of_it(author: Author) -> None:
    absent = Article.absent(HANDBOOK, LEAVE)
    assert author.find("leave") == absent
    author.saved("leave", Create(Text("A title", "Draft.\n")))
    of_leave = partial(Article, HANDBOOK, LEAVE)
    draft = Draft(Text("A title", "Draft.\n"), TEN_OCLOCK, None)
    assert author.find("leave") == of_leave(State.DRAFT, None, None, None, draft, TEN_OCLOCK)
    author.saved("leave", Publish(None, TEN_OCLOCK))
    first, text = TEN_OCLOCK.next(), Text("A title", "Draft.\n")
    published = of_leave(State.PUBLISHED, text, first, 1, None, TEN_OCLOCK)
    assert author.find("leave") == published
    author.saved("leave", SaveDraft(None, first, Text("New", "New.\n")))
    beside = Draft(Text("New", "New.\n"), first.next(), first)
    drafted = beside.updated_at
    assert author.find("leave") == of_leave(State.PUBLISHED, text, first, 1, beside, drafted)
    author.saved("leave", DiscardDraft(drafted))
    assert author.find("leave") == replace(published, drafted_at=drafted)
    gone = author.withdraw("leave")
    assert author.find("leave") == of_leave(State.WITHDRAWN, text, gone, 2, None, drafted)
    author.delete("leave")
    assert author.find("leave") == of_leave(State.DELETED, None, gone, 2, None, drafted)


def test_articles_are_listed_by_id_in_pages_and_by_state(store: Store, author: Author) -> None:
    stamp = author.publish("b", title="Bee")
    author.saved("b", SaveDraft(None, stamp, Text("Draft of b", "x\n")))
    author.saved("a", Create(Text("Ay", "x\n")))
    author.publish("c", title="Sea")
    withdrawn = author.withdraw("c")
    author.publish("é", title="Accent")
    deleted = stamp_of(author.delete("é"))
    lines = [
        ArticleSummary(ArticleId("a"), "Ay", State.DRAFT, None, has_draft=True),
        ArticleSummary(ArticleId("b"), "Bee", State.PUBLISHED, stamp, has_draft=True),
        ArticleSummary(ArticleId("c"), "Sea", State.WITHDRAWN, withdrawn, has_draft=False),
        ArticleSummary(ArticleId("é"), "", State.DELETED, deleted, has_draft=False),
    ]
    with store.view() as view:
        assert list(view.list_articles(HANDBOOK)) == lines
        assert list(view.list_articles(HANDBOOK, limit=2)) == lines[:2]
        assert list(view.list_articles(HANDBOOK, after=ArticleId("b"), limit=1)) == lines[2:3]
        assert list(view.list_articles(HANDBOOK, state=State.PUBLISHED)) == lines[1:2]
        assert list(view.list_articles(HANDBOOK, after=ArticleId("é"))) == []
        assert list(view.list_articles(KnowledgeBaseId("nowhere"))) == []


@pytest.mark.spec("PUB-4")
def test_every_published_text_stays_readable_by_its_stamp(store: Store, author: Author) -> None:
    first = author.publish("leave", "One.\n")
    edit = Edit(first, "Two.\n", "A new title")
    told = author.request(client="editor/1", note="Twelve weeks now")
    second = stamp_of(author.saved("leave", edit, told))
    gone = author.withdraw("leave")
    third = author.republish("leave")
    revisions = [
        Revision(LEAVE, Text("A new title", "Two.\n"), third, ANNA),
        Revision(
            LEAVE, Text("A new title", "Two.\n"), second, ANNA, "editor/1", "Twelve weeks now"
        ),
        Revision(LEAVE, Text("A title", "One.\n"), first, ANNA),
    ]
    with store.view() as view:
        assert list(view.list_revisions(HANDBOOK, LEAVE)) == revisions
        assert view.find_revision(HANDBOOK, LEAVE, second) == revisions[1]
        assert view.find_revision(HANDBOOK, LEAVE, gone) is None
        assert [
            view.had_stamp(HANDBOOK, LEAVE, stamp) for stamp in (first, second, gone, third)
        ] == [True, True, False, True]
        assert list(view.list_revisions(HANDBOOK, ArticleId("other"))) == []


@pytest.mark.spec("STAMP-3")
def test_another_instant_within_the_millisecond_is_another_version(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    near = Stamp.parse("2026-11-08T10:00:00.0001Z")
    with store.view() as view:
        assert view.find_revision(HANDBOOK, LEAVE, near) is None
        assert view.had_stamp(HANDBOOK, LEAVE, near) is False
        assert view.list_passages(HANDBOOK, LEAVE, near) == ()


def test_old_texts_are_dropped_by_age_and_their_stamps_stay_known(
    store: Store, author: Author
) -> None:
    first = author.publish("leave", "One.\n")
    untouched = author.publish("sick-days", "Never replaced.\n")
    author.later(60_000)
    second = author.edit("leave", "Two.\n")
    author.later(60_000)
    third = author.edit("leave", "Three.\n")
    assert store.upkeep.drop_revisions(HANDBOOK, second) == 0
    assert store.upkeep.drop_revisions(HANDBOOK, second.next()) == 1
    assert store.upkeep.drop_revisions(HANDBOOK, second.next()) == 0
    with store.view() as view:
        kept = [revision.updated_at for revision in view.list_revisions(HANDBOOK, LEAVE)]
        assert kept == [third, second]
        assert view.find_revision(HANDBOOK, LEAVE, first) is None
        assert view.list_passages(HANDBOOK, LEAVE, first) == ()
        assert view.had_stamp(HANDBOOK, LEAVE, first) is True
    author.later(60_000)
    assert store.upkeep.drop_revisions(HANDBOOK, author.now) == 1
    assert author.find("leave").text == Text("A title", "Three.\n")
    assert author.find("sick-days").updated_at == untouched
    assert store.upkeep.check() == []


def test_the_text_of_a_withdrawn_article_is_kept_and_of_a_deleted_one_dropped(
    store: Store, author: Author
) -> None:
    author.publish("leave", "One.\n")
    author.publish("sick-days", "One.\n")
    author.withdraw("leave")
    author.delete("sick-days")
    author.later(60_000)
    assert store.upkeep.drop_revisions(HANDBOOK, author.now) == 1
    assert author.find("leave").text == Text("A title", "One.\n")
    with store.view() as view:
        assert list(view.list_revisions(HANDBOOK, ArticleId("sick-days"))) == []
    assert store.upkeep.drop_revisions(KnowledgeBaseId("nowhere"), author.now) == 0


def test_revisions_tell_who_published_them(store: Store, author: Author) -> None:
    author.publish("leave")
    Author(store, principal=BEN).edit("leave", "Ben was here.\n")
    with store.view() as view:
        who = [revision.by for revision in view.list_revisions(HANDBOOK, LEAVE)]
    assert who == [BEN, ANNA]
