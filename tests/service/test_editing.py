"""The one write path: saved once, refused whole, replayed for ever."""

import pytest

from pincite.domain.edits import (
    Context,
    Create,
    DiscardDraft,
    Edit,
    Patch,
    Publish,
    Receipt,
    Replacement,
    SaveDraft,
    Status,
    Write,
)
from pincite.domain.grants import Approval, Grant
from pincite.domain.ids import ArticleId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import (
    DeniedError,
    GoneError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
    VersionConflictError,
)
from pincite.service.environment import Limits
from pincite.storage.sqlite.store import SqliteStore
from tests.service.world import KB, OWNER, A, World


@pytest.mark.spec("CAS-1", "EV-1")
def test_an_edit_of_the_present_version_is_saved_and_told_once(world: World) -> None:
    stamp = world.publish("old")
    saved = world.edit(stamp, "new")
    assert saved.receipt == Receipt(Status.SAVED, A, Stamp(1001), 2)
    assert not saved.replayed
    assert world.service.read(OWNER, KB, A).text.content == "new"
    assert world.told() == [(1, "article.published"), (2, "article.updated")]


@pytest.mark.spec("CAS-4")
def test_a_conflict_says_what_changed_and_offers_the_merge(world: World) -> None:
    stamp = world.publish("First.\n\nSecond.\n\nThird.\n")
    world.edit(stamp, "First.\n\nSecond.\n\nThird, by a person.\n")
    with pytest.raises(VersionConflictError) as refusal:
        world.edit(stamp, "First, by an agent.\n\nSecond.\n\nThird.\n")
    assert refusal.value.details == {
        "expected": "1970-01-01T00:00:01.000Z",
        "current": "1970-01-01T00:00:01.001Z",
        "latest_sequence": 2,
        "changed": ["content"],
        "diff": "--- expected\n+++ current\n@@ -2,4 +2,4 @@\n \n Second.\n \n"
        "-Third.\n+Third, by a person.\n",
        "merged": "First, by an agent.\n\nSecond.\n\nThird, by a person.\n",
        "merged_title": "Title",
    }


@pytest.mark.spec("CAS-4")
def test_saving_the_merge_under_the_present_stamp_keeps_both_changes(world: World) -> None:
    stamp = world.publish("One.\n\nTwo.\n")
    world.edit(stamp, "One.\n\nTwo, theirs.\n")
    with pytest.raises(VersionConflictError) as refusal:
        world.edit(stamp, "One, mine.\n\nTwo.\n", key="k")
    details = refusal.value.details
    world.edit(Stamp.parse(str(details["current"])), str(details["merged"]), key="k")
    assert world.service.read(OWNER, KB, A).text.content == "One, mine.\n\nTwo, theirs.\n"


@pytest.mark.spec("CAS-4")
def test_changes_of_the_same_line_and_of_both_titles_offer_no_merge(world: World) -> None:
    stamp = world.publish("One.\n")
    world.service.write(OWNER, KB, A, Edit(stamp, "One.\n", "Theirs"))
    with pytest.raises(VersionConflictError) as titles:
        world.service.write(OWNER, KB, A, Edit(stamp, "One.\n\nTwo.\n", "Mine"))
    assert titles.value.details["merged"] is None
    assert titles.value.details["changed"] == ["title"]
    with pytest.raises(VersionConflictError) as kept:
        world.service.write(OWNER, KB, A, Edit(stamp, "One.\n\nTwo.\n"))
    assert kept.value.details["merged"] == "One.\n\nTwo.\n"
    assert kept.value.details["merged_title"] == "Theirs"


@pytest.mark.spec("CAS-4")
def test_a_patch_of_an_old_version_is_offered_its_merge_too(world: World) -> None:
    stamp = world.publish("One.\n\nTwo.\n")
    world.edit(stamp, "One.\n\nTwo, theirs.\n")
    patch = Patch(stamp, (Replacement("One", "One, mine"),))
    with pytest.raises(VersionConflictError) as refusal:
        world.service.write(OWNER, KB, A, patch)
    assert refusal.value.details["merged"] == "One, mine.\n\nTwo, theirs.\n"


def test_a_conflict_with_a_version_that_never_was_says_so_and_offers_no_merge(
    world: World,
) -> None:
    stamp = world.publish("One.\n")
    withdrawn = world.withdraw(stamp)
    world.service.write(OWNER, KB, A, Publish(withdrawn, None))
    for never in (Stamp(5), Stamp(stamp.milliseconds, "5"), withdrawn):
        with pytest.raises(VersionConflictError, match="was ever published under") as refusal:
            world.edit(never, "Two.\n")
        assert refusal.value.details["merged"] is None
        assert refusal.value.details["diff"] is None


def test_a_conflict_with_a_version_that_is_not_kept_does_not_deny_that_it_was(
    world: World,
) -> None:
    stamp = world.publish("One.\n")
    world.edit(stamp, "Two.\n")
    world.store.upkeep.drop_revisions(KB, Stamp(10**12))
    with pytest.raises(VersionConflictError, match="is not at the version") as refusal:
        world.edit(stamp, "Three.\n")
    assert refusal.value.details["diff"] is None


@pytest.mark.spec("IDEM-1")
def test_a_retry_has_the_first_receipt_whatever_became_of_the_article(world: World) -> None:
    stamp = world.publish("old")
    first = world.edit(stamp, "new", key="k")
    assert first.receipt.updated_at
    world.withdraw(first.receipt.updated_at)
    again = world.edit(stamp, "new", key="k")
    assert again.receipt == first.receipt
    assert again.replayed
    assert [sequence for sequence, _ in world.told()] == [1, 2, 3]


@pytest.mark.spec("IDEM-2")
def test_a_key_with_another_request_is_refused_and_changes_nothing(world: World) -> None:
    stamp = world.publish("old")
    first = world.edit(stamp, "new", key="k")
    assert first.receipt.updated_at
    with pytest.raises(IdempotencyKeyReusedError):
        world.edit(first.receipt.updated_at, "newer", key="k")
    assert world.service.read(OWNER, KB, A).text.content == "new"
    assert len(world.told()) == 2


@pytest.mark.spec("IDEM-4", "CAS-3")
def test_a_refused_edit_leaves_its_key_and_everything_else_as_it_was(world: World) -> None:
    stamp = world.publish("old")
    with pytest.raises(VersionConflictError):
        world.edit(Stamp(5), "new", key="k")
    assert world.service.read(OWNER, KB, A).text.content == "old"
    assert len(world.service.list_revisions(OWNER, KB, A)) == 1
    assert world.edit(stamp, "new", key="k").receipt.status is Status.SAVED


@pytest.mark.spec("IDEM-6")
def test_the_receipt_is_found_before_size_existence_and_version_are_judged(
    world: World,
) -> None:
    stamp = world.publish("old")
    first = world.edit(stamp, "longer", key="k")
    small = World(world.store, world.clock, Limits(content=3))
    assert small.edit(stamp, "longer", key="k").receipt == first.receipt
    assert first.receipt.updated_at
    world.withdraw(first.receipt.updated_at)
    with pytest.raises(IdempotencyKeyReusedError):
        world.edit(stamp, "another", key="k")
    with pytest.raises(TooLargeError):
        small.edit(stamp, "longer", key="new")
    with pytest.raises(GoneError):
        world.edit(stamp, "longer", key="new")


@pytest.mark.spec("IDEM-6", "IDEM-1")
def test_the_receipt_is_found_before_an_approval_is_asked_for(world: World) -> None:
    stamp = world.publish("old")
    write = Edit(stamp, "new")
    first = world.service.write(world.agent(Grant.EDIT), KB, A, write, Context("k"))
    world.service.revoke_token(OWNER, "agent")
    watched = world.agent(Grant.EDIT, approval=Approval.QUEUE)
    again = world.service.write(watched, KB, A, write, Context("k"))
    assert (again.receipt, again.replayed) == (first.receipt, True)
    with pytest.raises(DeniedError, match="need a person's approval"):
        world.service.write(watched, KB, A, write, Context("new"))


@pytest.mark.spec("IDEM-6", "IDEM-1")
def test_the_receipt_is_found_in_a_knowledge_base_that_moved_since(world: World) -> None:
    stamp = world.publish("old")
    first = world.edit(stamp, "new", key="k")
    assert isinstance(world.store, SqliteStore)
    world.store.transfer.seal(KB, sealed=True)
    again = world.edit(stamp, "new", key="k")
    assert (again.receipt, again.replayed) == (first.receipt, True)
    with pytest.raises(DeniedError, match="has moved to another database"):
        world.edit(stamp, "new", key="another")


@pytest.mark.spec("IDEM-6", "ACC-1")
def test_the_grant_is_judged_before_the_receipt(world: World) -> None:
    stamp = world.publish("old")
    agent = world.agent(Grant.EDIT)
    write = Edit(stamp, "new")
    world.service.write(agent, KB, A, write, Context("k"))
    world.service.revoke_token(OWNER, "agent")
    reader = world.agent(Grant.READ)
    with pytest.raises(DeniedError, match="takes the grant edit"):
        world.service.write(reader, KB, A, write, Context("k"))


@pytest.mark.spec("IDEM-1")
def test_a_principal_outlives_its_tokens_and_another_one_has_keys_of_its_own(
    world: World,
) -> None:
    stamp = world.publish("old")
    write = Edit(stamp, "new")
    first = world.service.write(world.agent(Grant.EDIT), KB, A, write, Context("k"))
    world.service.revoke_token(OWNER, "agent")
    again = world.service.write(world.agent(Grant.EDIT), KB, A, write, Context("k"))
    assert (again.receipt, again.replayed) == (first.receipt, True)
    with pytest.raises(VersionConflictError):
        world.service.write(world.agent(Grant.EDIT, "other"), KB, A, write, Context("k"))


@pytest.mark.spec("IDEM-1")
def test_a_draft_under_one_key_is_one_draft_under_one_id(world: World) -> None:
    agent = world.agent(Grant.PROPOSE)
    first = world.service.draft(agent, KB, Text("New", "text"), Context("k"))
    again = world.service.draft(agent, KB, Text("New", "text"), Context("k"))
    assert (again.receipt, again.replayed) == (first.receipt, True)
    assert first.receipt.status is Status.DRAFT
    assert len(world.service.list_articles(OWNER, KB, state=None)) == 1
    with pytest.raises(IdempotencyKeyReusedError):
        world.service.draft(agent, KB, Text("New", "other"), Context("k"))


@pytest.mark.spec("EV-7", "PUB-1")
def test_nothing_of_a_draft_reaches_agents(world: World) -> None:
    made = world.service.draft(OWNER, KB, Text("Secret", "hidden plan"), Context("k"))
    reader = world.agent(Grant.READ)
    with pytest.raises(NotFoundError):
        world.service.read(reader, KB, made.receipt.article_id)
    with pytest.raises(DeniedError):
        world.service.get_article(reader, KB, made.receipt.article_id)
    with pytest.raises(DeniedError):
        world.service.list_articles(reader, KB, state=None)
    assert list(world.service.search(reader, KB, "hidden plan secret").hits) == []
    assert world.told() == []


@pytest.mark.spec("PUB-3")
def test_two_people_cannot_both_save_the_same_draft(world: World) -> None:
    stamp = world.publish("old")
    first = SaveDraft(None, stamp, Text("Title", "mine"))
    world.service.write(OWNER, KB, A, first)
    with pytest.raises(VersionConflictError):
        world.service.write(OWNER, KB, A, SaveDraft(None, stamp, Text("Title", "theirs")))
    draft = world.service.get_article(OWNER, KB, A).draft
    assert draft
    assert draft.text.content == "mine"
    assert world.service.read(OWNER, KB, A).text.content == "old"
    assert len(world.told()) == 1


@pytest.mark.spec("PUB-3", "CAS-5")
def test_publishing_a_draft_whose_base_moved_is_refused_with_the_merge(world: World) -> None:
    stamp = world.publish("One.\n\nTwo.\n")
    draft = Text("Title", "One, drafted.\n\nTwo.\n")
    world.service.write(OWNER, KB, A, SaveDraft(None, stamp, draft))
    moved = world.edit(stamp, "One.\n\nTwo, published.\n").receipt.updated_at
    kept = world.service.get_article(OWNER, KB, A).draft
    assert kept
    with pytest.raises(VersionConflictError) as refusal:
        world.service.write(OWNER, KB, A, Publish(moved, kept.updated_at))
    merged = str(refusal.value.details["merged"])
    assert merged == "One, drafted.\n\nTwo, published.\n"
    again = SaveDraft(kept.updated_at, moved, Text("Title", merged))
    world.service.write(OWNER, KB, A, again)
    newer = world.service.get_article(OWNER, KB, A).draft
    assert newer
    world.service.write(OWNER, KB, A, Publish(moved, newer.updated_at))
    assert world.service.read(OWNER, KB, A).text.content == merged
    assert world.service.get_article(OWNER, KB, A).draft is None


def test_a_discarded_draft_leaves_the_published_text(world: World) -> None:
    stamp = world.publish("old")
    world.service.write(OWNER, KB, A, SaveDraft(None, stamp, Text("Title", "draft")))
    draft = world.service.get_article(OWNER, KB, A).draft
    assert draft
    world.service.write(OWNER, KB, A, DiscardDraft(draft.updated_at))
    assert world.service.get_article(OWNER, KB, A).draft is None
    assert world.service.read(OWNER, KB, A).updated_at == stamp


@pytest.mark.spec("ACC-4")
@pytest.mark.parametrize("approval", [Approval.ASK, Approval.QUEUE])
def test_a_token_that_needs_approval_saves_nothing_by_itself(
    world: World, approval: Approval
) -> None:
    stamp = world.publish("old")
    agent = world.agent(Grant.EDIT, approval=approval)
    with pytest.raises(DeniedError, match="need a person's approval"):
        world.service.write(agent, KB, A, Edit(stamp, "new"), Context("k"))
    assert world.service.read(OWNER, KB, A).text.content == "old"


@pytest.mark.parametrize(
    ("grant", "write"),
    [
        (Grant.READ, Create(Text("t", "c"))),
        (Grant.PROPOSE, Edit(Stamp(1000), "c")),
        (Grant.PROPOSE, Patch(Stamp(1000), (Replacement("a", "b"),))),
        (Grant.EDIT, Create(Text("t", "c"), publish=True)),
        (Grant.EDIT, Publish(Stamp(1000), None)),
    ],
)
def test_each_write_takes_its_grant(world: World, grant: Grant, write: Write) -> None:
    world.publish("a")
    with pytest.raises(DeniedError, match=f"yours is {grant.word}"):
        world.service.write(world.agent(grant), KB, A, write, Context("k"))
    assert len(world.told()) == 1


@pytest.mark.parametrize(
    ("write", "context", "field"),
    [
        (Edit(Stamp(1000), ""), Context(), "content"),
        (Edit(Stamp(1000), "a\x00"), Context(), "content"),
        (Edit(Stamp(1000), "a", " "), Context(), "title"),
        (Edit(Stamp(1000), "a", "t" * 301), Context(), "title"),
        (Edit(Stamp(1000), "a"), Context(""), "idempotency_key"),
        (Edit(Stamp(1000), "a"), Context("k" * 201), "idempotency_key"),
        (Edit(Stamp(1000), "a"), Context(note="n" * 1001), "note"),
        (Patch(Stamp(1000), ()), Context(), "edits"),
        (Patch(Stamp(1000), (Replacement("x", "y"),) * 101), Context(), "edits"),
        (Patch(Stamp(1000), (Replacement("", "y"),)), Context(), "edits[0].old_text"),
        (Create(Text("", "c")), Context(), "title"),
    ],
)
def test_bad_values_are_refused_by_field_before_anything_is_written(
    world: World, write: Write, context: Context, field: str
) -> None:
    world.publish("old")
    with pytest.raises(InvalidInputError) as refusal:
        world.service.write(OWNER, KB, A, write, context)
    assert refusal.value.details["field"] == field
    assert len(world.told()) == 1


def test_content_beyond_the_limit_is_refused_and_so_is_a_patch_that_grows_beyond_it(
    world: World,
) -> None:
    small = World(world.store, world.clock, Limits(content=10))
    stamp = small.publish("0123456789")
    with pytest.raises(TooLargeError, match="content has 11 bytes; the limit is 10"):
        small.edit(stamp, "0123456789x")
    with pytest.raises(TooLargeError):
        small.service.write(OWNER, KB, A, Patch(stamp, (Replacement("9", "90"),)))
    assert small.service.read(OWNER, KB, A).text.content == "0123456789"


def test_an_id_that_nobody_used_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.service.write(OWNER, KB, ArticleId("none"), Edit(Stamp(1), "x"))
