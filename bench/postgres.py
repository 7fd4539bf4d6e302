"""A store on PostgreSQL, beside a loop of psycopg that asks the very same statements."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg

from bench.material import Material
from bench.rows import Row, Times, timed
from pincite.domain.articles import Article
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import Create, Edit, Request
from pincite.domain.events import Resource
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp
from pincite.ports import Store
from pincite.storage import create_store, open_store
from pincite.storage.postgres.commits import Commit
from pincite.storage.postgres.logs import Values
from pincite.storage.postgres.view import _ARTICLE
from tests.postgres_cluster import Cluster, own_clusters

BASES = 16
NOW = Stamp(1_800_000_000_000)
ARTICLES = 10_000
"""In the knowledge base that is searched; ten times as many with ``--scale 10``."""


@dataclass(frozen=True, slots=True)
class Place:
    """A store of the measurement's own.

    Attributes:
        url: Where its database is.
        folder: Where its host keeps indexes.
    """

    url: str
    folder: Path
    store: Store


class Recorder:
    """Takes the place of a connection, and keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: tuple[str, Values] = ("", {})

    def execute(self, query: str, values: Values) -> "Recorder":
        """Keeps the statement."""
        self.asked = (query, values)
        return self

    def fetchone(self) -> tuple[int]:
        """Something to go on with."""
        return (1,)


def measure(scale: float) -> Sequence[Row]:
    """Edits, reads, searches, and how the index keeps up."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, own_clusters(Path(folder)) as clusters:
        cluster = clusters.new()
        cluster.initialise(fsync="on", shared_buffers="256MB")
        cluster.start()
        for clients, bases in ((1, 1), (8, 1), (32, 1), (8, BASES), (32, BASES)):
            each = int(max(10, 400 * scale / clients))
            rows += _edits(cluster, Path(folder), clients, bases, each)
        with _place(cluster, Path(folder)) as place:
            rows += _reads(place, int(max(50, 1000 * scale)))
        quick = clusters.new()  # what is searched need not be saved durably
        quick.initialise(shared_buffers="256MB")
        quick.start()
        with _place(quick, Path(folder)) as place:
            rows += _searches(place, int(max(200, ARTICLES * scale)))
    return rows


@contextmanager
def _place(cluster: Cluster, folder: Path) -> Iterator[Place]:
    url = cluster.new_database()
    store = create_store(url, index_folder=folder)
    for number in range(BASES):
        store.create_knowledge_base(_base(number), f"Base {number}", "en")
    try:
        yield Place(url, folder, store)
    finally:
        store.close()


def _base(number: int) -> KnowledgeBaseId:
    return KnowledgeBaseId(f"base-{number}")


def _edits(cluster: Cluster, folder: Path, clients: int, bases: int, each: int) -> Sequence[Row]:
    ours, bare = [], []
    for _ in range(3):  # in turn, so that a machine that slows down slows both
        ours.append(_run(cluster, folder, clients, bases, each, _commit))
        bare.append(_run(cluster, folder, clients, bases, each, _execute))
    rate, times = sorted(ours, key=lambda run: run[0])[1]
    base, _ = sorted(bare, key=lambda run: run[0])[1]
    where = f"{clients} at once, knowledge bases: {bases}"
    return [
        Row(f"edits, {where}", rate, "/s", None, base / rate, "bare psycopg", "≤ 1.3×",
            base / rate <= 1.3),
        Row("… one of them takes", times.median * 1e3, "ms", times.p99 * 1e3),
    ]  # fmt: skip


Work = Callable[[Place, Sequence[tuple[Decision, Request]], list[float], threading.Barrier], None]


def _run(
    cluster: Cluster, folder: Path, clients: int, bases: int, each: int, work: Work
) -> tuple[float, Times]:
    """Edits per second, and how long each took; each client edits an article of its own."""
    with _place(cluster, folder) as place:
        seconds: list[float] = []
        barrier = threading.Barrier(clients + 1)
        threads = [
            threading.Thread(
                target=work, args=(place, _load(place, n, bases, each), seconds, barrier)
            )
            for n in range(clients)
        ]
        for thread in threads:
            thread.start()
        barrier.wait()
        begin = time.perf_counter()
        for thread in threads:
            thread.join()
        return clients * each / (time.perf_counter() - begin), Times(sorted(seconds))


def _load(place: Place, client: int, bases: int, each: int) -> list[tuple[Decision, Request]]:
    """A new article, and the edits of it that will be made one after another."""
    principal = Principal(f"writer/{client}")
    material = Material(client)
    article = Article.absent(_base(client % bases), ArticleId(f"article-{client}"))
    write: Create | Edit = Create(material.article(client)[1], publish=True)
    created = decide(article, write, NOW)
    place.store.commit(created, Request(principal), NOW)
    article, edits = created.article, []
    for number in range(each):
        expected = article.updated_at
        if expected is None:
            raise ValueError(article)
        content = f"{material.article(client)[1].content}\nEdit {number}.\n"
        decision = decide(article, Edit(expected, content), NOW)
        edits.append((decision, Request(principal, f"key-{number}", "f")))
        article = decision.article
    return edits


def _commit(
    place: Place,
    edits: Sequence[tuple[Decision, Request]],
    seconds: list[float],
    barrier: threading.Barrier,
) -> None:
    barrier.wait()
    for decision, request in edits:
        begin = time.perf_counter()
        place.store.commit(decision, request, NOW)
        seconds.append(time.perf_counter() - begin)


def _execute(
    place: Place,
    edits: Sequence[tuple[Decision, Request]],
    seconds: list[float],
    barrier: threading.Barrier,
) -> None:
    """The same statements, with a connection of its own and nothing around them.

    The passages of each text are cut here as well: that is not the store's doing.
    """
    recorder = Recorder()
    with psycopg.connect(place.url, autocommit=True, prepare_threshold=1) as connection:
        barrier.wait()
        for decision, request in edits:
            begin = time.perf_counter()
            Commit.of(decision, request, NOW).save(recorder)  # type: ignore[arg-type]
            query, values = recorder.asked
            connection.execute(query, values).fetchone()
            seconds.append(time.perf_counter() - begin)


def _reads(place: Place, count: int) -> Sequence[Row]:
    """A whole view with one article, and the same row asked alone."""
    _load(place, 0, 1, 0)
    article = ArticleId("article-0")

    def ours() -> object:
        with place.store.view() as view:
            return view.find_article(_base(0), article)

    head = timed(lambda: place.store.head(Resource.of(_base(0))), count)
    with psycopg.connect(place.url, autocommit=True, prepare_threshold=1) as connection:

        def bare() -> object:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            found = connection.execute(_ARTICLE, (_base(0), article)).fetchone()
            connection.execute("COMMIT")
            return found

        alone = timed(bare, count)
    whole = timed(ours, count)
    return [
        Row("a view that reads an article", whole.median * 1e3, "ms", whole.p99 * 1e3,
            whole.median / alone.median, "bare psycopg"),
        Row("the head of a log", head.median * 1e3, "ms", head.p99 * 1e3),
    ]  # fmt: skip


def _searches(place: Place, articles: int) -> Sequence[Row]:
    base = _base(0)
    material = Material()
    for number in range(articles):
        article = Article.absent(base, ArticleId(f"article-{number}"))
        text = material.article(number)[1]
        decision = decide(article, Create(text, publish=True), NOW)
        place.store.commit(decision, Request(Principal("importer")), NOW)

    def search() -> object:
        with place.store.view() as view:
            return view.search(base, "how do I return the battery", 5)

    begin = time.perf_counter()
    search()
    built = articles / (time.perf_counter() - begin)
    times = timed(search, 100)
    stamp = NOW
    seconds = []
    for number in range(50):
        decision = decide(
            replace(_present(place, base), updated_at=stamp),
            Edit(stamp, f"Edit {number} about batteries.\n"),
            NOW,
        )
        place.store.commit(decision, Request(Principal("writer")), NOW)
        stamp = decision.article.updated_at or stamp
        begin = time.perf_counter()
        search()
        seconds.append(time.perf_counter() - begin)
    after = Times(sorted(seconds))
    other = open_store(place.url, index_folder=place.folder / "another host")
    begin = time.perf_counter()
    with other.view() as view:
        view.search(base, "battery", 5)
    anew = articles / (time.perf_counter() - begin)
    other.close()
    return [
        Row(f"the index follows {articles:,} articles", built, "/s"),
        Row("… and is made anew on another host", anew, "/s"),
        Row(f"a search among {articles:,} articles", times.median * 1e3, "ms", times.p99 * 1e3),
        Row("… right after an edit, which it finds", after.median * 1e3, "ms", after.p99 * 1e3),
    ]


def _present(place: Place, base: KnowledgeBaseId) -> Article:
    with place.store.view() as view:
        found = view.find_article(base, ArticleId("article-0"))
    if found is None:
        raise ValueError(base)
    return found
