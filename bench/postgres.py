"""A store on PostgreSQL, beside psycopg alone."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.postgres_edits import NOW, TEXT, bare_connection, edits
from bench.postgres_index import kept_up
from bench.rows import Row, in_turn
from pincite.domain.articles import Article
from pincite.domain.decide import decide
from pincite.domain.edits import Create, Request
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.ports import Store
from pincite.storage import create_store, open_store
from pincite.storage.postgres.view import _ARTICLE
from tests.postgres_cluster import own_clusters

BASES = [KnowledgeBaseId(f"base-{number}") for number in range(16)]
CLIENTS = (1, 8, 32)


def measure(scale: float) -> Sequence[Row]:
    """Edits, reads, searches, and how the index keeps up."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, own_clusters(Path(folder)) as clusters:
        place = Path(folder)
        durable = clusters.new()
        durable.initialise(fsync="on", shared_buffers="256MB")
        durable.start()
        url = durable.new_database()
        store = create_store(url, index_folder=place / "first")
        for base in BASES:
            store.create_knowledge_base(base, base, "en")
        for bases in (BASES[:1], BASES):
            for clients in CLIENTS:
                rows += edits(store, url, clients, bases, scale)
        store.close()
        # Anew, with one connection: a pool that 32 clients filled lends its connections in turn,
        # and each would have slept for 15 reads when its own comes.
        store = open_store(url, index_folder=place / "first")
        rows += _reads(store, url, int(max(50, 1000 * scale)))
        store.close()
        quick = clusters.new()  # what is searched need not be saved durably
        quick.initialise(shared_buffers="256MB")
        quick.start()
        url = quick.new_database()
        store = create_store(url, index_folder=place / "second")
        rows += kept_up(store, url, place / "host", scale)
        store.close()
    return rows


def _reads(store: Store, url: str, count: int) -> Sequence[Row]:
    """A whole view with one article, beside the same snapshot and the same row asked alone."""
    base, article = BASES[0], ArticleId("read")
    decision = decide(Article.absent(base, article), Create(TEXT, publish=True), NOW)
    store.commit(decision, Request(Principal("writer")), NOW)

    def ours() -> object:
        with store.view() as view:
            return view.find_article(base, article)

    # One connection for each, as ours has: a server's process that has just answered is quicker.
    with bare_connection(url) as connection, bare_connection(url) as another:

        def snapshot() -> object:
            with connection.pipeline():
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                found = connection.execute(_ARTICLE, (base, article))
            row = found.fetchone()
            connection.execute("COMMIT")
            return row

        def row() -> object:
            return another.execute(_ARTICLE, (base, article)).fetchone()

        whole, same, alone = in_turn([ours, snapshot, row], count)
    ratio = whole.median / same.median
    return [
        Row("a view that reads an article", whole.median * 1e3, "ms", whole.p99 * 1e3,
            ratio, "bare psycopg", "≤ 1.3×", ratio <= 1.3),
        Row("… by bare psycopg, in no snapshot", alone.median * 1e3, "ms", alone.p99 * 1e3),
    ]  # fmt: skip
