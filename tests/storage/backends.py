"""The stores that the conformance suite runs on; a new engine adds one line to BACKENDS."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

import pytest

from pincite.domain.stamps import Stamp
from pincite.ports import Store
from pincite.storage import create_store, open_store, restore_store
from tests.postgres_cluster import Cluster


class Home(Protocol):
    """Where one store lives, for the time of a test."""

    def open(self) -> Store:
        """A way into the store that shares nothing with others, where the engine allows it."""

    def restore(self, backup: Path, now: Stamp) -> Store:
        """Another store, made of a backup of this one."""


Opener: TypeAlias = Callable[[pytest.FixtureRequest], AbstractContextManager[Home]]


class FileHome:
    """A file in the test's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: list[Store] = []

    def open(self) -> Store:
        return self._keep(create_store(str(self._folder / "store.db")))

    def restore(self, backup: Path, now: Stamp) -> Store:
        target = f"sqlite:///{self._folder / f'restored-{len(self._opened)}.db'}"
        restore_store(target, backup, now)
        return self._keep(open_store(target))

    def close(self) -> None:
        for store in self._opened:
            store.close()

    def _keep(self, store: Store) -> Store:
        self._opened.append(store)
        return store


class MemoryHome(FileHome):
    """The store that is gone when it is closed; whoever opens it gets the same one."""

    def open(self) -> Store:
        return self._opened[0] if self._opened else self._keep(open_store(":memory:"))


@contextmanager
def sqlite_file(request: pytest.FixtureRequest) -> Iterator[Home]:
    home = FileHome(request.getfixturevalue("tmp_path"))
    yield home
    home.close()


@contextmanager
def sqlite_memory(request: pytest.FixtureRequest) -> Iterator[Home]:
    home = MemoryHome(request.getfixturevalue("tmp_path"))
    yield home
    home.close()


class PostgresHome:
    """A schema of its own on the session's server."""

    def __init__(self, server: Cluster, folder: Path) -> None:
        self._server = server
        self._folder = folder
        self._url = server.new_place()
        self._opened: list[Store] = []

    def open(self) -> Store:
        return self._keep(create_store(self._url, index_folder=self._folder))

    def restore(self, backup: Path, now: Stamp) -> Store:
        target = self._server.new_place()
        restore_store(target, backup, now)
        return self._keep(open_store(target, index_folder=self._folder))

    def close(self) -> None:
        for store in self._opened:
            store.close()

    def _keep(self, store: Store) -> Store:
        self._opened.append(store)
        return store


@contextmanager
def postgres(request: pytest.FixtureRequest) -> Iterator[Home]:
    home = PostgresHome(request.getfixturevalue("postgres"), request.getfixturevalue("tmp_path"))
    yield home
    home.close()


BACKENDS: dict[str, Opener] = {
    "sqlite-memory": sqlite_memory,
    "sqlite-file": sqlite_file,
    "postgresql": postgres,
}
