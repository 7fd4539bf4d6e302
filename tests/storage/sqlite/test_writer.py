"""One writes for all: transactions are shared, and survive what goes wrong in them."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType

import pytest

from pincite.domain.decide import decide
from pincite.domain.edits import Create, Request
from pincite.domain.texts import Text
from pincite.errors import NotFoundError, StoreUnavailableError
from pincite.storage import create_store
from pincite.storage.sqlite import watch, writer
from pincite.storage.sqlite.commits import Commit, Prepared
from pincite.storage.sqlite.connections import connect
from pincite.storage.sqlite.store import SqliteStore
from pincite.storage.sqlite.writer import Transaction
from tests.storage.writing import ANNA, HANDBOOK, TEN_OCLOCK, Author

ASKED = (Request(ANNA), TEN_OCLOCK)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteStore]:
    """A store whose transactions take up whatever waits, however slow the machine is."""
    monkeypatch.setattr(writer, "BATCH_LONGEST", 60)
    made = create_store(str(tmp_path / "store.db"))
    assert isinstance(made, SqliteStore)
    made.create_knowledge_base(HANDBOOK, "Handbook", "en")
    yield made
    made.close()


def keep(name: str) -> Callable[[Transaction], str]:
    """A small write that can be seen: a token by this name."""

    def work(transaction: Transaction) -> str:
        transaction.connection.execute(
            "INSERT INTO token VALUES (?, ?, '{}', 'direct', 0, NULL, NULL)", (name, name)
        )
        return name

    return work


def names(store: SqliteStore) -> list[str]:
    with store.view() as view:
        return [token.name for token in view.list_tokens()]


def together(
    store: SqliteStore,
    *works: Callable[[Transaction], str],
    asked: "list[Future[str]] | None" = None,
) -> "list[Future[str]]":
    """Asks for several writes while another is under way, so that one transaction takes all."""
    held, entered = threading.Event(), threading.Event()

    def hold(_: Transaction) -> str:
        entered.set()
        held.wait(30)
        return "held"

    with ThreadPoolExecutor(len(works) + 1) as pool:
        answers = [] if asked is None else asked
        answers.append(pool.submit(store._writer.run, hold))
        entered.wait(30)
        for number, work in enumerate(works):
            answers.append(pool.submit(store._writer.run, work))
            wait_for_queue(store, number + 1)
        held.set()
    return answers


def wait_for_queue(store: SqliteStore, length: int) -> None:
    while len(store._writer._asked) < length:
        threading.Event().wait(0.001)


def test_writes_that_come_together_share_one_transaction(store: SqliteStore) -> None:
    moved: list[int] = []
    store._writer._committed = lambda: moved.append(1)
    answers = together(store, *(keep(f"t{n}") for n in range(9)))
    assert [answer.result() for answer in answers] == ["held", *(f"t{n}" for n in range(9))]
    assert names(store) == [f"t{n}" for n in range(9)]
    assert moved == [1]


def test_nothing_is_acknowledged_before_the_shared_transaction_is_durable(
    store: SqliteStore,
) -> None:
    answers: list[Future[str]] = []
    at_commit: list[tuple[list[str], list[bool]]] = []
    store._writer._committed = lambda: at_commit.append(
        (names(store), [answer.done() for answer in answers])
    )
    together(store, keep("a"), keep("b"), asked=answers)
    assert at_commit == [(["a", "b"], [False, False, False])]
    assert [answer.result() for answer in answers] == ["held", "a", "b"]


def test_a_refusal_undoes_its_own_write_alone(store: SqliteStore) -> None:
    def refuse(transaction: Transaction) -> str:
        keep("refused")(transaction)
        raise NotFoundError("There is no such thing.")

    answers = together(store, keep("a"), refuse, keep("b"))
    assert [type(answer.exception()) for answer in answers] == [
        type(None),
        type(None),
        NotFoundError,
        type(None),
    ]
    assert names(store) == ["a", "b"]


def test_a_fault_in_one_write_fails_that_one_and_the_others_go_on(store: SqliteStore) -> None:
    def fail(transaction: Transaction) -> str:
        keep("failed")(transaction)
        raise ZeroDivisionError

    answers = together(store, keep("a"), fail, keep("b"))
    assert [type(answer.exception()) for answer in answers] == [
        type(None),
        type(None),
        ZeroDivisionError,
        type(None),
    ]
    assert names(store) == ["a", "b"]
    assert store._writer.run(keep("c")) == "c"


def test_an_interrupt_of_who_writes_undoes_its_own_write_and_no_other(store: SqliteStore) -> None:
    once = iter([KeyboardInterrupt])

    def interrupted(transaction: Transaction) -> str:
        keep("b")(transaction)
        for interrupt in once:
            raise interrupt
        return "b"

    answers = together(store, keep("a"), interrupted, keep("c"))
    assert isinstance(answers[0].exception(), KeyboardInterrupt)  # it wrote for all
    assert [answer.result() for answer in answers[1:]] == ["a", "b", "c"]
    assert names(store) == ["a", "b", "c"]
    assert store.upkeep.check() == []


def interrupted_at(number: int, ask: Callable[[], object]) -> bool:
    """Asks, and interrupts the writer's code where a signal's handler would run.

    That is where a function of Python begins and behind a call of one in C. False if there are
    not so many such places.
    """
    files = {writer.__file__, watch.__file__, threading.__file__}
    places = iter(range(number + 1))
    left = True

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        if frame.f_code.co_filename in files and event in {"call", "c_return"}:
            left = next(places, None) is not None
            if not left:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(look)
    try:
        with suppress(KeyboardInterrupt):
            ask()
    finally:
        sys.setprofile(None)
    return not left


def test_wherever_a_write_is_interrupted_the_next_one_of_another_thread_goes_on(
    store: SqliteStore,
) -> None:
    for number in count():
        lone = keep(f"{number} interrupted")
        if not interrupted_at(number, lambda lone=lone: store._writer.run(lone)):  # type: ignore[misc]
            break
        asked: Future[str] = Future()
        next_one = keep(f"{number} next")
        threading.Thread(
            target=lambda asked=asked, work=next_one: asked.set_result(store._writer.run(work)),
            daemon=True,
        ).start()
        assert asked.result(30) == f"{number} next"
    assert number > 20
    assert store.upkeep.check() == []


def test_what_was_saved_when_the_interrupt_came_is_not_written_again(store: SqliteStore) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked: list[Future[str]] = []

        def lead(_: Transaction) -> str:
            asked.append(pool.submit(store._writer.run, keep("other")))
            wait_for_queue(store, 1)
            sys.setprofile(interrupt_a_commit)
            return "led"

        def interrupt_a_commit(frame: FrameType, event: str, _: object) -> None:
            connection = store._writer._connection
            if event == "c_return" and frame.f_code.co_name == "_transact":
                assert connection is not None
                if not connection.in_transaction:
                    sys.setprofile(None)
                    raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store._writer.run(lead)
        assert asked[0].result(30) == "other"
    assert names(store) == ["other"]


def test_who_writes_leaves_the_rest_to_the_next_in_line(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "BATCH_LARGEST", 2)
    threads: list[int] = []

    def noted(transaction: Transaction) -> str:
        threads.append(threading.get_ident())
        return keep(f"t{len(threads)}")(transaction)

    answers = together(store, noted, noted, noted)
    assert [answer.result() for answer in answers] == ["held", "t1", "t2", "t3"]
    assert len(set(threads)) == 2
    assert threads[1] == threads[2]


def test_a_write_alone_is_saved_in_the_thread_that_asks(store: SqliteStore) -> None:
    before = threading.active_count()
    here = store._writer.run(lambda _: threading.get_ident())
    assert here == threading.get_ident()
    assert threading.active_count() == before


def test_what_a_newer_version_migrated_meanwhile_is_not_written(store: SqliteStore) -> None:
    store._writer.run(keep("a"))
    newer = connect(store._place)
    newer.execute("UPDATE store SET version = 999")
    with pytest.raises(StoreUnavailableError, match="has version 999"):
        store._writer.run(keep("b"))
    newer.execute("UPDATE store SET version = 3")
    newer.close()
    store._writer.run(keep("c"))
    assert names(store) == ["a", "c"]


def test_a_row_that_points_nowhere_fails_its_own_write_alone(store: SqliteStore) -> None:
    def point_nowhere(transaction: Transaction) -> str:
        transaction.connection.execute(
            "INSERT INTO article (log, id, no, state, revision) VALUES (1, 'a', 1, 'draft', 5)"
        )
        return "wrong"

    answers = together(store, keep("a"), point_nowhere, keep("b"))
    failed = [answer.exception() is not None for answer in answers]
    assert failed == [False, False, True, False]
    assert names(store) == ["a", "b"]
    assert store.upkeep.check() == []


def test_a_refused_write_leaves_no_search_entry(store: SqliteStore) -> None:
    author = Author(store)
    publication = decide(
        author.find("leave"), Create(Text("A title", "Twelve weeks.\n"), publish=True), author.now
    )
    save = Commit(publication, Prepared.of(Text("A title", "Twelve weeks.\n"), "en"), *ASKED).save

    def refuse(transaction: Transaction) -> str:
        save(transaction)
        assert len(transaction.changes) == 1
        raise NotFoundError("There is no such thing.")

    answers = together(store, refuse, keep("a"))
    assert isinstance(answers[1].exception(), NotFoundError)
    assert store.upkeep.check() == []
    with store.view() as view:
        assert list(view.search(HANDBOOK, "twelve", 5)) == []


def test_closing_saves_what_was_asked_before(store: SqliteStore) -> None:
    answers = together(store, keep("a"))
    store._writer.close()
    assert [answer.result() for answer in answers] == ["held", "a"]
    assert names(store) == ["a"]
