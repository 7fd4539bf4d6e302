"""A world of its own for each test, and readers who are signed in to its pages."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

import httpx2
import pytest

from pincite.domain.grants import Credential, Grant
from pincite.storage import open_store
from pincite.web.routes import Site
from pincite.web.security import Sessions
from tests.service.world import OWNER, World

START = "the-start-secret"
COOKIE = "pincite-8420"

Client: TypeAlias = AbstractAsyncContextManager[httpx2.AsyncClient]


@dataclass
class Pages:
    """The web app over a world."""

    world: World

    def __post_init__(self) -> None:
        self.sessions = Sessions(START)
        self.site = Site(self.world.service, self.sessions, None)

    @asynccontextmanager
    async def reader(self, credential: Credential | None) -> AsyncIterator[httpx2.AsyncClient]:
        """A browser, as it were; None is somebody who is not signed in."""
        cookies = {COOKIE: self.sessions.open(credential)} if credential else {}
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=self.site),
            base_url="http://127.0.0.1:8420",
            cookies=cookies,
        ) as client:
            yield client

    def owner(self) -> Client:
        """Who started the server."""
        return self.reader(OWNER)

    def agent(self, grant: Grant = Grant.READ) -> Client:
        """Somebody with one grant on ``kb``."""
        return self.reader(self.world.agent(grant, f"reader-{grant.word}"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def world() -> Iterator[World]:
    store = open_store(":memory:")
    yield World(store)
    store.close()


@pytest.fixture
def pages(world: World) -> Pages:
    return Pages(world)
