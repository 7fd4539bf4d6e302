"""A host's search index beside PostgreSQL: how it is made, asked, and keeps up.

Run as ``python -m bench.postgres_index URL FOLDER`` it is such a host: it makes its index, says
how long that took, and follows the log until its standard input ends.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import apsw

from bench.material import Material
from bench.rows import Row, Times, in_turn, timed
from pincite.domain.articles import Article
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import Create, Edit, Request
from pincite.domain.events import Resource
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.passages import cut
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import Committed, Store
from pincite.storage import open_store
from pincite.storage.index.fts import SearchIndex
from pincite.storage.postgres.store import PostgresStore
from pincite.storage.rows import Row as Stored
from pincite.storage.rows import passages_to_text
from pincite.storage.transfer import LOG_TABLES, Part

KB = KnowledgeBaseId("large")
LOG = Resource.of(KB)
NOW = Stamp(1_800_000_000_000)
WRITER = Principal("writer")
TEXTS = 10_000
"""Different contents; of ten articles with the same one, each has a title of its own."""

WRITERS = 8
_NEVER = threading.Event()


class Articles:
    """The knowledge base that is searched, as it is filled and then edited."""

    def __init__(self, count: int) -> None:
        material = Material()
        made = [material.article(number)[1] for number in range(min(count, TEXTS))]
        self._texts = [(text, passages_to_text(cut(text.content))) for text in made]
        self.count = count

    def fill(self, store: Store) -> None:
        """Writes all of it in bulk, as a knowledge base that moves here is written."""
        if not isinstance(store, PostgresStore):
            raise TypeError(store)
        stamp, numbers = NOW.milliseconds, range(self.count)
        parts: dict[str, Iterator[Stored]] = {
            "log": iter([("begun", self.count, 0)]),
            "knowledge_base": iter([("Large", "en", False)]),
            "article": (self._article(n) for n in numbers),
            "revision": (
                (f"article-{n}", stamp, n + 1, WRITER, None, None, *self._stored(n))
                for n in numbers
            ),
            "event": (
                (n + 1, "article.published", stamp, f"article-{n}", None, None) for n in numbers
            ),
        }
        store.transfer.write([Part(KB, table, stored) for table, stored in parts.items()])

    def edits(self, name: str, count: int) -> Iterator[tuple[Decision, Request]]:
        """Edits of as many articles, each of another one, as they were filled in."""
        for number in range(count):
            article = Article.absent(KB, ArticleId(f"article-{number}"))
            filled = decide(article, Create(self._text(number), publish=True), NOW).article
            content = f"{filled.text.content if filled.text else ''}\nEdited by {name}.\n"
            yield decide(filled, Edit(NOW, content), NOW), Request(WRITER, f"{name} {number}", "f")

    def _text(self, number: int) -> Text:
        text, _ = self._texts[number % len(self._texts)]
        return Text(f"{text.title} {number}", text.content)

    def _article(self, number: int) -> Stored:
        stamp = NOW.milliseconds
        known = {
            "id": f"article-{number}",
            "no": number + 1,
            "state": "published",
            "updated_at": stamp,
            "sequence": number + 1,
            "revision": stamp,
        }
        return [known.get(column) for column in LOG_TABLES["article"]]

    def _stored(self, number: int) -> tuple[str, str, str]:
        text, passages = self._texts[number % len(self._texts)]
        return f"{text.title} {number}", passages, text.content


def kept_up(store: Store, url: str, folder: Path, scale: float) -> Sequence[Row]:
    """The index of one large knowledge base; ``store`` writes and never searches."""
    articles = Articles(int(max(2_000, 100_000 * min(scale, 1))))
    articles.fill(store)
    # The articles that each part edits are not those of the next.
    due = articles.edits("somebody", articles.count)
    with following(url, folder) as made:
        rows = [Row(f"a host's index of {articles.count:,} articles is made", made, "/s")]
        rows += searches(url, folder, articles.count, int(max(50, 300 * scale)))
        rows += [right_after(store, url, folder, due, int(max(20, 100 * scale)))]
        rows += [lag(store, folder, due, int(max(20, 100 * scale)))]
        rows += [lag_under_load(store, folder, due, int(max(80, 1_000 * scale)))]
    return [*rows, catch_up(store, url, folder, due, int(max(500, 5_000 * scale)))]


def searches(url: str, folder: Path, articles: int, count: int) -> Sequence[Row]:
    """Searches on the same host, beside the questions that they put to its index."""
    material = Material()
    queries = [material.query() for _ in range(count // 10)]  # each is asked once to warm up
    ours, raw = cycle(queries), cycle(queries)
    store = open_store(url, index_folder=folder)
    index = HostIndex(folder)

    def search() -> object:
        with store.view() as view:
            return view.search(KB, next(ours), 5)

    whole, alone = in_turn([search, lambda: index.search(next(raw))], count)
    head = timed(lambda: store.head(LOG), count)
    store.close()
    return [
        Row(f"a search among {articles:,} articles", whole.median * 1e3, "ms", whole.p99 * 1e3,
            whole.median / alone.median, "its index alone"),
        Row("… its index alone", alone.median * 1e3, "ms", alone.p99 * 1e3),
        Row("the head of a log", head.median * 1e3, "ms", head.p99 * 1e3),
    ]  # fmt: skip


def right_after(
    store: Store, url: str, folder: Path, due: Iterator[tuple[Decision, Request]], count: int
) -> Row:
    """A search right after a save was acknowledged, which it must see."""
    searching, index = open_store(url, index_folder=folder), HostIndex(folder)
    seconds = []
    for _ in range(count):
        sequence = save(store, *next(due))
        begin = time.perf_counter()
        with searching.view() as view:
            view.search(KB, "edited", 5)
        seconds.append(time.perf_counter() - begin)
        if index.reached() < sequence:
            raise RuntimeError("A search went by without the save before it.")
    searching.close()
    times = Times(sorted(seconds))
    return Row("… right after an edit, which it sees", times.median * 1e3, "ms", times.p99 * 1e3)


def lag(store: Store, folder: Path, due: Iterator[tuple[Decision, Request]], count: int) -> Row:
    """From an acknowledged save until the index of a host that follows holds it."""
    index = HostIndex(folder)
    seconds = []
    for _ in range(count):
        sequence = save(store, *next(due))
        begin = time.perf_counter()
        while index.reached() < sequence:
            _NEVER.wait(0.001)
        seconds.append(time.perf_counter() - begin)
    times = Times(sorted(seconds))
    return Row("the index is behind a save", times.median * 1e3, "ms", times.p99 * 1e3)


def lag_under_load(
    store: Store, folder: Path, due: Iterator[tuple[Decision, Request]], count: int
) -> Row:
    """The same while several threads save as fast as they can."""
    index = HostIndex(folder)
    acknowledged: list[tuple[int, float]] = []
    reached: list[tuple[int, float]] = [(index.reached(), time.perf_counter())]
    saved = threading.Event()

    def write(one: tuple[Decision, Request]) -> None:
        acknowledged.append((save(store, *one), time.perf_counter()))

    def look() -> None:
        while not (saved.is_set() and reached[-1][0] >= max(acknowledged)[0]):
            reached.append((index.reached(), time.perf_counter()))
            _NEVER.wait(0.002)

    watching = threading.Thread(target=look)
    watching.start()
    edits = [next(due) for _ in range(count)]
    begin = time.perf_counter()
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, edits))
    rate = count / (time.perf_counter() - begin)
    saved.set()
    watching.join()
    times = Times(sorted(lags(acknowledged, reached)))
    name = f"… while {WRITERS} write, {rate:,.0f} edits/s"
    return Row(name, times.median * 1e3, "ms", times.p99 * 1e3)


def lags(
    acknowledged: Sequence[tuple[int, float]], reached: Sequence[tuple[int, float]]
) -> Iterator[float]:
    """For each save, how long after it the index was first seen as far; at least 0."""
    place = 0
    for sequence, moment in sorted(acknowledged):
        while reached[place][0] < sequence:
            place += 1
        yield max(0.0, reached[place][1] - moment)


def catch_up(
    store: Store, url: str, folder: Path, due: Iterator[tuple[Decision, Request]], count: int
) -> Row:
    """How fast a host that was away takes in what happened meanwhile."""
    edits = [next(due) for _ in range(count)]
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda one: save(store, *one), edits))
    back = open_store(url, index_folder=folder)
    begin = time.perf_counter()
    with back.view() as view:
        view.search(KB, "edited", 5)
    elapsed = time.perf_counter() - begin
    back.close()
    return Row("a host that was away takes in", count / elapsed, "events/s")


def save(store: Store, decision: Decision, request: Request) -> int:
    """Saves; the number of its event."""
    outcome = store.commit(decision, request, NOW)
    if not isinstance(outcome, Committed) or outcome.receipt.sequence is None:
        raise TypeError(outcome)
    return outcome.receipt.sequence


class HostIndex:
    """The host's one index file, looked at from beside it."""

    def __init__(self, folder: Path) -> None:
        (path,) = folder.glob("*.db")
        self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        self._number: int = self._connection.execute(
            "SELECT kb FROM followed WHERE id = ?", (KB,)
        ).get

    def reached(self) -> int:
        """The last event whose article it holds as it was then, or later."""
        found: int = self._connection.execute(
            "SELECT sequence FROM followed WHERE kb = ?", (self._number,)
        ).get
        return found

    def search(self, query: str) -> object:
        """What a search asks it."""
        self._connection.execute("BEGIN")
        found = SearchIndex(self._connection).search(self._number, query, "en", 5)
        self._connection.execute("COMMIT")
        return found


@contextmanager
def following(url: str, folder: Path) -> Iterator[float]:
    """Another process that makes the index and follows; how many articles it took in a second."""
    call = [sys.executable, "-m", "bench.postgres_index", url, str(folder)]
    with subprocess.Popen(
        call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        if process.stdout is None:
            raise ValueError(process)
        said = json.loads(process.stdout.readline())
        yield float(said["articles"] / said["seconds"])
        process.communicate()


def _host(url: str, folder: Path) -> None:
    store = open_store(url, index_folder=folder)
    begin = time.perf_counter()
    with store.view() as view:
        view.search(KB, "anything", 5)
        elapsed = time.perf_counter() - begin
        found = view.find_knowledge_base(KB)
    said = {"articles": found.article_count if found else 0, "seconds": elapsed}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    store.close()


if __name__ == "__main__":
    _host(sys.argv[1], Path(sys.argv[2]))
