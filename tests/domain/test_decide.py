"""Decisions: which write is saved on which state, what agents then see, and what is refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.articles import Article, Draft, State
from pincite.domain.decide import Decision, decide, patched
from pincite.domain.edits import (
    Create,
    Delete,
    DiscardDraft,
    Edit,
    Patch,
    Publish,
    Replacement,
    SaveDraft,
    Status,
    Withdraw,
    Write,
)
from pincite.domain.events import ArticleEventType, Part
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import (
    GoneError,
    InvalidInputError,
    NotFoundError,
    PinciteError,
    VersionConflictError,
)

NOTHING = Article.absent(KnowledgeBaseId("kb"), ArticleId("a"))
OLD, NEW = Text("Title", "old text"), Text("Title", "new text")
PUBLISHED = replace(NOTHING, state=State.PUBLISHED, text=OLD, updated_at=Stamp(100), sequence=1)
AHEAD = replace(PUBLISHED, draft=Draft(NEW, Stamp(150), base=Stamp(100)), drafted_at=Stamp(150))
WITHDRAWN = replace(PUBLISHED, state=State.WITHDRAWN, updated_at=Stamp(200), sequence=2)
DRAFT = replace(
    NOTHING, state=State.DRAFT, draft=Draft(NEW, Stamp(50), base=None), drafted_at=Stamp(50)
)
DELETED = replace(PUBLISHED, state=State.DELETED, text=None, updated_at=Stamp(300), sequence=3)
NOW = Stamp(1000)


@pytest.mark.spec("CAS-1", "EV-1")
def test_an_edit_of_the_present_version_is_saved_as_one_update() -> None:
    decision = decide(PUBLISHED, Edit(Stamp(100), "new text"), NOW)
    assert decision == Decision(
        expected=PUBLISHED.version,
        article=replace(PUBLISHED, text=NEW, updated_at=Stamp(1000)),
        status=Status.SAVED,
        event=ArticleEventType.UPDATED,
        changed=(Part.CONTENT,),
    )
    assert decision.publishes


@pytest.mark.spec("CAS-1")
@pytest.mark.parametrize("expected", [Stamp(99), Stamp(101), Stamp(100, "1"), Stamp(0)])
def test_an_edit_of_any_other_version_is_a_conflict_that_names_the_present_stamp(
    expected: Stamp,
) -> None:
    with pytest.raises(VersionConflictError) as refusal:
        decide(PUBLISHED, Edit(expected, "new text"), NOW)
    assert refusal.value.details == {
        "expected": str(expected),
        "current": "1970-01-01T00:00:00.100Z",
    }


@pytest.mark.spec("CAS-6")
def test_an_edit_that_changes_nothing_is_unchanged_under_the_present_stamp() -> None:
    decision = decide(PUBLISHED, Edit(Stamp(100), "old text", "Title"), NOW)
    assert (decision.status, decision.event) == (Status.UNCHANGED, None)
    assert decision.article == PUBLISHED


def test_an_update_says_which_parts_changed() -> None:
    title = decide(PUBLISHED, Edit(Stamp(100), "old text", "Other"), NOW)
    both = decide(PUBLISHED, Edit(Stamp(100), "new text", "Other"), NOW)
    assert title.changed == (Part.TITLE,)
    assert both.changed == (Part.TITLE, Part.CONTENT)


@pytest.mark.spec("STAMP-2")
def test_a_change_within_the_same_millisecond_or_on_a_clock_gone_back_is_still_later() -> None:
    for now in (Stamp(100), Stamp(3)):
        assert decide(PUBLISHED, Edit(Stamp(100), "x"), now).article.updated_at == Stamp(101)
        assert decide(PUBLISHED, Withdraw(Stamp(100)), now).article.updated_at == Stamp(101)


@pytest.mark.spec("PUB-1")
def test_what_was_never_published_cannot_be_edited_and_seems_not_to_exist() -> None:
    for article in (NOTHING, DRAFT):
        with pytest.raises(NotFoundError, match=r"^There is no such article\.$"):
            decide(article, Edit(Stamp(50), "x"), NOW)


@pytest.mark.spec("PUB-1")
@pytest.mark.parametrize(
    ("article", "at", "sequence"),
    [(WITHDRAWN, "1970-01-01T00:00:00.200Z", 2), (DELETED, "1970-01-01T00:00:00.300Z", 3)],
)
def test_what_is_no_longer_published_is_gone_whichever_version_is_named(
    article: Article, at: str, sequence: int
) -> None:
    for expected in (Stamp(100), Stamp(200), Stamp(300)):
        with pytest.raises(GoneError) as refusal:
            decide(article, Edit(expected, "x"), NOW)
        assert refusal.value.details == {"withdrawn_at": at, "sequence": sequence}


def test_a_patch_replaces_what_stands_exactly_once() -> None:
    write = Patch(Stamp(100), (Replacement("old", "new"), Replacement("new text", "end")))
    assert decide(PUBLISHED, write, NOW).article.text == Text("Title", "end")


@pytest.mark.parametrize(
    ("content", "old", "found"),
    [("abc", "x", "nowhere"), ("aba", "a", "more than once"), ("aaa", "aa", "more than once")],
)
def test_a_patch_whose_old_text_is_not_unique_is_refused_by_its_number(
    content: str, old: str, found: str
) -> None:
    with pytest.raises(InvalidInputError, match=f"it stands {found}") as refusal:
        patched("-" + content, (Replacement("-", ""), Replacement(old, "y")))
    assert refusal.value.details == {"field": "edits[1].old_text", "limit": "stands exactly once"}


def test_a_patch_that_leaves_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="must not leave the article empty"):
        decide(PUBLISHED, Patch(Stamp(100), (Replacement("old text", ""),)), NOW)


@pytest.mark.spec("PUB-5")
@pytest.mark.parametrize("article", [DRAFT, PUBLISHED, WITHDRAWN, DELETED])
def test_an_id_is_never_used_again(article: Article) -> None:
    with pytest.raises(InvalidInputError, match="never used again"):
        decide(article, Create(NEW, publish=True), NOW)


@pytest.mark.spec("EV-7")
def test_no_write_on_drafts_alone_makes_an_event() -> None:
    writes: list[tuple[Article, Write]] = [
        (NOTHING, Create(NEW)),
        (DRAFT, SaveDraft(Stamp(50), None, OLD)),
        (DRAFT, Delete(None)),
        (PUBLISHED, SaveDraft(None, Stamp(100), NEW)),
        (AHEAD, SaveDraft(Stamp(150), Stamp(100), OLD)),
        (AHEAD, DiscardDraft(Stamp(150))),
    ]
    for article, write in writes:
        decision = decide(article, write, NOW)
        assert decision.event is None
        assert decision.article.updated_at == article.updated_at


@pytest.mark.spec("PUB-3")
def test_saving_a_draft_is_a_compare_and_swap_on_the_draft() -> None:
    saved = decide(AHEAD, SaveDraft(Stamp(150), Stamp(100), OLD), NOW).article
    assert saved.draft == Draft(OLD, Stamp(1000), base=Stamp(100))
    assert (saved.text, saved.updated_at) == (AHEAD.text, AHEAD.updated_at)
    for expected in (None, Stamp(149), Stamp(100)):
        with pytest.raises(VersionConflictError, match="This draft is not at the version"):
            decide(AHEAD, SaveDraft(expected, Stamp(100), OLD), NOW)


@pytest.mark.spec("PUB-3")
def test_publishing_a_draft_is_a_compare_and_swap_on_the_version_it_started_from() -> None:
    decision = decide(AHEAD, Publish(Stamp(100), Stamp(150)), NOW)
    assert decision.event is ArticleEventType.UPDATED
    assert decision.expected == AHEAD.version
    after = replace(PUBLISHED, text=NEW, updated_at=Stamp(1000), drafted_at=Stamp(150))
    assert decision.article == after
    moved = replace(AHEAD, updated_at=Stamp(160))
    with pytest.raises(VersionConflictError) as refusal:
        decide(moved, Publish(Stamp(160), Stamp(150)), NOW)
    assert refusal.value.details["expected"] == "1970-01-01T00:00:00.100Z"


@pytest.mark.spec("PUB-3", "STAMP-2")
@pytest.mark.parametrize("before", [PUBLISHED, WITHDRAWN, NOTHING])
def test_no_draft_has_the_stamp_of_one_that_was_published_though_the_clock_stepped_back(
    before: Article,
) -> None:
    draft = Draft(NEW, Stamp(900), base=before.updated_at)
    state = State.DRAFT if before is NOTHING else before.state
    ahead = replace(before, state=state, draft=draft, drafted_at=Stamp(900))
    published = decide(ahead, Publish(before.updated_at, Stamp(900)), Stamp(500)).article
    assert published.updated_at == Stamp(901)
    again = decide(published, SaveDraft(None, Stamp(901), OLD), Stamp(900)).article
    assert again.draft == Draft(OLD, Stamp(902), base=Stamp(901))
    with pytest.raises(VersionConflictError, match="This draft is not at the version"):
        decide(again, SaveDraft(Stamp(900), Stamp(901), NEW), NOW)


@pytest.mark.spec("PUB-3")
@pytest.mark.parametrize("now", [Stamp(150), Stamp(149), Stamp(0)])
@pytest.mark.parametrize(
    ("text", "end"),
    [(NEW, DiscardDraft(Stamp(150))), (OLD, Publish(Stamp(100), Stamp(150)))],
    ids=["discarded", "published with nothing new"],
)
def test_a_draft_never_has_the_stamp_of_an_earlier_one_that_left_no_trace(
    text: Text, end: Write, now: Stamp
) -> None:
    draft = Draft(text, Stamp(150), base=Stamp(100))
    without = decide(replace(AHEAD, draft=draft), end, now).article
    assert (without.draft, without.updated_at) == (None, Stamp(100))
    again = decide(without, SaveDraft(None, Stamp(100), NEW), now).article
    assert again.draft == Draft(NEW, Stamp(151), base=Stamp(100))


def test_publishing_a_draft_that_equals_the_published_text_only_drops_the_draft() -> None:
    same = replace(AHEAD, draft=Draft(OLD, Stamp(150), base=Stamp(100)))
    decision = decide(same, Publish(Stamp(100), Stamp(150)), NOW)
    assert (decision.status, decision.event) == (Status.UNCHANGED, None)
    assert decision.article == replace(PUBLISHED, drafted_at=Stamp(150))


@pytest.mark.spec("STAMP-2")
def test_publishing_again_after_a_withdrawal_is_a_publication_under_a_later_stamp() -> None:
    decision = decide(WITHDRAWN, Publish(Stamp(200), None), Stamp(200))
    assert decision.event is ArticleEventType.PUBLISHED
    assert decision.article.updated_at == Stamp(201)
    assert decision.article.text == OLD


def test_a_draft_survives_the_withdrawal_of_its_article_and_can_be_published_after_it() -> None:
    withdrawn = decide(AHEAD, Withdraw(Stamp(100)), NOW).article
    assert withdrawn.draft == Draft(NEW, Stamp(150), base=Stamp(1000))
    again = decide(withdrawn, Publish(Stamp(1000), Stamp(150)), NOW)
    assert again.article.text == NEW
    assert again.event is ArticleEventType.PUBLISHED


@pytest.mark.spec("EV-1")
def test_deleting_tells_agents_only_what_they_could_see() -> None:
    published = decide(PUBLISHED, Delete(Stamp(100)), NOW)
    assert published.event is ArticleEventType.DELETED
    assert published.article.updated_at == Stamp(1000)
    withdrawn = decide(WITHDRAWN, Delete(Stamp(200)), NOW)
    assert withdrawn.event is None
    assert withdrawn.article.updated_at == Stamp(200)
    assert withdrawn.article.text is None


def test_a_bare_draft_is_deleted_rather_than_discarded() -> None:
    with pytest.raises(InvalidInputError, match="delete it instead"):
        decide(DRAFT, DiscardDraft(Stamp(50)), NOW)
    assert decide(DRAFT, Delete(None), NOW).article.state is State.DELETED


STAMPS = st.one_of(st.none(), st.integers(90, 130).map(Stamp))
TEXTS = st.sampled_from([OLD, NEW, Text("Other", "old text")])


def writes(article: Article) -> st.SearchStrategy[Write]:
    """Writes that name the present stamps, or some other ones."""
    draft = article.draft.updated_at if article.draft else None
    present = st.one_of(st.just(article.updated_at), STAMPS)
    some = present.map(lambda stamp: stamp or Stamp(1))
    drafts = st.one_of(st.just(draft), STAMPS)
    return st.one_of(
        st.builds(Edit, some, st.sampled_from(["old text", "new text"])),
        st.builds(Create, TEXTS, st.booleans()),
        st.builds(SaveDraft, drafts, present, TEXTS),
        st.builds(DiscardDraft, drafts.map(lambda stamp: stamp or Stamp(1))),
        st.builds(Publish, present, drafts),
        st.builds(Withdraw, some),
        st.builds(Delete, present),
    )


@pytest.mark.spec("STAMP-2", "CAS-1", "EV-1", "EV-7")
@given(st.data())
def test_through_any_lifecycle_stamps_rise_and_events_tell_what_agents_see(
    data: st.DataObject,
) -> None:
    article, latest, now = NOTHING, Stamp(-1), 100
    for _ in range(data.draw(st.integers(1, 25))):
        now += data.draw(st.integers(-3, 3))
        write = data.draw(writes(article))
        try:
            decision = decide(article, write, Stamp(now))
        except PinciteError:
            continue
        before, after = article, decision.article
        assert decision.expected == before.version
        assert (decision.event is not None) == (visible(before) != visible(after))
        assert decision.publishes == (decision.event is not None and visible(after) is not None)
        if decision.event:
            assert after.updated_at
            assert after.updated_at > latest
            latest = after.updated_at
        else:
            assert after.updated_at == before.updated_at
        if isinstance(write, Edit):
            assert write.expected == before.updated_at
        article = after


def visible(article: Article) -> tuple[Text | None, Stamp | None] | None:
    """What agents see of an article."""
    if article.state is State.PUBLISHED:
        return article.text, article.updated_at
    return None
