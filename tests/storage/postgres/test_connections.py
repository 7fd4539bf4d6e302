"""Lost connections, locks and crowded pools are refused in words, and recovered from."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote

import psycopg
import pytest

from pincite.domain.decide import decide
from pincite.domain.edits import Create, Edit, Request
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.texts import Text
from pincite.errors import StoreBusyError, StoreUnavailableError
from pincite.ports import Committed, Replayed, Store
from pincite.storage import create_store, open_store
from pincite.storage.postgres.connections import Connection, Connections, connection_settings
from tests.postgres_cluster import Cluster, Clusters
from tests.storage.postgres.proxy import Proxy, proxied
from tests.storage.writing import ANNA, HANDBOOK, Author, events

Distant: TypeAlias = tuple[Proxy, Store, Author]

CHANNEL = Resource(ResourceType.CHANNEL, "general")


@pytest.fixture
def url(postgres: Cluster) -> str:
    return postgres.new_place()


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[Store]:
    store = create_store(url, index_folder=tmp_path)
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    yield store
    store.close()


def connections(url: str, size: int = 2, patience: float = 5.0) -> Connections:
    return Connections(connection_settings(url), lambda _: None, size=size, patience=patience)


def end_own_backend(connection: Connection) -> None:
    """Loses the connection in the middle of a transaction, as a network or a crash would."""
    connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_work_whose_connection_is_lost_is_done_again_on_another(url: str) -> None:
    pool = connections(url)
    lost: list[int] = []

    def work(connection: Connection) -> int:
        if len(lost) < 3:
            lost.append(connection.info.backend_pid)
            end_own_backend(connection)
        return connection.info.backend_pid

    assert pool.run(work) not in lost
    assert len(set(lost)) == 3
    pool.close()


@pytest.mark.spec("FT-2")
def test_work_that_must_not_be_done_twice_is_refused_when_its_connection_is_lost(url: str) -> None:
    pool = connections(url)
    with pytest.raises(StoreUnavailableError):
        pool.run(end_own_backend, resend=False)
    assert pool.run(lambda connection: connection.info.backend_pid) > 0
    pool.close()


@pytest.mark.spec("FT-2")
def test_a_crowded_pool_says_that_it_is_busy(url: str) -> None:
    pool = connections(url, size=1, patience=0.3)
    held, _ = pool.hold(lambda _: None)
    with pytest.raises(StoreBusyError):
        pool.run(lambda _: None)
    pool.release(held)
    assert pool.run(lambda _: 7) == 7
    pool.close()


@pytest.mark.spec("FT-2")
def test_an_error_of_a_work_leaves_its_connection_fit_for_the_next(url: str) -> None:
    pool = connections(url, size=1)

    def fail(connection: Connection) -> None:
        connection.execute("BEGIN")
        raise ValueError("a fault of ours")

    with pytest.raises(ValueError, match="a fault of ours"):
        pool.run(fail)
    assert pool.run(lambda connection: connection.execute("SELECT 7").fetchall()) == [(7,)]
    pool.close()


@pytest.mark.spec("FT-2")
def test_a_backup_gives_its_connection_back_as_it_was(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.upkeep.backup(tmp_path / "backup")
    store.upkeep.backup(tmp_path / "another")
    assert store.figures()["connections_num"] == 1
    assert caplog.records == []  # the pool warns of a connection that it cannot use again


def test_a_write_that_another_holds_up_for_too_long_is_busy_and_changes_nothing(
    url: str, store: Store
) -> None:
    author = Author(store)
    stamp = author.publish("leave")
    with psycopg.connect(url) as holder:
        holder.execute("SELECT FROM log FOR UPDATE")
        with pytest.raises(StoreBusyError):
            author.write("leave", Edit(stamp, "New.\n"))
    assert len(events(store)) == 1
    author.edit("leave", "New.\n")


@pytest.mark.spec("FT-2")
def test_a_database_that_is_gone_is_unavailable_and_found_again_when_it_is_back(
    clusters: Clusters, tmp_path: Path
) -> None:
    cluster = clusters.new()
    cluster.initialise()
    cluster.start()
    store = create_store(cluster.url("postgres"), index_folder=tmp_path)
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    author = Author(store)
    stamp = author.publish("leave")
    cluster.kill()
    with pytest.raises(StoreUnavailableError):
        author.find("leave")
    cluster.start()
    assert author.stamp("leave") == stamp
    author.edit("leave", "New.\n")
    store.close()
    cluster.stop()


@pytest.fixture
def distant(postgres: Cluster, url: str, store: Store, tmp_path: Path) -> Iterator[Distant]:
    """The store, as a client has it on the other side of a network that loses answers."""
    with (
        tempfile.TemporaryDirectory(prefix="pincite-") as folder,
        proxied(Path(folder), postgres.home) as proxy,
    ):
        home = quote(str(postgres.home), safe="")
        there = url.replace(home, quote(folder, safe=""))
        far = open_store(there, index_folder=tmp_path / "far")
        author = Author(far)
        author.publish("leave")
        author.edit("leave", "Second.\n")
        author.edit("leave", "Third.\n")
        yield proxy, far, author
        far.close()


@pytest.mark.spec("IDEM-1", "FT-2")
def test_a_write_whose_answer_is_lost_is_asked_again_and_saved_once(distant: Distant) -> None:
    proxy, store, author = distant
    decision = decide(author.find("leave"), Edit(author.stamp("leave"), "New.\n"), author.now)
    proxy.lose_answer_to("New.")
    outcome = store.commit(decision, author.request("k"), author.now)
    assert proxy.lost == 1
    assert isinstance(outcome, Replayed)
    assert (outcome.receipt.sequence, len(events(store))) == (4, 4)


@pytest.mark.spec("FT-2")
def test_a_write_without_a_key_whose_answer_is_lost_is_known_by_what_it_left(
    distant: Distant,
) -> None:
    proxy, store, author = distant
    decision = decide(author.find("leave"), Edit(author.stamp("leave"), "New.\n"), author.now)
    proxy.lose_answer_to("New.")
    outcome = store.commit(decision, Request(ANNA), author.now)
    assert proxy.lost == 1
    assert isinstance(outcome, Committed)
    assert (outcome.receipt.sequence, len(events(store))) == (4, 4)


@pytest.mark.spec("FT-2")
def test_an_append_without_a_key_whose_answer_is_lost_is_not_made_twice(distant: Distant) -> None:
    proxy, store, author = distant
    for number in range(3):
        store.append(CHANNEL, Occurrence("said", "{}"), Request(ANNA), author.now)
        assert store.head(CHANNEL) == number + 1
    proxy.lose_answer_to("shouted")
    with pytest.raises(StoreUnavailableError):
        store.append(CHANNEL, Occurrence("shouted", "{}"), Request(ANNA), author.now)
    assert (proxy.lost, store.head(CHANNEL)) == (1, 4)


def test_the_longest_names_and_keys_fit(store: Store) -> None:
    longest = "\N{MATHEMATICAL SCRIPT CAPITAL A}" * 200
    base = KnowledgeBaseId(longest)
    store.create_knowledge_base(base, "Longest", "en")
    author = Author(store, base, Principal(f"token/{longest}"))
    text = Text(longest[:100] * 3, "Text.\n")
    author.saved(longest, Create(text, publish=True), author.request(longest))
    assert author.find(longest).text == text
    with store.view() as view:
        (summary,) = view.list_articles(base)
        assert view.find_receipt(Resource.of(base), Principal(f"token/{longest}"), longest)
    assert summary.article_id == ArticleId(longest)


@pytest.mark.spec("EV-3")
def test_a_waiter_hears_of_a_commit_though_its_notification_is_lost(
    url: str, store: Store, tmp_path: Path
) -> None:
    waiter = open_store(url, index_folder=tmp_path)
    seen = waiter.wait(0, 0)
    with psycopg.connect(url) as connection:  # as a server that ends right after its commit
        connection.execute("UPDATE log SET latest = latest + 1")
    assert waiter.wait(seen, 30) != seen
    waiter.close()


def test_a_waiter_listens_again_after_its_connection_is_lost(
    url: str, store: Store, tmp_path: Path
) -> None:
    waiter = open_store(url, index_folder=tmp_path)
    seen = waiter.wait(0, 0)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
            " OR query LIKE 'SELECT count(*), sum(latest)%'"
        )
        seen = waiter.wait(seen, 30)  # it may have missed something
    moved: list[int] = []
    waiting = threading.Thread(target=lambda: moved.append(waiter.wait(seen, 60)))
    waiting.start()
    store.append(CHANNEL, Occurrence("said", "{}"), Request(ANNA, "k"), Author(store).now)
    waiting.join(30)
    assert not waiting.is_alive()
    assert moved != [seen]
    waiter.close()
