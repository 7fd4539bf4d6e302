"""What every test shares: how Hypothesis explores, and a PostgreSQL server."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.postgres_cluster import Cluster, Clusters, own_clusters

# The machine may be busy, so no example has a deadline; a build that decides whether a change
# lands must not depend on chance, so there the examples are the same each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(scope="session")
def clusters() -> Iterator[Clusters]:
    """PostgreSQL servers of this session's own; each process of a parallel run has its own."""
    with own_clusters() as made:
        yield made


@pytest.fixture(scope="session")
def postgres(clusters: Clusters) -> Cluster:
    """A running PostgreSQL server that all tests of the session share; take a database of it."""
    cluster = clusters.new()
    cluster.initialise()
    cluster.start()
    return cluster
