"""Two servers on pipes, on one database and one host: they share its index, and nothing else."""

import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import apsw
import pytest

from pincite.app.build import create_service
from pincite.app.settings import Settings
from pincite.client import sync
from pincite.client.calls import Hit, edit, follow, read, search
from pincite.domain.citations import Citation
from pincite.domain.edits import Create
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.texts import Text
from pincite.errors import PinciteError, VersionConflictError
from pincite.storage import open_store
from tests.postgres_cluster import Cluster

OWNER = LocalUser()
HANDBOOK = KnowledgeBaseId("handbook")
SHARED = ArticleId("shared")
ROUNDS = 12
MANY = 400
"""Articles enough that an index of them takes several transactions to make."""

LIMIT = 60.0
"""Seconds that one agent waits for the other."""

# The shell tells its number, which is the server's from then on.
NUMBERED = 'echo $$ >"$0"; exec "$@"'

Start: TypeAlias = Callable[[str], AbstractContextManager[sync.SyncClient]]


@pytest.fixture
def url(postgres: Cluster) -> str:
    return postgres.new_place()


@pytest.fixture
def index_folder(tmp_path: Path) -> Path:
    """Where the one host keeps its index."""
    return tmp_path / "index"


@pytest.fixture
def start(url: str, index_folder: Path, tmp_path: Path) -> Start:
    """Starts a server as an agent's client does; its number is in the file of its name."""

    def start(name: str) -> AbstractContextManager[sync.SyncClient]:
        serve = [sys.executable, "-m", "pincite", "--db", url, "serve", "--stdio"]
        command = ["sh", "-c", NUMBERED, str(tmp_path / name), *serve]
        return sync.start(command, {"PINCITE_INDEX_FOLDER": str(index_folder)})

    return start


def fill(url: str, elsewhere: Path, *article_ids: str) -> None:
    """Publishes articles, from another host."""
    with create_service(Settings(db=url, index_folder=str(elsewhere))) as opened:
        opened.service.create_knowledge_base(OWNER, HANDBOOK, "Handbook", "en")

        def publish(article_id: str) -> None:
            text = Text(article_id.title(), f"About {article_id}.\n" + "Ask your lead.\n\n" * 40)
            create = Create(text, publish=True)
            opened.service.write(OWNER, HANDBOOK, ArticleId(article_id), create)

        with ThreadPoolExecutor(8) as pool:
            assert len(list(pool.map(publish, article_ids))) == len(article_ids)


@dataclass
class Agent:
    """One that writes, tells the other what it wrote, and looks for what the other did.

    Attributes:
        told: What the other one saved: a word, and the version that first had it.
        seen: The numbers of all events, in the order in which they came.
    """

    name: str
    client: sync.SyncClient
    told: "queue.Queue[tuple[str, Citation]]" = field(default_factory=queue.Queue)
    seen: list[int] = field(default_factory=list)
    _keys: Iterator[int] = field(default_factory=lambda: iter(range(1_000_000)))

    def work(self, other: "Agent") -> None:
        """Some rounds, in which every text goes to the other and every text of it is found."""
        for place in range(ROUNDS):
            for article_id in (ArticleId(self.name), SHARED):
                # Letters only, since the words of a text are what is searched for.
                word = f"{self.name}{article_id}{'abcdefghijkl'[place]}word"
                other.told.put((word, self.add(article_id, word)))
            for _ in range(2):
                self.find(*self.told.get(timeout=LIMIT))
            self.poll()

    def add(self, article_id: ArticleId, word: str) -> Citation:
        """Adds a line to an article, again and again until nobody else was first."""
        while True:
            article = self.client.run(read(HANDBOOK, article_id))
            key = f"{self.name}-{next(self._keys)}"
            try:
                saved = self.client.run(edit(article.citation, f"{article.content}{word}\n\n", key))
            except VersionConflictError:
                continue
            assert saved.citation is not None
            return saved.citation

    def find(self, word: str, saved: Citation) -> None:
        """Finds the one article with a word, as it was saved or later."""
        hits = self.client.run(search(HANDBOOK, word))
        assert [hit.citation.article_id for hit in hits] == [saved.article_id]
        assert hits[0].citation.updated_at >= saved.updated_at

    def poll(self) -> None:
        cursor = self.seen[-1] if self.seen else 0
        followed = self.client.run(follow(HANDBOOK, cursor))
        self.seen += [change.sequence for change in followed.changes]


@pytest.mark.spec("PUB-2", "CAS-2", "EV-2", "EV-3")
def test_two_agents_each_with_a_server_find_at_once_what_the_other_saves_and_lose_nothing(
    url: str, index_folder: Path, start: Start, tmp_path: Path
) -> None:
    fill(url, tmp_path / "elsewhere", "anna", "ben", SHARED)
    with start("first") as first, start("second") as second, ThreadPoolExecutor(2) as pool:
        anna, ben = Agent("anna", first), Agent("ben", second)
        for working in [pool.submit(anna.work, ben), pool.submit(ben.work, anna)]:
            working.result()
        for agent in (anna, ben):
            agent.poll()
        shared = first.run(read(HANDBOOK, SHARED))
    # Three were published, then each agent saved a line of its own and one to share each round.
    assert anna.seen == ben.seen == list(range(1, 4 + 4 * ROUNDS))
    lines = [line for line in shared.content.split() if line.endswith("word")]
    assert sorted(lines) == sorted(
        f"{name}shared{letter}word" for name in ("anna", "ben") for letter in "abcdefghijkl"
    )
    assert len(list(index_folder.glob("*.db"))) == 1
    assert_agreement(url, index_folder)


@pytest.mark.spec("FT-1", "PUB-2", "EV-3")
def test_a_server_that_is_killed_while_it_writes_the_index_stops_no_other(
    url: str, index_folder: Path, start: Start, tmp_path: Path
) -> None:
    fill(url, tmp_path / "elsewhere", *(f"article-{number}" for number in range(MANY)))
    with start("first") as first, start("second") as second, ThreadPoolExecutor(2) as pool:
        made = pool.submit(first.run, search(HANDBOOK, "lead"))
        held = stopped_with_the_index_in_hand(int((tmp_path / "first").read_text()), index_folder)
        agent = Agent("ben", second)
        saved = agent.add(ArticleId("article-7"), "benword")
        agent.poll()
        assert agent.seen == list(range(1, MANY + 2))
        found = pool.submit(second.run, search(HANDBOOK, "benword"))
        os.kill(held, signal.SIGKILL)
        hits: list[Hit] = list(found.result())
        assert [hit.citation for hit in hits] == [saved]
        with pytest.raises(PinciteError):
            made.result()
    assert len(list(index_folder.glob("*.db"))) == 1
    assert_agreement(url, index_folder)


def stopped_with_the_index_in_hand(process: int, index_folder: Path) -> int:
    """Stops a server, and lets it go on until it is stopped while it writes the index."""
    while True:
        os.kill(process, signal.SIGSTOP)
        assert os.WIFSTOPPED(os.waitpid(process, os.WUNTRACED)[1])
        if any(map(is_being_written, index_folder.glob("*.db"))):
            return process
        os.kill(process, signal.SIGCONT)


def is_being_written(path: Path) -> bool:
    """Whether some process holds the lock of the file's one writer."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except apsw.BusyError:
        return True
    finally:
        connection.close()
    return False


def assert_agreement(url: str, index_folder: Path) -> None:
    """The proof finds nothing, and the host's index says what the articles do."""
    store = open_store(url, index_folder=index_folder)
    findings = store.upkeep.check()
    store.close()
    assert findings == []
