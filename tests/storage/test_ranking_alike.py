"""Both engines rank alike, and so does an index that was made anew."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.ports import SearchHit, Store
from pincite.storage import create_store
from tests.postgres_cluster import Cluster
from tests.storage.writing import HANDBOOK, Author

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS = [
    json.loads(line)["query"]
    for line in (EXAMPLES / "acorn-support-questions.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture
def stores(postgres: Cluster, tmp_path: Path) -> Iterator[list[Store]]:
    """SQLite, PostgreSQL, and PostgreSQL as a host that comes later sees it."""
    place = postgres.new_place()
    made = [
        create_store(str(tmp_path / "store.db")),
        create_store(place, index_folder=tmp_path / "first"),
        create_store(place, index_folder=tmp_path / "later"),
    ]
    yield made
    for store in made:
        store.close()


def write_the_sample(store: Store) -> None:
    """The sample's articles, of which some are edited and some withdrawn."""
    store.create_knowledge_base(HANDBOOK, "Acorn", "en")
    author = Author(store)
    paths = sorted((EXAMPLES / "acorn-support").rglob("*.md"))
    assert len(paths) >= 40
    for path in paths:
        author.publish(path.stem, path.read_text("utf-8"), path.stem.replace("-", " "))
    hits(store, "battery")  # from here on the index follows
    for path in paths[::5]:
        author.edit(path.stem, path.read_text("utf-8").replace("hub", "bridge") + "\nMore.\n")
    author.withdraw(paths[3].stem)
    author.withdraw(paths[4].stem)
    author.republish(paths[4].stem)


def hits(store: Store, question: str) -> list[SearchHit]:
    with store.view() as view:
        return list(view.search(HANDBOOK, question, 10))


def test_every_question_has_the_same_hits_on_both_engines_and_every_host(
    stores: list[Store],
) -> None:
    for store in stores[:2]:
        write_the_sample(store)
    found = [[hits(store, question) for question in QUESTIONS] for store in stores]
    assert len(QUESTIONS) >= 50
    assert sum(map(bool, found[0])) >= 50
    assert found[1] == found[0]
    assert found[2] == found[0]
