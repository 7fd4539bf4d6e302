"""A small store in a file, to open, break and open again."""

from pathlib import Path

from pincite.storage import create_store
from tests.storage.writing import HANDBOOK, Author


def filled(path: Path) -> Author:
    """The author of one published article in a new store."""
    store = create_store(str(path))
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    author = Author(store)
    author.publish("leave")
    return author
