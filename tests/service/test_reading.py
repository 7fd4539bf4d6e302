"""Reading: what agents see, what editors see, and parts of long articles."""

import pytest

from pincite.domain.articles import State
from pincite.domain.edits import Create, Delete, Edit, Publish, SaveDraft
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import GoneError, InvalidInputError, NotFoundError
from pincite.service.reading import OutlineEntry, Wanted
from tests.service.world import KB, OWNER, A, World

CONTENT = "# Refunds\n\nThirty days.\n\n## Exceptions\n\nGift cards.\n"


@pytest.mark.spec("TEXT-1")
@pytest.mark.parametrize(
    "content",
    ["a\r\nb\rc\n", "\ufeffa", " trailing  \n\n\n", "no end", "😀 e\u0301 \u200b", "\t\n", "\\\n"],
)
def test_content_comes_back_byte_for_byte(world: World, content: str) -> None:
    stamp = world.publish(content)
    read = world.service.read(OWNER, KB, A)
    assert read.text.content.encode() == content.encode()
    assert world.service.get_revision(OWNER, KB, A, stamp).text.content == content


@pytest.mark.spec("PUB-2")
def test_a_withdrawn_article_is_gone_at_the_next_call_on_every_server(world: World) -> None:
    stamp = world.publish("Thirty days.")
    elsewhere = World(world.store, world.clock).service
    assert [hit.article_id for hit in elsewhere.search(OWNER, KB, "thirty").hits] == ["a"]
    world.withdraw(stamp)
    with pytest.raises(GoneError) as refusal:
        elsewhere.read(OWNER, KB, A)
    assert refusal.value.details == {"withdrawn_at": "1970-01-01T00:00:01.001Z", "sequence": 2}
    assert list(elsewhere.search(OWNER, KB, "thirty").hits) == []


@pytest.mark.spec("PUB-2")
def test_a_search_after_a_save_sees_that_save_and_its_stamp(world: World) -> None:
    stamp = world.publish("Thirty days.")
    saved = world.edit(stamp, "Forty days.").receipt
    results = world.service.search(OWNER, KB, "forty")
    assert [(hit.article_id, hit.updated_at) for hit in results.hits] == [("a", saved.updated_at)]
    assert results.hits[0].snippet == "Forty days."
    assert results.latest_sequence == 2
    assert list(world.service.search(OWNER, KB, "thirty").hits) == []


@pytest.mark.spec("PUB-4")
def test_every_published_version_is_read_by_its_stamp(world: World) -> None:
    first = world.publish("one")
    second = world.edit(first, "two").receipt.updated_at
    reader = world.agent(Grant.READ)
    assert world.service.get_revision(reader, KB, A, first).text.content == "one"
    assert [one.updated_at for one in world.service.list_revisions(reader, KB, A)] == [
        second,
        first,
    ]
    with pytest.raises(NotFoundError, match=r"no version 1970-01-01T00:00:00\.005Z"):
        world.service.get_revision(reader, KB, A, Stamp(5))


@pytest.mark.spec("PUB-4")
def test_a_withdrawn_articles_versions_are_for_editors_only(world: World) -> None:
    stamp = world.publish("one")
    world.withdraw(stamp)
    for reader in (world.agent(Grant.READ, "r"), world.agent(Grant.PROPOSE, "p")):
        with pytest.raises(GoneError):
            world.service.get_revision(reader, KB, A, stamp)
        with pytest.raises(GoneError):
            world.service.list_revisions(reader, KB, A)
    editor = world.agent(Grant.EDIT)
    assert world.service.get_revision(editor, KB, A, stamp).text.content == "one"


@pytest.mark.spec("EV-7", "PUB-1")
def test_an_old_version_never_shows_a_draft(world: World) -> None:
    world.service.write(OWNER, KB, A, Create(Text("t", "draft")))
    draft = world.service.get_article(OWNER, KB, A).draft
    assert draft
    reader = world.agent(Grant.READ)
    with pytest.raises(NotFoundError, match=r"^There is no such article\.$"):
        world.service.get_revision(reader, KB, A, draft.updated_at)
    saved = world.service.write(OWNER, KB, A, Publish(None, draft.updated_at)).receipt
    assert saved.updated_at != draft.updated_at
    with pytest.raises(NotFoundError):
        world.service.get_revision(reader, KB, A, draft.updated_at)


@pytest.mark.spec("PUB-1", "PUB-3")
def test_only_editors_are_told_that_a_published_article_has_a_draft(world: World) -> None:
    stamp = world.publish("one")
    world.service.write(OWNER, KB, A, SaveDraft(None, stamp, Text("t", "draft")))
    told = [
        [one.has_draft for one in world.service.list_articles(world.agent(grant, grant.word), KB)]
        for grant in Grant
    ]
    assert told == [[False], [False], [True], [True], [True]]


def test_lists_go_by_state_and_page_by_id(world: World) -> None:
    for name in ("c", "a", "b"):
        world.publish("text", name)
    world.service.write(OWNER, KB, ArticleId("d"), Create(Text("t", "c")))
    stamp = world.service.read(OWNER, KB, A).updated_at
    world.service.write(OWNER, KB, A, SaveDraft(None, stamp, Text("t", "draft")))
    listed = world.service.list_articles(OWNER, KB, limit=2)
    assert [(one.article_id, one.has_draft) for one in listed] == [("a", True), ("b", False)]
    rest = world.service.list_articles(OWNER, KB, after=ArticleId("b"))
    assert [one.article_id for one in rest] == ["c"]
    drafts = world.service.list_articles(OWNER, KB, state=State.DRAFT)
    assert [one.article_id for one in drafts] == ["d"]
    for limit in (0, 1001):
        with pytest.raises(InvalidInputError, match="limit must be 1–1000"):
            world.service.list_articles(OWNER, KB, limit=limit)


def test_an_outline_lists_the_passages_of_the_whole_article(world: World) -> None:
    world.publish(CONTENT)
    read = world.service.read(OWNER, KB, A, Wanted(outline=True))
    assert read.complete
    assert read.outline
    assert [(one.heading_path, one.text_start) for one in read.outline] == [
        ((), "# Refunds"),
        (("Refunds",), "Thirty days."),
        (("Refunds",), "## Exceptions"),
        (("Refunds", "Exceptions"), "Gift cards."),
    ]


def test_a_part_says_that_it_is_one_and_where_the_next_begins(world: World) -> None:
    world.publish(CONTENT)
    outline = world.service.read(OWNER, KB, A, Wanted(outline=True)).outline or ()
    parts, first = [], None
    while True:
        read = world.service.read(OWNER, KB, A, Wanted(False, first, 30))
        assert not read.complete
        assert read.outline is None
        parts.append(read.text.content)
        first = read.next_passage
        if first is None:
            break
    assert parts == ["# Refunds\n\nThirty days.", "## Exceptions\n\nGift cards.\n"]
    assert isinstance(outline[0], OutlineEntry)


@pytest.mark.parametrize(
    ("wanted", "field"),
    [(Wanted(max_characters=0), "max_characters"), (Wanted(first_passage="x"), "first_passage")],
)
def test_a_part_that_there_is_not_is_refused_by_field(
    world: World, wanted: Wanted, field: str
) -> None:
    world.publish(CONTENT)
    with pytest.raises(InvalidInputError) as refusal:
        world.service.read(OWNER, KB, A, wanted)
    assert refusal.value.details["field"] == field


@pytest.mark.parametrize("limit", [0, 21])
def test_a_search_gives_1_to_20_hits(world: World, limit: int) -> None:
    with pytest.raises(InvalidInputError, match="limit must be 1–20"):
        world.service.search(OWNER, KB, "query", limit)


@pytest.mark.spec("PUB-5")
def test_erasing_deletes_first_and_leaves_ids_stamps_and_events(world: World) -> None:
    stamp = world.publish("one")
    world.edit(stamp, "two")
    world.service.erase(OWNER, KB, A)
    assert world.told() == [
        (1, "article.published"),
        (2, "article.updated"),
        (3, "article.deleted"),
    ]
    with pytest.raises(NotFoundError):
        world.service.get_revision(OWNER, KB, A, stamp)
    with pytest.raises(InvalidInputError, match="never used again"):
        world.publish("three")
    with pytest.raises(NotFoundError):
        world.service.erase(OWNER, KB, ArticleId("none"))


@pytest.mark.spec("PUB-5")
def test_a_withdrawn_or_deleted_article_can_be_erased_without_another_event(
    world: World,
) -> None:
    world.withdraw(world.publish("one"))
    world.service.erase(OWNER, KB, A)
    other = world.publish("two", "b")
    world.service.write(OWNER, KB, ArticleId("b"), Delete(other))
    world.service.erase(OWNER, KB, ArticleId("b"))
    assert [told[1] for told in world.told()] == [
        "article.published",
        "article.unpublished",
        "article.published",
        "article.deleted",
    ]


def test_an_editor_sees_a_withdrawn_article_with_its_text(world: World) -> None:
    stamp = world.publish("one")
    world.withdraw(stamp)
    article = world.service.get_article(world.agent(Grant.EDIT), KB, A)
    assert (article.state, article.text) == (State.WITHDRAWN, Text("Title", "one"))
    with pytest.raises(GoneError):
        world.service.write(OWNER, KB, A, Edit(stamp, "two"))
