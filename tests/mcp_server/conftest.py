"""Every test here has a world of its own, and a client of either era."""

from collections.abc import Iterator

import pytest

from pincite.storage import open_store
from tests.mcp_server.clients import Era
from tests.service.world import World


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def world() -> Iterator[World]:
    store = open_store(":memory:")
    yield World(store)
    store.close()


@pytest.fixture(params=["auto", "legacy"], ids=["2026-07-28", "2025-11-25"])
def era(request: pytest.FixtureRequest) -> Era:
    found: Era = request.param
    return found
