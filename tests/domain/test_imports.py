from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pincite.domain.articles import Article, Draft, ImportRecord, Revision, State
from pincite.domain.documents import Document, Finding
from pincite.domain.edits import Create, Edit, Publish, SaveDraft, Withdraw
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.imports import (
    Assignment,
    ImportStatus,
    ImportStep,
    assign,
    in_force,
    plan,
    plan_removed,
    recall,
    remember,
    remember_withdrawal,
    remembered_text,
)
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text

OLD = Text("T", "one\n\ntwo\n\nthree\n")
FILE = Text("T", "one\n\ntwo\n\nthree, says the file\n")
HERE = Text("T", "one, says a person\n\ntwo\n\nthree\n")
BOTH = Text("T", "one, says a person\n\ntwo\n\nthree, says the file\n")
CLASH = Text("T", "one\n\ntwo\n\nthree, says a person\n")


def document(text: Text, *, path: str = "a.md", draft: bool = False) -> Document:
    wished = ArticleId(path.removesuffix(".md"))
    return Document(path, wished, False, text.title, "", text.content, draft)


def absent() -> Article:
    return Article.absent(KnowledgeBaseId("kb"), ArticleId("a"))


def published(text: Text, at: int = 1, draft: Draft | None = None) -> Article:
    return replace(
        absent(), state=State.PUBLISHED, text=text, updated_at=Stamp(at), sequence=1, draft=draft
    )


def drafted(text: Text) -> Article:
    return replace(absent(), state=State.DRAFT, draft=Draft(text, Stamp(1), None))


def record(text: Text = OLD) -> ImportRecord:
    return remember(Assignment(document(text), None), published(text))[0]


def step(
    file: Document, article: Article, *, known: ImportRecord | None = None, publish: bool = True
) -> ImportStep:
    base = (remembered_text(known, None) or OLD) if known else None
    return plan(Assignment(file, known), article, base, publish=publish)


def test_a_new_document_is_created_as_far_as_both_sides_want_it_published() -> None:
    for draft, publish, expected in (
        (False, True, True),
        (False, False, False),
        (True, True, False),
    ):
        made = step(document(FILE, draft=draft), absent(), publish=publish)
        assert made == ImportStep(ImportStatus.NEW, Create(FILE, expected))


def test_an_article_follows_its_file_while_nobody_else_changed_it() -> None:
    assert step(document(FILE), published(OLD), known=record()) == ImportStep(
        ImportStatus.CHANGED, Edit(Stamp(1), FILE.content, "T")
    )


def test_without_publish_a_changed_file_becomes_a_draft_beside_the_published_text() -> None:
    assert step(document(FILE), published(OLD), known=record(), publish=False) == ImportStep(
        ImportStatus.CHANGED, SaveDraft(None, Stamp(1), FILE)
    )


def test_an_imported_draft_follows_its_file_and_is_then_published() -> None:
    first = step(document(FILE), drafted(OLD), known=record())
    assert first == ImportStep(ImportStatus.CHANGED, SaveDraft(Stamp(1), None, FILE))
    then = step(document(FILE), drafted(FILE), known=record())
    assert then == ImportStep(ImportStatus.PUBLISHED, Publish(None, Stamp(1)))


def test_a_file_that_says_what_stands_there_changes_nothing() -> None:
    for known in (None, record()):
        assert step(document(OLD), published(OLD), known=known) == ImportStep(
            ImportStatus.UNCHANGED
        )


@pytest.mark.spec("CAS-5")
def test_an_article_changed_here_stays_when_its_file_did_not_change() -> None:
    kept = step(document(OLD), published(HERE, 2), known=record())
    assert (kept.status, kept.write) == (ImportStatus.KEPT, None)


@pytest.mark.spec("CAS-5")
def test_changes_on_both_sides_are_merged_where_they_do_not_touch() -> None:
    assert step(document(FILE), published(HERE, 2), known=record()) == ImportStep(
        ImportStatus.MERGED, Edit(Stamp(2), BOTH.content, "T")
    )


@pytest.mark.spec("CAS-5")
def test_changes_on_both_sides_in_one_place_are_a_conflict_that_writes_nothing() -> None:
    refused = step(document(FILE), published(CLASH, 2), known=record())
    assert refused == ImportStep(
        ImportStatus.CONFLICT,
        None,
        "the article was changed here and in the file, in the same places",
    )


@pytest.mark.spec("CAS-5")
def test_after_a_merge_the_next_change_of_the_file_does_not_undo_the_persons() -> None:
    merged = remember(Assignment(document(FILE), record()), published(BOTH, 3))[0]
    assert remembered_text(merged, None) == FILE
    unchanged = step(document(FILE), published(BOTH, 3), known=merged)
    assert (unchanged.status, unchanged.write) == (ImportStatus.KEPT, None)
    more = Text("T", FILE.content + "\nfour\n")
    assert step(document(more), published(BOTH, 3), known=merged) == ImportStep(
        ImportStatus.MERGED, Edit(Stamp(3), BOTH.content + "\nfour\n", "T")
    )


def test_a_text_that_stands_nowhere_else_is_remembered_as_long_as_it_does_not() -> None:
    as_draft = remember(Assignment(document(OLD), None), drafted(OLD))[0]
    assert (as_draft.updated_at, remembered_text(as_draft, None)) == (None, OLD)
    kept = remember(Assignment(document(OLD), as_draft), drafted(HERE))[0]
    assert remembered_text(kept, None) == OLD
    at_last = remember(Assignment(document(OLD), as_draft), published(OLD, 4))[0]
    assert (at_last.updated_at, remembered_text(at_last, None)) == (Stamp(4), None)


def test_an_imported_draft_that_a_person_changed_is_merged_with_its_file() -> None:
    as_draft = remember(Assignment(document(OLD), None), drafted(OLD))[0]
    assert step(document(FILE), drafted(HERE), known=as_draft) == ImportStep(
        ImportStatus.MERGED, SaveDraft(Stamp(1), None, BOTH)
    )


@pytest.mark.spec("CAS-5")
def test_an_article_that_no_import_made_is_not_taken_over() -> None:
    refused = step(document(FILE), published(HERE), known=None)
    assert refused.write is None
    assert refused.message == "the article a was not made by an import"


@pytest.mark.spec("CAS-5")
def test_a_persons_draft_is_neither_published_nor_overwritten() -> None:
    draft = Draft(HERE, Stamp(2), Stamp(1))
    article = published(OLD, draft=draft)
    assert step(document(FILE), article, known=record()).write == Edit(Stamp(1), FILE.content, "T")
    assert step(document(OLD), article, known=record()).write is None
    kept = step(document(OLD), article, known=record(), publish=False)
    assert (kept.status, kept.write) == (ImportStatus.KEPT, None)


def test_an_imported_draft_is_not_published_over_what_a_person_published_since() -> None:
    article = published(HERE, 3, draft=Draft(FILE, Stamp(2), Stamp(1)))
    refused = step(document(FILE), article, known=record(FILE))
    assert refused == ImportStep(
        ImportStatus.CONFLICT,
        None,
        "the article was changed here after this text was saved as a draft",
    )


def test_what_a_person_withdrew_or_deleted_does_not_come_back() -> None:
    withdrawn = replace(published(OLD, 2), state=State.WITHDRAWN)
    deleted = replace(withdrawn, state=State.DELETED, text=None)
    for article, word in ((withdrawn, "withdrawn"), (deleted, "deleted")):
        for file, status in ((OLD, ImportStatus.KEPT), (FILE, ImportStatus.CONFLICT)):
            assert step(document(file), article, known=record()) == ImportStep(
                status, None, f"the article was {word} here"
            )


def test_what_the_import_withdrew_comes_back_with_its_file() -> None:
    withdrawn = replace(published(OLD, 2), state=State.WITHDRAWN)
    known = remember_withdrawal(record(), Stamp(2))
    assert step(document(OLD), withdrawn, known=known) == ImportStep(
        ImportStatus.PUBLISHED, Publish(Stamp(2), None)
    )
    assert step(document(FILE), withdrawn, known=known) == ImportStep(
        ImportStatus.CHANGED, SaveDraft(None, Stamp(2), FILE)
    )
    without = remember(Assignment(document(OLD), known), withdrawn)[0]
    assert step(document(OLD), withdrawn, known=without).status is ImportStatus.PUBLISHED


def test_an_article_whose_file_is_gone_is_withdrawn_only_when_asked_and_unchanged() -> None:
    assert plan_removed(record(), published(OLD), withdraw=True) == ImportStep(
        ImportStatus.WITHDRAWN, Withdraw(Stamp(1))
    )
    for article, withdraw, status in (
        (published(OLD), False, ImportStatus.REMOVED),
        (drafted(OLD), True, ImportStatus.REMOVED),
        (published(HERE), True, ImportStatus.CONFLICT),
    ):
        told = plan_removed(record(), article, withdraw=withdraw)
        assert told is not None
        assert (told.status, told.write) == (status, None)
    withdrawn = replace(published(OLD), state=State.WITHDRAWN)
    assert plan_removed(record(), withdrawn, withdraw=True) is None


def test_what_a_killed_import_forgot_is_recognised_by_its_text() -> None:
    revisions = [
        Revision(ArticleId("a"), text, Stamp(at), Principal("local/local"))
        for at, text in ((3, HERE), (2, OLD))
    ]
    recalled = recall(document(OLD), revisions)
    assert recalled is not None
    assert recalled.updated_at == Stamp(2)
    kept = step(document(OLD), published(HERE, 3), known=recalled)
    assert (kept.status, kept.write) == (ImportStatus.KEPT, None)
    assert recall(document(FILE), revisions) is None


def test_a_path_keeps_its_first_id_and_no_two_paths_share_one() -> None:
    kept = replace(record(), path="old.md", article_id=ArticleId("x"))
    documents = [
        document(OLD, path="a b.md"),
        document(OLD, path="a-b.md"),
        replace(document(OLD, path="named.md"), article_id=ArticleId("a-b"), names_id=True),
        replace(document(OLD, path="old.md"), article_id=ArticleId("other"), names_id=True),
        replace(document(OLD, path="x.md"), article_id=ArticleId("x")),
    ]
    documents[0] = replace(documents[0], article_id=ArticleId("a-b"))
    assigned, findings = assign(documents, [kept])
    assert [one.document.article_id for one in assigned] == ["a-b-2", "a-b-3", "a-b", "x", "x-2"]
    assert [one.record for one in assigned] == [None, None, None, kept, None]
    assert findings == [
        Finding("a b.md", "another file has the id a-b; this one got a-b-2"),
        Finding("a-b.md", "another file has the id a-b; this one got a-b-3"),
        Finding("x.md", "another file has the id x; this one got x-2"),
    ]


def test_a_file_under_a_new_name_that_keeps_its_id_is_the_same_article() -> None:
    moved = replace(document(OLD, path="new/a.md"), article_id=ArticleId("a"), names_id=True)
    assigned, findings = assign([moved], [record()])
    assert (assigned[0].record, findings) == (record(), [])
    records = remember(assigned[0], published(OLD))
    assert [(one.path, one.article_id) for one in records] == [("new/a.md", "a"), ("a.md", "a")]
    assert [one.path for one in in_force(records)] == ["new/a.md"]


def test_a_numbered_id_stays_within_the_limit() -> None:
    long = ArticleId("x" * 200)
    documents = [replace(document(OLD, path=path), article_id=long) for path in ("a", "b")]
    assert [one.document.article_id for one in assign(documents, [])[0]] == [
        "x" * 200,
        "x" * 198 + "-2",
    ]


LINES = st.lists(st.sampled_from(["p\n", "q\n", "r\n", "\n"]), min_size=1, max_size=5).map("".join)
TEXTS = st.builds(Text, st.sampled_from(["T", "U"]), LINES)


@pytest.mark.spec("CAS-5")
@given(TEXTS, TEXTS, TEXTS, st.booleans(), st.booleans())
def test_no_step_drops_what_a_person_wrote(
    old: Text, here: Text, file: Text, publish: bool, only_draft: bool
) -> None:
    assume(here != old)
    article = drafted(here) if only_draft else published(here, 2)
    decided = plan(Assignment(document(file), record(old)), article, old, publish=publish)
    match decided.write:
        case Edit(_, content, _) | SaveDraft(_, _, Text(_, content)):
            added = set(here.content.splitlines()) - set(old.content.splitlines())
            assert added <= set(content.splitlines())
        case None:
            assert decided.status in {
                ImportStatus.KEPT,
                ImportStatus.UNCHANGED,
                ImportStatus.CONFLICT,
            }
        case other:
            assert other == Publish(None, Stamp(1))
            assert here == file
