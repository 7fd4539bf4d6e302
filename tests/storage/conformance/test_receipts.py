"""Receipts: the same request again gives the same answer, and writes nothing."""

import pytest

from pincite.domain.decide import decide
from pincite.domain.edits import Create, Edit, KeptReceipt, Receipt, Request, Status
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.ids import ArticleId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import Committed, Replayed, Reused, Stale, Store
from tests.storage.dump import REFUSED, dump
from tests.storage.writing import ANNA, BEN, LOG, PAYROLL, Author

CHANNEL = Resource(ResourceType.CHANNEL, "support")


@pytest.mark.spec("IDEM-1")
def test_the_same_request_again_gives_the_first_receipt_and_writes_nothing(
    store: Store, author: Author
) -> None:
    first = author.publish("leave")
    decision = decide(author.find("leave"), Edit(first, "New.\n"), author.now)
    request = author.request("k", "f")
    outcome = store.commit(decision, request, author.now)
    assert isinstance(outcome, Committed)
    author.edit("leave", "Newer.\n")
    author.withdraw("leave")
    before = dump(store)
    author.later()
    assert store.commit(decision, request, author.now) == Replayed(outcome.receipt)
    assert dump(store) == before


@pytest.mark.spec("IDEM-2")
def test_the_key_of_another_request_is_refused_and_changes_nothing(
    store: Store, author: Author
) -> None:
    first = author.publish("leave")
    second = author.saved("leave", Edit(first, "New.\n"), author.request("k", "f")).updated_at
    assert second is not None
    before = dump(store)
    assert author.write("leave", Edit(second, "Other.\n"), author.request("k", "g")) == Reused()
    assert dump(store) == before


@pytest.mark.spec("IDEM-1")
def test_a_key_belongs_to_one_principal_in_one_knowledge_base(store: Store, author: Author) -> None:
    create = Create(Text("A title", "Text.\n"), publish=True)
    author.saved("leave", create, author.request("k", "f"))
    ben = Author(store, principal=BEN)
    ben.saved("sick-days", create, ben.request("k", "g"))
    payroll = Author(store, PAYROLL)
    payroll.saved("wages", create, payroll.request("k", "h"))
    with store.view() as view:
        kept = {
            (resource.id, principal): view.find_receipt(resource, principal, "k")
            for resource in (LOG, Resource.of(PAYROLL))
            for principal in (ANNA, BEN)
        }
    assert {place: found and found.fingerprint for place, found in kept.items()} == {
        ("handbook", ANNA): "f",
        ("handbook", BEN): "g",
        ("payroll", ANNA): "h",
        ("payroll", BEN): None,
    }


@pytest.mark.spec("IDEM-4")
def test_a_refused_edit_does_not_use_up_its_key(store: Store, author: Author) -> None:
    first = author.publish("leave")
    overtaken = decide(author.find("leave"), Edit(first, "Mine.\n"), author.now)
    second = author.edit("leave", "Theirs.\n")
    request = author.request(REFUSED, "f")
    assert store.commit(overtaken, request, author.now) == Stale()
    anew = decide(author.find("leave"), Edit(second, "Mine.\n"), author.now)
    assert isinstance(store.commit(anew, request, author.now), Committed)


@pytest.mark.spec("IDEM-1")
def test_a_receipt_is_found_as_it_was_given(store: Store, author: Author) -> None:
    receipt = author.saved("leave", Create(Text("A title", "Text.\n")), author.request("k", "f"))
    assert receipt == Receipt(Status.DRAFT, ArticleId("leave"))
    published = author.saved(
        "sick-days", Create(Text("A title", "Text.\n"), publish=True), author.request("l", "g")
    )
    stamp = Stamp.parse("2026-11-08T10:00:00.000Z")
    assert published == Receipt(Status.SAVED, ArticleId("sick-days"), stamp, 1)
    with store.view() as view:
        assert view.find_receipt(LOG, ANNA, "k") == KeptReceipt("f", receipt)
        assert view.find_receipt(LOG, ANNA, "l") == KeptReceipt("g", published)
        assert view.find_receipt(LOG, ANNA, "m") is None
        assert view.find_receipt(CHANNEL, ANNA, "k") is None
        assert view.find_appended(LOG, ANNA, "k") is None


def test_a_request_without_a_key_is_never_replayed(store: Store, author: Author) -> None:
    first = author.publish("leave")
    keyless = Request(ANNA)
    author.saved("leave", Edit(first, "New.\n"), keyless)
    author.saved("leave", Edit(author.stamp("leave"), "Newer.\n"), keyless)
    assert author.find("leave").text == Text("A title", "Newer.\n")


@pytest.mark.spec("IDEM-1", "IDEM-2")
def test_an_appended_event_is_replayed_and_its_key_refused_for_another(
    store: Store, author: Author
) -> None:
    opened = Occurrence("message.posted", '{"text": "Hello"}')
    request = author.request("k", "f")
    outcome = store.append(CHANNEL, opened, request, author.now)
    assert outcome == Committed(Receipt(Status.APPENDED, ArticleId(""), sequence=1))
    before = dump(store)
    assert store.append(CHANNEL, opened, request, author.now) == Replayed(outcome.receipt)
    assert store.append(CHANNEL, opened, author.request("k", "g"), author.now) == Reused()
    assert dump(store) == before
    with store.view() as view:
        assert view.find_appended(CHANNEL, ANNA, "k") == ("f", 1)
        assert view.find_appended(CHANNEL, BEN, "k") is None


@pytest.mark.spec("IDEM-5")
def test_receipts_are_kept_until_they_are_dropped_by_age(store: Store, author: Author) -> None:
    stamp = author.publish("leave")
    author.saved("leave", Edit(stamp, "Old.\n"), author.request("old", "f"))
    author.later(60_000)
    stamp = author.stamp("leave")
    author.saved("leave", Edit(stamp, "New.\n"), author.request("new", "f"))
    assert store.upkeep.drop_receipts(author.now) == 2
    with store.view() as view:
        assert view.find_receipt(LOG, ANNA, "old") is None
        assert view.find_receipt(LOG, ANNA, "new") is not None
    late = author.write(
        "leave", Edit(author.stamp("leave"), "Newest.\n"), author.request("old", "g")
    )
    assert isinstance(late, Committed)
