"""A failover or a restore to a point in time is noticed by the first connection that meets it."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pincite.domain.events import Gap
from pincite.domain.stamps import Stamp
from pincite.errors import CursorExpiredError, StoreUnavailableError
from pincite.ports import Store
from pincite.storage import create_store, open_store
from pincite.storage.postgres.connections import connect, connection_settings
from pincite.storage.postgres.timeline import Greeter
from tests.postgres_cluster import Cluster, Clusters
from tests.storage.writing import BEN, HANDBOOK, LOG, PAYROLL, Author, events


@pytest.fixture
def url(postgres: Cluster) -> str:
    return postgres.new_place()


@pytest.fixture
def author(url: str, tmp_path: Path) -> Iterator[Author]:
    store = create_store(url, index_folder=tmp_path)
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    store.create_knowledge_base(PAYROLL, "Payroll", "de")
    yield Author(store)
    store.close()


def enter_another_timeline(url: str) -> None:
    """Leaves the store as the server of a timeline that has ended left it."""
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE store SET timeline = '00000000'")


def epoch(store: Store) -> str:
    with store.view() as view:
        found = view.find_knowledge_base(HANDBOOK)
    assert found is not None
    return found.epoch


@pytest.mark.spec("EV-6")
def test_the_first_connection_on_a_new_timeline_breaks_every_log_off_once(
    url: str, author: Author, tmp_path: Path
) -> None:
    author.publish("leave")
    before = epoch(author.store)
    enter_another_timeline(url)
    stores = [open_store(url, index_folder=tmp_path) for _ in range(2)]
    assert epoch(stores[0]) == epoch(stores[1]) != before
    with psycopg.connect(url) as connection:
        gaps = connection.execute("SELECT log, after FROM gap ORDER BY log").fetchall()
    assert gaps == [("handbook", 1), ("payroll", 0)]
    assert stores[0].upkeep.check() == []
    for store in stores:
        store.close()


@pytest.mark.spec("EV-2", "EV-6")
def test_a_cursor_at_the_end_stays_good_and_one_of_a_lost_event_is_expired(
    url: str, author: Author, tmp_path: Path
) -> None:
    author.publish("leave")
    author.edit("leave", "New.\n")
    enter_another_timeline(url)
    store = open_store(url, index_folder=tmp_path)
    Author(store, principal=BEN).edit("leave", "Newer.\n")
    with store.view() as view:
        page = view.list_events(LOG, 2, 100)
        with pytest.raises(CursorExpiredError):
            view.list_events(LOG, 3, 100)
    (event,) = page.events
    assert page.gap == Gap(2, event.sequence)
    assert event.sequence > 1_000_000
    assert [event.sequence for event in events(store)][:2] == [1, 2]
    store.close()


@pytest.mark.spec("STAMP-2", "EV-6")
def test_no_stamp_given_out_on_a_new_timeline_is_earlier_than_one_of_before(
    url: str, author: Author, tmp_path: Path
) -> None:
    author.now = Stamp.parse("2199-01-01T00:00:00.000Z")
    stamp = author.publish("leave")
    enter_another_timeline(url)
    store = open_store(url, index_folder=tmp_path)
    with store.view() as view:
        assert view.stamp_floor() == stamp
    store.close()


def test_a_server_of_the_same_timeline_changes_nothing(
    url: str, author: Author, tmp_path: Path
) -> None:
    author.publish("leave")
    before = epoch(author.store)
    store = open_store(url, index_folder=tmp_path)
    assert epoch(store) == before
    with store.view() as view:
        assert view.stamp_floor() is None
        assert view.list_events(LOG, 0, 100).gap is None
    store.close()


@pytest.mark.spec("EV-6")
def test_a_former_primary_that_comes_back_is_not_written_to(
    clusters: Clusters, tmp_path: Path
) -> None:
    primary, standby = clusters.new(), clusters.new()
    primary.initialise()
    primary.start()
    create_store(primary.url("postgres"), index_folder=tmp_path).close()
    standby.follow(primary, "standby")
    standby.start()
    greeter = Greeter()
    primary.kill()
    standby.promote()
    with connect(connection_settings(standby.url("postgres"))) as present:
        greeter.greet(present)
    primary.start()
    former = connect(connection_settings(primary.url("postgres")))
    with pytest.raises(StoreUnavailableError, match="overtaken"):
        greeter.greet(former)
    assert former.closed
    primary.stop()
    standby.stop()
