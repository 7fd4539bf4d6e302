"""Every test of the service has a world of its own."""

from collections.abc import Iterator

import pytest

from pincite.storage import open_store
from tests.service.world import World


@pytest.fixture
def world() -> Iterator[World]:
    store = open_store(":memory:")
    yield World(store)
    store.close()
