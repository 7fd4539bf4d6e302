"""The log: gapless numbers, whole pages, cursors that are refused and never misread."""

import json

import pytest

from pincite.domain.edits import Create, DiscardDraft, Edit, Receipt, SaveDraft, Status
from pincite.domain.events import (
    ArticleEvent,
    ArticleEventType,
    EventPage,
    HostEvent,
    Occurrence,
    Part,
    Resource,
    ResourceType,
)
from pincite.domain.ids import ArticleId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import CursorAheadError, CursorExpiredError, InvalidInputError
from pincite.ports import Committed, Store
from tests.storage.dump import SESSION, dump
from tests.storage.writing import LOG, PAYROLL, Author, events

LEAVE = ArticleId("leave")
TEN = "2026-11-08T10:00:"


def at(seconds: str) -> Stamp:
    return Stamp.parse(f"{TEN}{seconds}Z")


@pytest.mark.spec("EV-1", "EV-2")
def test_each_change_that_agents_see_is_told_once_with_its_stamp(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    author.later()
    author.edit("leave", "New text.\n", "A new title")
    author.edit("leave", "Newer text.\n")
    author.later()
    author.withdraw("leave")
    author.republish("leave")
    author.delete("leave")
    assert events(store) == [
        ArticleEvent(1, ArticleEventType.PUBLISHED, LEAVE, at("00.000")),
        ArticleEvent(2, ArticleEventType.UPDATED, LEAVE, at("01.000"), (Part.TITLE, Part.CONTENT)),
        ArticleEvent(3, ArticleEventType.UPDATED, LEAVE, at("01.001"), (Part.CONTENT,)),
        ArticleEvent(4, ArticleEventType.UNPUBLISHED, LEAVE, at("02.000")),
        ArticleEvent(5, ArticleEventType.PUBLISHED, LEAVE, at("02.001")),
        ArticleEvent(6, ArticleEventType.DELETED, LEAVE, at("02.002")),
    ]
    assert author.find("leave").sequence == 6


@pytest.mark.spec("EV-1", "EV-7")
def test_nothing_that_is_done_to_a_draft_is_told(store: Store, author: Author) -> None:
    text = Text("Severance", "Nobody may know.\n")
    author.saved("secret", Create(text))
    author.saved(
        "secret",
        SaveDraft(draft_stamp(author, "secret"), None, Text("Severance", "Still nobody.\n")),
    )
    author.delete("secret")
    stamp = author.publish("leave")
    author.saved("leave", SaveDraft(None, stamp, text))
    author.saved("leave", DiscardDraft(draft_stamp(author, "leave")))
    assert events(store) == [ArticleEvent(1, ArticleEventType.PUBLISHED, LEAVE, at("00.000"))]


def draft_stamp(author: Author, article_id: str) -> Stamp:
    draft = author.find(article_id).draft
    assert draft is not None
    return draft.updated_at


@pytest.mark.spec("EV-2")
def test_each_knowledge_base_counts_for_itself(store: Store, author: Author) -> None:
    author.publish("leave")
    Author(store, PAYROLL).publish("wages")
    author.publish("sick-days")
    assert [event.sequence for event in events(store)] == [1, 2]
    assert [event.sequence for event in events(store, Resource.of(PAYROLL))] == [1]
    assert (store.head(LOG), store.head(Resource.of(PAYROLL))) == (2, 1)


@pytest.mark.spec("EV-4")
@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8, 100])
def test_pages_of_any_size_hold_every_event_once(store: Store, author: Author, limit: int) -> None:
    for number in range(7):
        author.publish(f"article-{number}")
    seen, after, more = [], 0, True
    while more:
        with store.view() as view:
            page = view.list_events(LOG, after, limit)
        assert len(page.events) <= limit
        assert page.latest_sequence == 7
        seen += [event.sequence for event in page.events]
        after, more = page.next_sequence, page.has_more
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert after == 7


@pytest.mark.spec("EV-4")
def test_the_end_of_the_log_is_an_empty_page(store: Store, author: Author) -> None:
    author.publish("leave")
    with store.view() as view:
        assert view.list_events(LOG, 1, 100) == EventPage((), 1, 1)


@pytest.mark.spec("EV-5")
@pytest.mark.parametrize("after", [2, 100, 2**63 - 1, 2**63, 10**30])
def test_a_cursor_beyond_the_end_is_refused(store: Store, author: Author, after: int) -> None:
    author.publish("leave")
    with store.view() as view, pytest.raises(CursorAheadError) as refusal:
        view.list_events(LOG, after, 100)
    assert refusal.value.details == {"latest_sequence": 1}


@pytest.mark.spec("EV-5")
def test_a_cursor_before_the_oldest_kept_event_is_refused(store: Store, author: Author) -> None:
    for number in range(5):
        author.publish(f"article-{number}")
    assert store.upkeep.compact(LOG, 3) == 3
    for after in (0, 2):
        with store.view() as view, pytest.raises(CursorExpiredError) as refusal:
            view.list_events(LOG, after, 100)
        assert refusal.value.details == {"oldest_sequence": 4, "latest_sequence": 5}
    assert [event.sequence for event in events(store, after=3)] == [4, 5]
    author.publish("another")
    assert store.head(LOG) == 6


@pytest.mark.spec("EV-5")
def test_compacting_twice_or_beyond_the_end_drops_what_is_there(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    author.publish("sick-days")
    assert store.upkeep.compact(LOG, 1) == 1
    assert store.upkeep.compact(LOG, 1) == 0
    assert store.upkeep.compact(LOG, 10**9) == 1
    with store.view() as view:
        assert view.list_events(LOG, 2, 100) == EventPage((), 2, 2)
    author.publish("another")
    assert [event.sequence for event in events(store, after=2)] == [3]
    nothing = Resource(ResourceType.NOTE, "never")
    assert store.upkeep.compact(nothing, 10) == 0


@pytest.mark.parametrize(
    "resource",
    [
        Resource(ResourceType.CHANNEL, "support"),
        Resource(ResourceType.NOTE, "n-1"),
        Resource(ResourceType.RECORD, "r-1"),
        Resource(ResourceType.SESSION, "s-1"),
    ],
)
@pytest.mark.spec("EV-2", "EV-5")
def test_other_resources_have_logs_of_the_same_kind(
    store: Store, author: Author, resource: Resource
) -> None:
    with store.view() as view:
        assert view.list_events(resource, 0, 100) == EventPage((), 0, 0)
        with pytest.raises(CursorAheadError):
            view.list_events(resource, 1, 100)
    assert store.head(resource) == 0
    author.append(resource, "message.posted", '{"text": "Héllo"}')
    author.later()
    author.append(resource, "message.removed")
    assert events(store, resource) == [
        HostEvent(1, "message.posted", at("00.000"), '{"text": "Héllo"}'),
        HostEvent(2, "message.removed", at("01.000"), "{}"),
    ]
    assert store.head(resource) == 2
    assert events(store) == []
    assert store.upkeep.compact(resource, 1) == 1
    with store.view() as view, pytest.raises(CursorExpiredError):
        view.list_events(resource, 0, 100)


def test_resources_of_two_types_with_one_id_are_two(store: Store, author: Author) -> None:
    author.append(Resource(ResourceType.CHANNEL, "handbook"), "message.posted")
    author.append(Resource(ResourceType.NOTE, "handbook"), "note.written")
    assert [event.type for event in events(store, Resource(ResourceType.NOTE, "handbook"))] == [
        "note.written"
    ]
    assert events(store) == []


@pytest.mark.spec("EV-1")
def test_a_host_cannot_write_a_knowledge_bases_log(store: Store, author: Author) -> None:
    before = dump(store)
    with pytest.raises(InvalidInputError) as refusal:
        store.append(LOG, Occurrence("article.deleted", "{}"), author.request(), author.now)
    assert refusal.value.details["field"] == "resource_type"
    assert dump(store) == before


def test_a_sessions_log_tells_what_was_saved_in_it(store: Store, author: Author) -> None:
    session = Resource(ResourceType.SESSION, SESSION)
    first = author.publish("leave")
    author.later()
    request = author.request("k", session=SESSION)
    author.saved("leave", Edit(first, "New.\n"), request)
    author.saved("sick-days", Create(Text("A title", "x\n")), author.request(session=SESSION))
    told = [event for event in events(store, session) if isinstance(event, HostEvent)]
    assert [(event.sequence, event.type, event.at) for event in told] == [
        (1, "article.written", at("01.000")),
        (2, "article.written", at("01.000")),
    ]
    assert [json.loads(event.data) for event in told] == [
        {
            "knowledge_base_id": "handbook",
            "article_id": "leave",
            "status": "saved",
            "updated_at": "2026-11-08T10:00:01.000Z",
            "sequence": 2,
        },
        {
            "knowledge_base_id": "handbook",
            "article_id": "sick-days",
            "status": "draft",
            "updated_at": None,
            "sequence": None,
        },
    ]


def test_a_sessions_log_tells_nothing_of_what_was_not_saved(store: Store, author: Author) -> None:
    stamp = author.publish("leave", "Same.\n")
    request = author.request("k", session=SESSION)
    receipt = author.saved("leave", Edit(stamp, "Same.\n"), request)
    assert receipt.status is Status.UNCHANGED
    author.write("leave", Edit(stamp, "Same.\n"), request)
    assert events(store, Resource(ResourceType.SESSION, SESSION)) == []


def test_old_sessions_are_dropped_whole_and_their_cursors_expire(
    store: Store, author: Author
) -> None:
    old, new = Resource(ResourceType.SESSION, "old"), Resource(ResourceType.SESSION, "new")
    channel = Resource(ResourceType.CHANNEL, "support")
    author.append(old, "question.asked")
    author.append(new, "question.asked")
    author.append(channel, "message.posted")
    author.later(60_000)
    author.append(new, "question.asked")
    assert store.upkeep.drop_sessions(author.now) == 1
    assert store.upkeep.drop_sessions(author.now) == 0
    assert len(events(store, new)) == 2
    assert len(events(store, channel)) == 1
    with store.view() as view, pytest.raises(CursorExpiredError):
        view.list_events(old, 0, 100)
    outcome = author.append(old, "question.asked")
    assert outcome == Committed(Receipt(Status.APPENDED, ArticleId(""), sequence=2))
