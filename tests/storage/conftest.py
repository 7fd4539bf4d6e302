"""Every test of the suite meets every store."""

from collections.abc import Iterator

import pytest

from pincite.ports import Store
from tests.storage.backends import BACKENDS, Home
from tests.storage.writing import HANDBOOK, PAYROLL, Author


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "home" in metafunc.fixturenames:
        metafunc.parametrize("home", BACKENDS, indirect=True)


@pytest.fixture
def home(request: pytest.FixtureRequest) -> Iterator[Home]:
    """Where the test's store lives."""
    with BACKENDS[request.param](request) as place:
        yield place


@pytest.fixture
def store(home: Home) -> Store:
    """A store with two knowledge bases and nothing in them."""
    store = home.open()
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    store.create_knowledge_base(PAYROLL, "Payroll", "de")
    return store


@pytest.fixture
def author(store: Store) -> Author:
    """Anna, who writes to the handbook."""
    return Author(store)
