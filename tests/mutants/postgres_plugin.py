"""As ``plugin``, with the broken stores on PostgreSQL."""

from tests.mutants.postgres_stores import KINDS, opener
from tests.storage.backends import BACKENDS


def pytest_configure() -> None:
    BACKENDS.clear()
    BACKENDS.update({kind.__name__: opener(kind) for kind in KINDS})
