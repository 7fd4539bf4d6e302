"""Replicas: event pages come from one, but what a client may see only the primary says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from pincite.domain.decide import decide
from pincite.domain.edits import Edit
from pincite.errors import CursorAheadError, StoreError
from pincite.ports import Store
from pincite.storage import create_store, open_store
from tests.postgres_cluster import Cluster, Clusters
from tests.storage.writing import BEN, HANDBOOK, LOG, Author, events


@dataclass
class Replicated:
    """A primary with a standby that it waits for, and a replica that it does not wait for."""

    primary: Cluster
    standby: Cluster
    replica: Cluster
    store: Store
    author: Author


@pytest.fixture
def replicated(clusters: Clusters, tmp_path: Path) -> Iterator[Replicated]:
    primary, standby, replica = (clusters.new() for _ in range(3))
    primary.initialise()
    primary.start()
    standby.follow(primary, "standby")
    standby.start()
    replica.follow(primary, "replica", recovery_target_timeline="current")
    replica.start()
    primary.acknowledge_only_with("standby")
    url = primary.url("postgres", standby)
    create_store(url, index_folder=tmp_path).close()
    store = open_store(url, index_folder=tmp_path, read_url=replica.url("postgres"))
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    yield Replicated(primary, standby, replica, store, Author(store))
    store.close()
    for cluster in (replica, standby, primary):
        cluster.stop()


def latest(cluster: Cluster) -> int:
    """How far the log has come on one server, whatever was acknowledged."""
    with psycopg.connect(cluster.url("postgres")) as connection:
        row = connection.execute("SELECT latest FROM log WHERE id = %s", (HANDBOOK,)).fetchone()
    return row[0] if row else 0


def questions(cluster: Cluster) -> list[str]:
    """What a server was asked last, by each connection of a store."""
    with psycopg.connect(cluster.url("postgres")) as connection:
        found = connection.execute(
            "SELECT query FROM pg_stat_activity WHERE application_name = 'pincite'"
        ).fetchall()
    return [query for (query,) in found]


@contextmanager
def unacknowledged_edit(replicated: Replicated) -> Iterator[None]:
    """A fourth event that the replica has and that nobody was told is saved."""
    author = replicated.author
    replicated.standby.kill()
    edit = Edit(author.stamp("leave"), "Never acknowledged.\n")
    decision = decide(author.find("leave"), edit, author.now)
    request = author.request("phantom")
    answers: list[object] = []

    def write() -> None:
        try:
            answers.append(replicated.store.commit(decision, request, author.now))
        except StoreError as error:
            answers.append(error)

    writing = threading.Thread(target=write)
    writing.start()
    while latest(replicated.replica) < 4:
        pass
    assert (answers, latest(replicated.primary)) == ([], 3)
    yield
    writing.join(30)
    assert not writing.is_alive()


def fail_over(replicated: Replicated) -> None:
    replicated.primary.kill()
    replicated.standby.start()
    replicated.standby.promote()


@pytest.mark.spec("EV-3", "EV-6")
def test_an_event_that_was_never_acknowledged_is_never_shown(replicated: Replicated) -> None:
    store = replicated.store
    replicated.author.publish("leave", "One.\n")
    replicated.author.edit("leave", "Two.\n")
    replicated.author.edit("leave", "Three.\n")
    with unacknowledged_edit(replicated):
        with store.view() as view:
            page = view.list_events(LOG, 0, 100)
            assert [event.sequence for event in page.events] == [1, 2, 3]
            assert page.latest_sequence == 3
            with pytest.raises(CursorAheadError):
                view.list_events(LOG, 4, 100)
        fail_over(replicated)
    Author(store, principal=BEN).edit("leave", "Acknowledged.\n")
    with store.view() as view:
        page = view.list_events(LOG, 0, 4)  # as long as what the replica would have
    assert page.gap is not None
    assert page.gap.after == 3
    assert [event.sequence for event in page.events[:3]] == [1, 2, 3]
    assert page.events[3].sequence >= page.gap.next
    # The replica goes on showing it, under the epoch that has ended.
    assert latest(replicated.replica) == 4


def test_a_page_is_read_from_the_replica(replicated: Replicated) -> None:
    replicated.author.publish("leave")
    assert [event.sequence for event in events(replicated.store)] == [1]
    assert any("LATERAL" in question for question in questions(replicated.replica))


@pytest.mark.spec("EV-3")
def test_a_reader_never_gets_less_than_it_knows_of_from_a_replica_that_lags(
    replicated: Replicated,
) -> None:
    replicated.author.publish("leave")
    assert [event.sequence for event in events(replicated.store)] == [1]
    with psycopg.connect(replicated.replica.url("postgres"), autocommit=True) as replica:
        replica.execute("SELECT pg_wal_replay_pause()")
        state = "SELECT pg_get_wal_replay_pause_state()"
        while replica.execute(state).fetchone() != ("paused",):
            pass
    replicated.author.edit("leave", "New.\n")
    assert [event.sequence for event in events(replicated.store, after=1)] == [2]
    assert latest(replicated.replica) == 1


def test_a_replica_that_is_gone_is_not_missed(replicated: Replicated) -> None:
    replicated.author.publish("leave")
    assert [event.sequence for event in events(replicated.store)] == [1]
    replicated.replica.kill()
    replicated.author.edit("leave", "New.\n")
    assert [event.sequence for event in events(replicated.store)] == [1, 2]
