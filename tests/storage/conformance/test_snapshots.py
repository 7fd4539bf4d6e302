"""Views: each is one moment, and sees all that was acknowledged before it."""

import threading

import pytest

from pincite.domain.ids import ArticleId
from pincite.ports import ReadView, Store
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


def stands(view: ReadView, author: Author) -> tuple[object, ...]:
    """What each part of a store says of an article that was saved again and again."""
    article = view.find_article(HANDBOOK, ArticleId("leave"))
    assert article is not None
    assert article.text is not None
    count = len(view.list_events(LOG, 0, 100).events)
    keys = [f"{author.principal}-{number}" for number in range(1, count + 2)]
    kept = [view.find_receipt(LOG, author.principal, key) for key in keys]
    found = view.search(HANDBOOK, f"number{count}", 5)
    return (
        article.text.content == f"This is number{count}.\n",
        article.sequence == count,
        [receipt is not None for receipt in kept] == [True] * count + [False],
        [hit.updated_at for hit in found] == [article.updated_at],
    )


@pytest.mark.spec("EV-1", "PUB-2")
def test_every_view_sees_text_event_receipt_and_search_entry_of_a_save_or_none_of_them(
    home: Home, author: Author
) -> None:
    author.publish("leave", "This is number1.\n")
    reader, over = home.open(), threading.Event()
    seen: set[tuple[object, ...]] = set()

    def look() -> None:
        while not over.is_set():
            with reader.view() as view:
                seen.add(stands(view, author))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for number in range(2, 30):
            author.edit("leave", f"This is number{number}.\n")
    finally:
        over.set()
        looking.join(60)
    assert seen == {(True, True, True, True)}
