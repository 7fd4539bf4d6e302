"""Many at once: every outcome is counted."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from pincite.domain.decide import decide
from pincite.domain.edits import Create, Edit
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.texts import Text
from pincite.ports import Committed, Outcome, Replayed, Stale, Store
from tests.storage.backends import Home
from tests.storage.dump import dump
from tests.storage.writing import HANDBOOK, LOG, Author, events

LEAVE = ArticleId("leave")
RACERS = 12

Result = TypeVar("Result")


def race(run: Callable[[int], Result], racers: int = RACERS) -> list[Result]:
    """What each racer got; all start at once."""
    barrier = threading.Barrier(racers)

    def start(number: int) -> Result:
        barrier.wait(30)
        return run(number)

    with ThreadPoolExecutor(racers) as pool:
        return list(pool.map(start, range(racers)))


def counted(outcomes: list[Outcome]) -> Counter[str]:
    return Counter(type(outcome).__name__ for outcome in outcomes)


@pytest.mark.spec("CAS-2", "CAS-3")
def test_of_edits_that_name_one_version_exactly_one_is_saved(home: Home, author: Author) -> None:
    first = author.publish("leave")
    decisions = [
        # Each at a time of its own, so that nothing but the comparison tells them apart.
        decide(author.find("leave"), Edit(first, f"By racer {n}.\n"), author.after(n))
        for n in range(RACERS)
    ]
    stores = [home.open() for _ in range(RACERS)]

    def edit(number: int) -> Outcome:
        request = author.request(f"race-{number}")
        return stores[number].commit(decisions[number], request, author.now)

    outcomes = race(edit)
    assert counted(outcomes) == {"Committed": 1, "Stale": RACERS - 1}
    (winner,) = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Committed)]
    assert author.find("leave").text == Text("A title", f"By racer {winner}.\n")
    assert len(events(author.store)) == 2
    with author.store.view() as view:
        kept = [n for n in range(RACERS) if view.find_receipt(LOG, author.principal, f"race-{n}")]
        assert kept == [winner]
        assert (
            len(view.list_revisions(author.knowledge_base_id, decisions[0].article.article_id)) == 2
        )
    assert author.store.upkeep.check() == []


@pytest.mark.spec("IDEM-3")
def test_one_request_sent_many_times_at_once_commits_once(home: Home, author: Author) -> None:
    first = author.publish("leave")
    decision = decide(author.find("leave"), Edit(first, "New.\n"), author.now)
    request = author.request("k", "f")
    stores = [home.open() for _ in range(RACERS)]
    outcomes = race(lambda number: stores[number].commit(decision, request, author.now))
    assert counted(outcomes) == {"Committed": 1, "Replayed": RACERS - 1}
    receipts = {o.receipt for o in outcomes if isinstance(o, Committed | Replayed)}
    assert len(receipts) == 1
    assert len(events(author.store)) == 2


@pytest.mark.spec("IDEM-2", "IDEM-3")
def test_of_requests_that_share_a_key_one_is_saved(home: Home, author: Author) -> None:
    stores = [home.open() for _ in range(RACERS)]

    def create(number: int) -> Outcome:
        create = Create(Text("A title", "Text.\n"), publish=True)
        decision = decide(author.find(f"article-{number}"), create, author.now)
        return stores[number].commit(decision, author.request("k", f"f{number}"), author.now)

    assert counted(race(create)) == {"Committed": 1, "Reused": RACERS - 1}
    assert len(events(author.store)) == 1
    with author.store.view() as view:
        assert len(view.list_articles(HANDBOOK)) == 1


class Tail:
    """Reads a log from its beginning while others write it, in small pages."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self.sequences: list[int] = []

    def __enter__(self) -> "Tail":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(60)

    def _read(self) -> None:
        after, more = 0, True
        while more or not self._over.is_set():
            over = self._over.is_set()
            with self._store.view() as view:
                page = view.list_events(LOG, after, 3)
            self.sequences.extend(event.sequence for event in page.events)
            # What was written before the end is in the page that was begun after it.
            after, more = page.next_sequence, page.has_more or not over


def count_up(writer: Author) -> int:
    """Adds one to the number that an article holds; returns how often it was overtaken."""
    overtaken = 0
    while True:
        article = writer.find("leave")
        assert article.text is not None
        assert article.updated_at is not None
        edit = Edit(article.updated_at, f"{int(article.text.content) + 1}\n")
        decision = decide(article, edit, writer.now)
        outcome = writer.store.commit(decision, writer.request(), writer.now)
        if isinstance(outcome, Committed):
            return overtaken
        assert outcome == Stale()
        overtaken += 1


@pytest.mark.spec("CAS-2", "EV-2", "EV-3")
def test_writers_that_try_again_lose_nothing_and_a_reader_sees_each_event_once(
    home: Home, author: Author
) -> None:
    author.publish("leave", "0\n")
    writers = [Author(home.open(), principal=Principal(f"token/{n}")) for n in range(RACERS)]
    with Tail(home.open()) as tail:
        race(lambda number: [count_up(writers[number]) for _ in range(5)])
    article = author.find("leave")
    assert article.text == Text("A title", f"{RACERS * 5}\n")
    assert article.sequence == RACERS * 5 + 1
    assert tail.sequences == list(range(1, RACERS * 5 + 2))
    with author.store.view() as view:
        stamps = [revision.updated_at for revision in view.list_revisions(HANDBOOK, LEAVE)]
    assert len(stamps) == RACERS * 5 + 1
    assert stamps == sorted(set(stamps), reverse=True)


@pytest.mark.spec("EV-2", "EV-3")
def test_numbers_have_no_gap_though_some_writes_are_refused(home: Home, author: Author) -> None:
    first = author.publish("leave")
    overtaken = decide(author.find("leave"), Edit(first, "Mine.\n"), author.now)
    author.edit("leave", "Theirs.\n")
    stores = [home.open() for _ in range(RACERS)]

    def write(number: int) -> Outcome:
        if number % 2:
            return stores[number].commit(overtaken, author.request(f"r-{number}"), author.now)
        writer = Author(stores[number], principal=Principal(f"token/{number}"))
        return writer.write(f"article-{number}", Create(Text("A title", "x\n"), publish=True))

    assert counted(race(write)) == {"Committed": RACERS // 2, "Stale": RACERS // 2}
    assert [event.sequence for event in events(author.store)] == list(range(1, RACERS // 2 + 3))


@pytest.mark.spec("EV-2")
def test_a_log_begun_by_many_at_once_is_one_log(home: Home, author: Author) -> None:
    channel = Resource(ResourceType.CHANNEL, "support")
    stores = [home.open() for _ in range(RACERS)]

    def post(number: int) -> Outcome:
        posted = Occurrence("message.posted", f'{{"number": {number}}}')
        return stores[number].append(channel, posted, author.request(f"p-{number}"), author.now)

    assert counted(race(post)) == {"Committed": RACERS}
    told = events(author.store, channel)
    assert [event.sequence for event in told] == list(range(1, RACERS + 1))
    assert {event.data for event in told} == {  # type: ignore[union-attr]
        f'{{"number": {number}}}' for number in range(RACERS)
    }


def test_a_knowledge_base_made_by_many_at_once_is_made_once(home: Home, store: Store) -> None:
    stores = [home.open() for _ in range(RACERS)]
    support = KnowledgeBaseId("support")
    made = race(lambda number: stores[number].create_knowledge_base(support, f"{number}", "en"))
    assert Counter(made) == {True: 1, False: RACERS - 1}
    with store.view() as view:
        found = view.find_knowledge_base(support)
    assert found is not None
    assert found.title == str(made.index(True))


@pytest.mark.spec("CAS-3", "IDEM-2", "IDEM-4")
def test_what_is_refused_while_others_write_changes_nothing(home: Home, author: Author) -> None:
    author.publish("leave")
    author.saved("sick-days", Create(Text("A title", "x\n")), author.request("k", "f"))
    overtaken = decide(author.find("leave"), Edit(author.stamp("leave"), "Mine.\n"), author.now)
    author.edit("leave", "Theirs.\n")
    before = dump(author.store)
    stores = [home.open() for _ in range(RACERS)]

    def refused(number: int) -> Outcome:
        request = author.request("k", "g") if number % 2 else author.request("refused")
        return stores[number].commit(overtaken, request, author.now)

    assert counted(race(refused)) == {"Stale": RACERS // 2, "Reused": RACERS // 2}
    assert dump(author.store) == before
