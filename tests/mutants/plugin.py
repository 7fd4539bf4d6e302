"""A pytest plugin that puts the conformance suite to the broken stores instead of the real ones."""

from tests.mutants.stores import KINDS, opener
from tests.storage.backends import BACKENDS


def pytest_configure() -> None:
    BACKENDS.clear()
    BACKENDS.update({kind.__name__: opener(kind) for kind in KINDS})
