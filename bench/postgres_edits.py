"""Durable edits on PostgreSQL, beside a loop of psycopg that asks the very same statements."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import psycopg

from bench.material import Material
from bench.rows import Row, Times
from pincite.domain.articles import Article
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import Create, Edit, Request
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp
from pincite.ports import Committed, Store
from pincite.storage.postgres.commits import Commit
from pincite.storage.postgres.logs import Values

NOW = Stamp(1_800_000_000_000)
TEXT = Material().article(0)[1]
ROUNDS = 11
"""Of ours and of the bare loop, in turn: what slows the machine slows both alike."""

EDITS = 64
"""In each half of a round, of all clients together, unless there are more clients."""

Asked: TypeAlias = tuple[Decision, Request]
Way: TypeAlias = Callable[[Asked], None]


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


class Client:
    """Edits an article of its own in each knowledge base, one after another."""

    def __init__(self, store: Store, bases: Sequence[KnowledgeBaseId], name: str) -> None:
        self._principal = Principal(f"writer/{name}")
        self._count = 0
        self._articles: list[Article] = []
        for base in bases:
            article = Article.absent(base, ArticleId(name))
            created = decide(article, Create(TEXT, publish=True), NOW)
            store.commit(created, Request(self._principal), NOW)
            self._articles.append(created.article)

    def edits(self, number: int) -> list[Asked]:
        """The next edits, to be made in this order."""
        return [self._edit() for _ in range(number)]

    def _edit(self) -> Asked:
        self._count += 1
        place = self._count % len(self._articles)
        article = self._articles[place]
        if article.updated_at is None:
            raise ValueError(article)
        content = f"{TEXT.content}\nEdit {self._count}.\n"
        decision = decide(article, Edit(article.updated_at, content), NOW)
        self._articles[place] = decision.article
        return decision, Request(self._principal, f"key-{self._count}", "f")


@dataclass(frozen=True, slots=True)
class Round:
    """One round: edits per second of each."""

    ours: float
    bare: float


def edits(
    store: Store, url: str, clients: int, bases: Sequence[KnowledgeBaseId], scale: float
) -> Sequence[Row]:
    """What a number of clients saves in a second, and how long each save takes.

    Each client goes round all the knowledge bases, beginning at another one than the last did.
    """
    # No two measurements share an article.
    names = [f"c{clients}-{len(bases)}-{number}" for number in range(clients)]
    each = max(2, EDITS // clients)
    turns = [[*bases[n % len(bases) :], *bases[: n % len(bases)]] for n in range(clients)]
    editing = [Client(store, turn, name) for turn, name in zip(turns, names, strict=True)]
    seconds: list[float] = []
    rounds: list[Round] = []
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(clients))
        connections = [stack.enter_context(bare_connection(url)) for _ in range(clients)]

        ways: dict[str, list[Way]] = {
            "ours": [partial(save, store) for _ in range(clients)],
            "bare": [partial(execute, connection) for connection in connections],
        }
        for number in range(int(max(3, ROUNDS * scale)) + 1):
            halves = {}
            for kind in ("ours", "bare") if number % 2 else ("bare", "ours"):
                loads = [client.edits(each) for client in editing]
                taken = all_at_once(pool, list(zip(ways[kind], loads, strict=True)))
                halves[kind] = clients * each / taken.elapsed
                if number and kind == "ours":
                    seconds += taken.seconds
            if number:  # the first one warms up
                rounds.append(Round(halves["ours"], halves["bare"]))
    return told(clients, bases, rounds, Times(sorted(seconds)))


def told(
    clients: int, bases: Sequence[KnowledgeBaseId], rounds: Sequence[Round], times: Times
) -> Sequence[Row]:
    """Medians of the rounds; the ratio is that of the two halves of one round."""
    rate = sorted(one.ours for one in rounds)[len(rounds) // 2]
    ratio = sorted(one.bare / one.ours for one in rounds)[len(rounds) // 2]
    where = "1 knowledge base" if len(bases) == 1 else f"{len(bases)} knowledge bases"
    return [
        Row(f"edits, {clients} at once, {where}", rate, "/s", None, ratio,
            "bare psycopg", "≤ 1.3×", ratio <= 1.3),
        Row("… one of them takes", times.median * 1e3, "ms", times.p99 * 1e3),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Taken:
    """How long all of it took, and each part, in seconds."""

    elapsed: float
    seconds: list[float]


def all_at_once(pool: ThreadPoolExecutor, loads: Sequence[tuple[Way, Sequence[Asked]]]) -> Taken:
    """Makes each client's edits one after another, and all clients' at the same time."""
    barrier = threading.Barrier(len(loads) + 1)
    seconds: list[float] = []

    def work(way: Way, load: Sequence[Asked]) -> None:
        barrier.wait()
        for asked in load:
            begin = time.perf_counter()
            way(asked)
            seconds.append(time.perf_counter() - begin)

    working = [pool.submit(work, *load) for load in loads]
    barrier.wait()
    begin = time.perf_counter()
    for one in working:
        one.result()
    return Taken(time.perf_counter() - begin, seconds)


def bare_connection(url: str) -> "psycopg.Connection":
    """A connection as the store's are, with nothing around it."""
    return psycopg.connect(url, autocommit=True, prepare_threshold=1)


def save(store: Store, asked: Asked) -> None:
    """Ours."""
    if not isinstance(store.commit(*asked, NOW), Committed):
        raise TypeError(asked)


def execute(connection: "psycopg.Connection", asked: Asked) -> None:
    """The same statement with the same values: text, revision, event and receipt.

    The passages of each text are cut here as well: a loop that stores them would have to.
    """
    recorder = Recorder()
    Commit.of(*asked, NOW).save(recorder)  # type: ignore[arg-type]
    if connection.execute(*recorder.asked).fetchone() is None:
        raise ValueError(asked)
