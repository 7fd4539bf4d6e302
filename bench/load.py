"""Processes that load a store: writers that say what was acknowledged, readers that tail its log.

Run as ``python -m bench.load write|tail DATABASE …``; :mod:`bench.soak` starts them and judges.
"""

import hashlib
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import click

from pincite.domain.articles import Article
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import Create, Edit, Request
from pincite.domain.events import ArticleEvent, Resource
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import PinciteError
from pincite.ports import Committed, Outcome, Replayed, Store
from pincite.storage import open_store

KB = KnowledgeBaseId("load")
LOG = Resource.of(KB)
WORDS = ("alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma", "theta")
SHARED_ARTICLES = 4
"""Articles that all writers edit; beside them each thread has one of its own."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """One save that a writer was told is durable.

    Attributes:
        key: Under which it was asked; it also tells the text, see :func:`text_of`.
        updated_at: The stamp, in milliseconds.
    """

    principal: str
    key: str
    article_id: str
    updated_at: int
    sequence: int


@dataclass(frozen=True, slots=True)
class Effort:
    """What writing cost a process.

    Attributes:
        slowest: The longest time that one call took, in seconds.
        refusals: How often something else than a save was the answer, by its name.
    """

    edits: int
    slowest: float
    refusals: dict[str, int]


@dataclass(frozen=True, slots=True)
class Tailed:
    """What a reader saw of the log.

    Attributes:
        out_of_turn: Events whose number was not the next one.
        digest: Of every event, in the order in which it was seen.
    """

    events: int
    out_of_turn: int
    digest: str


def text_of(key: str) -> Text:
    """The text that is saved under a key; no two are alike."""
    words = random.Random(key)
    body = " ".join(
        words.choices(["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma", "theta"], k=60)
    )
    return Text(f"About {key}", f"# {key}\n\n{body}\n\nWritten under {key}.\n")


def digest_of(events: Sequence[ArticleEvent]) -> str:
    """A digest of events in their order."""
    digest = hashlib.sha256()
    for event in events:
        digest.update(f"{event.sequence} {event.article_id} {event.updated_at}\n".encode())
    return digest.hexdigest()


class Load:
    """Threads of one process that edit as fast as they can."""

    def __init__(self, store: Store, principal: str, *, quiet: bool) -> None:
        self._store = store
        self._principal = Principal(principal)
        self._quiet = quiet
        self._told = threading.Lock()
        self._slowest = 0.0
        self._edits = 0
        self._refusals: Counter[str] = Counter()

    def run(self, threads: int, edits: int) -> Effort:
        """Makes ``edits`` saves in each thread."""
        workers = [threading.Thread(target=self._edit, args=(n, edits)) for n in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return Effort(self._edits, self._slowest, dict(self._refusals))

    def _edit(self, thread: int, edits: int) -> None:
        choice = random.Random(f"{self._principal} {thread}")
        own = f"{self._principal}-{thread}".replace("/", "-")
        for number in range(edits):
            shared = choice.random() < 0.25
            name = f"shared-{choice.randrange(SHARED_ARTICLES)}" if shared else own
            self._save(ArticleId(name), f"{self._principal} {thread} {number}")

    def _save(self, article_id: ArticleId, key: str) -> None:
        """Tries until the text is saved, under the same key."""
        while True:
            begin = time.monotonic()
            outcome = self._try(article_id, key)
            took = time.monotonic() - begin
            with self._told:
                self._slowest = max(self._slowest, took)
                if isinstance(outcome, Committed | Replayed):
                    self._edits += 1
                else:
                    self._refusals[type(outcome).__name__] += 1
            # Replayed, where the store lost a connection and asked again by itself.
            if isinstance(outcome, Committed | Replayed):
                if not self._quiet:
                    self._tell(article_id, key, outcome)
                return

    def _try(self, article_id: ArticleId, key: str) -> Outcome | PinciteError:
        try:
            return self._store.commit(*self._asked(article_id, key))
        except PinciteError as error:
            return error

    def _asked(self, article_id: ArticleId, key: str) -> tuple[Decision, Request, Stamp]:
        with self._store.view() as view:
            article = view.find_article(KB, article_id) or Article.absent(KB, article_id)
        text = text_of(key)
        now = Stamp(time.time_ns() // 1_000_000)
        write: Create | Edit = Create(text, publish=True)
        if article.updated_at is not None:
            write = Edit(article.updated_at, text.content, text.title)
        return decide(article, write, now), Request(self._principal, key, key), now

    def _tell(self, article_id: ArticleId, key: str, outcome: Committed | Replayed) -> None:
        receipt = outcome.receipt
        if receipt.updated_at is None or receipt.sequence is None:
            raise ValueError(receipt)
        stamp = receipt.updated_at.milliseconds
        say(Acknowledged(self._principal, key, article_id, stamp, receipt.sequence))


def say(fact: "Acknowledged | Effort | Tailed") -> None:
    """One line in one write, which no ``kill -9`` tears."""
    os.write(1, (json.dumps(asdict(fact)) + "\n").encode())


def tail(store: Store, until: int) -> Tailed:
    """Follows the log from its beginning to an event, as far as it goes each time."""
    after, moved, out_of_turn = 0, 0, 0
    seen: list[ArticleEvent] = []
    while after < until:
        with store.view() as view:
            page = view.list_events(LOG, after, 100)
        for event in page.events:
            if isinstance(event, ArticleEvent):
                out_of_turn += event.sequence != len(seen) + 1
                seen.append(event)
        after = page.next_sequence
        if not page.has_more:
            moved = store.wait(moved, 1.0)
    return Tailed(len(seen), out_of_turn, digest_of(seen))


@click.group()
def main() -> None:
    """Loads a store."""


@main.command("write")
@click.argument("database")
@click.option("--principal", required=True)
@click.option("--threads", default=4)
@click.option("--edits", default=1_000_000, help="In each thread.")
@click.option("--quiet", is_flag=True, help="Tell only what it cost.")
def write_command(database: str, principal: str, threads: int, edits: int, *, quiet: bool) -> None:
    """Edits, tells each acknowledged save on a line and, last, what it cost."""
    store = open_store(database)
    say(Load(store, principal, quiet=quiet).run(threads, edits))
    store.close()


@main.command("tail")
@click.argument("database")
@click.option("--until", type=int, required=True)
def tail_command(database: str, until: int) -> None:
    """Tails the log and tells what it saw."""
    store = open_store(database)
    say(tail(store, until))
    store.close()


if __name__ == "__main__":
    main()
