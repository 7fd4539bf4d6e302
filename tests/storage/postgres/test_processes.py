"""Several servers on one database, some of them killed, and the database too."""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from bench.load import LOG, Acknowledged
from bench.soak import is_whole, killing, lines, loading, new_store, tailing
from pincite.domain.events import ArticleEvent
from pincite.ports import Store
from tests.postgres_cluster import START_LIMIT, Cluster, Clusters, kill, own_clusters
from tests.storage.writing import events

EDITS = 150
"""By each of a writer's threads."""

THREADS = 4


@pytest.fixture
def on_disk() -> Iterator[Clusters]:
    """Servers of the test's own, on a disk that they wait for."""
    with own_clusters(Path(tempfile.gettempdir())) as made:
        yield made


@pytest.fixture
def durable(on_disk: Clusters) -> Iterator[Cluster]:
    """A running one of those."""
    cluster = on_disk.new()
    cluster.initialise(fsync="on")
    cluster.start()
    yield cluster
    cluster.stop()


@dataclass
class Writing:
    """What a writer that goes on through faults was told, and when.

    Attributes:
        told_at: When each was heard, and each fault began, in seconds.
    """

    acknowledged: list[Acknowledged] = field(default_factory=list)
    told_at: list[float] = field(default_factory=list)
    faults_at: list[float] = field(default_factory=list)


def write_through(url: str, faults: list[Callable[[], object]]) -> Writing:
    """One process writes; after each hundred acknowledgements a fault comes."""
    writing = Writing()
    due = list(faults)
    with loading("write", url, "--principal=writer/1", f"--edits={EDITS}") as process:
        for line in lines(process):
            said = json.loads(line)
            if "sequence" not in said:
                break  # its last words
            writing.acknowledged.append(Acknowledged(**said))
            writing.told_at.append(time.monotonic())
            if due and len(writing.acknowledged) % 100 == 0:
                writing.faults_at.append(time.monotonic())
                due.pop(0)()
    assert due == []
    return writing


def asked(url: str, query: str) -> list[tuple[int]]:
    """What a database answers that may still be recovering from the fault before."""
    until = time.monotonic() + START_LIMIT
    while True:
        try:
            with psycopg.connect(url) as connection:
                return connection.execute(query).fetchall()
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise


def assert_nothing_is_lost_or_doubled(store: Store, told: Writing) -> None:
    log = [event for event in events(store, LOG) if isinstance(event, ArticleEvent)]
    assert len(told.acknowledged) == EDITS * THREADS
    assert [save for save in told.acknowledged if not is_whole(store, save)] == []
    assert {event.sequence for event in log} == {save.sequence for save in told.acknowledged}
    assert len(log) == EDITS * THREADS
    assert store.upkeep.check() == []


@pytest.mark.spec("EV-2", "EV-3", "CAS-2")
def test_readers_on_two_servers_see_every_event_once_while_eight_writers_write(
    postgres: Cluster,
) -> None:
    report = tailing(postgres.new_database(), writers=2, readers=2, events=10_000)
    assert (report.events, report.missed, report.out_of_turn, report.differing) == (10_000, 0, 0, 0)
    assert (report.refusals, report.disagreements) == (0, [])


@pytest.mark.spec("FT-1", "IDEM-5")
def test_servers_that_are_killed_lose_no_acknowledged_save_and_leave_none_half(
    durable: Cluster,
) -> None:
    report = killing(durable.new_database(), kills=6)
    assert report.acknowledged >= 6
    assert (report.lost, report.unasked, report.disagreements) == ([], 0, [])


@pytest.mark.spec("FT-1", "FT-2", "IDEM-3")
def test_backends_that_are_killed_under_load_lose_and_double_nothing(durable: Cluster) -> None:
    url = durable.new_database()
    store = new_store(url)

    def kill_a_backend() -> None:
        busy = asked(
            url,
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'pincite'"
            " AND query LIKE '%counted%' ORDER BY state, query_start DESC LIMIT 1",
        )
        kill(busy[0][0])

    def end_every_backend() -> None:
        asked(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'pincite'",
        )

    told = write_through(url, [kill_a_backend, end_every_backend, kill_a_backend])
    assert_nothing_is_lost_or_doubled(store, told)
    store.close()


@pytest.mark.spec("FT-1", "FT-2", "IDEM-3", "IDEM-5")
def test_a_database_that_is_killed_under_load_loses_and_doubles_nothing(durable: Cluster) -> None:
    url = durable.new_database()
    store = new_store(url)

    def kill_it_all() -> None:
        durable.kill()
        durable.start()

    told = write_through(url, [kill_it_all, kill_it_all])
    # The test's own store was open all the time, and goes on without a restart.
    assert_nothing_is_lost_or_doubled(store, told)
    store.close()


@pytest.mark.spec("FT-1", "FT-2", "EV-6", "IDEM-3")
def test_a_failover_to_a_synchronous_standby_loses_and_doubles_nothing(
    on_disk: Clusters, capsys: pytest.CaptureFixture[str]
) -> None:
    primary, standby = on_disk.new(), on_disk.new()
    primary.initialise(fsync="on")
    primary.start()
    standby.follow(primary, "standby")
    standby.start()
    primary.acknowledge_only_with("standby")
    url = primary.url("postgres", standby)
    store = new_store(url)
    cursors: list[int] = []

    def fail_over() -> None:
        cursors.append(store.head(LOG))
        primary.kill()
        standby.promote()

    told = write_through(url, [fail_over])
    assert_nothing_is_lost_or_doubled(store, told)
    with store.view() as view:
        page = view.list_events(LOG, cursors[0], 1000)
        before = view.list_events(LOG, cursors[0] - 10, 5)
    assert page.gap is not None
    assert page.gap.after >= cursors[0]
    later = [save for save in told.acknowledged if save.sequence > cursors[0]]
    assert len(page.events) == len(later) > 0
    served = min(
        moment
        for save, moment in zip(told.acknowledged, told.told_at, strict=True)
        if save.sequence >= page.gap.next
    )
    assert (len(before.events), before.gap) == (5, None)
    with capsys.disabled():
        sys.stdout.write(f" {served - told.faults_at[0]:.1f} s without service ")
    store.close()
    for cluster in (standby, primary):
        cluster.stop()
