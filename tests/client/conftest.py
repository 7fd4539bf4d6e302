"""The real service for the client to meet, beside the plain server."""

from collections.abc import Iterator

import pytest

from pincite.storage import open_store
from tests.service.world import World


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def world() -> Iterator[World]:
    store = open_store(":memory:")
    yield World(store)
    store.close()
