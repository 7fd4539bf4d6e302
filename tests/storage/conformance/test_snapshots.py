"""Views: each is one moment, and sees all that was acknowledged before it."""

import threading

import pytest

from pincite.ports import Store
from tests.storage.backends import Home
from tests.storage.writing import HANDBOOK, LOG, Author


@pytest.mark.spec("PUB-2")
def test_a_view_sees_what_was_acknowledged_before_it_by_another_way_in(
    home: Home, store: Store, author: Author
) -> None:
    other = home.open()
    stamp = author.publish("leave", "Twelve weeks.\n")
    with other.view() as view:
        assert [hit.updated_at for hit in view.search(HANDBOOK, "twelve", 5)] == [stamp]
    author.withdraw("leave")
    with other.view() as view:
        assert list(view.search(HANDBOOK, "twelve", 5)) == []
        assert view.list_events(LOG, 0, 100).latest_sequence == 2


def test_a_view_stays_at_its_moment_while_others_write(store: Store, author: Author) -> None:
    stamp = author.publish("leave", "Twelve weeks.\n")
    with store.view() as view:
        before = view.find_knowledge_base(HANDBOOK)
        author.edit("leave", "Thirteen months.\n")
        author.publish("sick-days", "Twelve days.\n")
        assert view.find_knowledge_base(HANDBOOK) == before
        assert [hit.updated_at for hit in view.search(HANDBOOK, "twelve", 5)] == [stamp]
        assert view.list_events(LOG, 0, 100).latest_sequence == 1
        assert [line.updated_at for line in view.list_articles(HANDBOOK)] == [stamp]
    with store.view() as view:
        assert view.list_events(LOG, 0, 100).latest_sequence == 3


def test_views_may_stand_in_one_another(store: Store, author: Author) -> None:
    author.publish("leave")
    with store.view() as outer:
        assert outer.list_events(LOG, 0, 100).latest_sequence == 1
        author.publish("sick-days")
        with store.view() as inner:
            assert inner.list_events(LOG, 0, 100).latest_sequence == 2
        assert outer.list_events(LOG, 0, 100).latest_sequence == 1


def divide_in_a_view(store: Store) -> float:
    with store.view() as view:
        return 1 / len(view.list_tokens())


def test_a_view_that_is_left_by_an_error_leaves_the_store_well(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    with pytest.raises(ZeroDivisionError):
        divide_in_a_view(store)
    author.publish("sick-days")
    assert store.head(LOG) == 2


def test_waiting_ends_when_anything_is_committed(store: Store, author: Author) -> None:
    seen = store.wait(0, 0)
    moved: list[int] = []
    waiting = threading.Thread(target=lambda: moved.append(store.wait(store.wait(seen, 0), 60)))
    waiting.start()
    author.publish("leave")
    waiting.join(30)
    assert not waiting.is_alive()
    assert moved != [seen]


def test_waiting_ends_when_another_way_in_commits(home: Home, author: Author) -> None:
    author.publish("leave")
    other = home.open()
    seen = other.wait(0, 0)
    moved: list[int] = []
    waiting = threading.Thread(target=lambda: moved.append(other.wait(seen, 60)))
    waiting.start()
    author.edit("leave", "New.\n")
    waiting.join(30)
    assert not waiting.is_alive()
    assert moved != [seen]


def test_waiting_for_nothing_ends_with_its_time(store: Store) -> None:
    first = store.wait(0, 0)
    assert first != 0
    settled = store.wait(first, 0)
    assert store.wait(settled, 0.01) == settled
