"""The servers that the tests bring themselves behave as the tests rely on."""

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.postgres_cluster import Cluster, Clusters

STARTER = """
import sys, tempfile
from pathlib import Path
from tests.postgres_cluster import own_clusters
with own_clusters(Path(tempfile.gettempdir())) as clusters:
    cluster = clusters.new()
    cluster.initialise()
    cluster.start()
    print(cluster.url("postgres"), flush=True)
    sys.stdin.read()
"""


def test_a_server_ends_when_its_starter_is_killed(tmp_path: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        cwd=Path(__file__).parents[3],
    )
    assert starter.stdout is not None
    url = starter.stdout.readline().strip()
    with psycopg.connect(url) as connection:
        starter.kill()
        starter.communicate()
        # Were the server still there, the statement would end, and nothing be raised.
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT pg_sleep(30)")


def test_a_killed_server_comes_back_with_what_it_acknowledged(clusters: Clusters) -> None:
    cluster = clusters.new()
    cluster.initialise()
    cluster.start()
    with psycopg.connect(cluster.url("postgres")) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    cluster.kill()
    cluster.start()
    with psycopg.connect(cluster.url("postgres")) as connection:
        found = connection.execute("SELECT number FROM kept").fetchone()
    cluster.stop()
    assert found == (7,)


def test_a_standby_follows_and_is_promoted(clusters: Clusters) -> None:
    primary, standby = clusters.new(), clusters.new()
    primary.initialise()
    primary.start()
    standby.follow(primary, "standby")
    standby.start()
    primary.configure(synchronous_standby_names="standby")
    primary.stop()
    primary.start()
    with psycopg.connect(primary.url("postgres")) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    primary.kill()
    standby.promote()
    with psycopg.connect(standby.url("postgres")) as connection:
        connection.execute("UPDATE kept SET number = number + 1")
        found = connection.execute("SELECT number FROM kept").fetchone()
    standby.stop()
    assert found == (8,)


def test_two_databases_of_one_server_hold_nothing_in_common(postgres: Cluster) -> None:
    one, other = postgres.new_database(), postgres.new_database()
    with psycopg.connect(one) as connection:
        connection.execute("CREATE TABLE kept (number integer)")
    with psycopg.connect(other) as connection:
        found = connection.execute("SELECT to_regclass('kept')").fetchone()
    assert found == (None,)
