"""A knowledge base that moves is sealed behind every write, those that take no number too."""

import threading
from pathlib import Path

import psycopg

from pincite.storage import create_store
from pincite.storage.postgres.connections import connection_settings
from pincite.storage.postgres.store import PostgresStore
from tests.postgres_cluster import Cluster
from tests.storage.writing import HANDBOOK

# What a write that agents do not see holds until its commit: a draft's, or a receipt's.
UNCOUNTED = "SELECT FROM log WHERE id = %s AND NOT sealed FOR KEY SHARE"
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE %s = ANY(pg_blocking_pids(pid)) AND application_name = 'pincite'
"""


def test_a_seal_waits_for_a_write_that_takes_no_number(postgres: Cluster, tmp_path: Path) -> None:
    url = postgres.new_place()
    store = create_store(url, index_folder=tmp_path)
    assert isinstance(store, PostgresStore)
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    sealing = threading.Thread(target=lambda: store.transfer.seal(HANDBOOK, sealed=True))
    settings = connection_settings(url)
    with psycopg.connect(settings) as writer, psycopg.connect(settings, autocommit=True) as watcher:
        writer.execute(UNCOUNTED, (HANDBOOK,))
        sealing.start()
        waiting = 0
        while sealing.is_alive() and not waiting:
            found = watcher.execute(WAITING, (writer.info.backend_pid,)).fetchone()
            waiting = found[0] if found else 0
        assert waiting == 1
        writer.commit()
        sealing.join(30)
        sealed = watcher.execute("SELECT sealed FROM log WHERE id = %s", (HANDBOOK,)).fetchone()
    assert sealed == (True,)
    store.close()
