"""Databases to measure: real files, on the disk that the machine has."""

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pincite.app.build import create_service
from pincite.app.settings import Settings
from pincite.domain.edits import Create
from pincite.domain.grants import LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.texts import Text
from pincite.ports import Store
from pincite.service.knowledge_base import Service

KB = KnowledgeBaseId("kb")
OWNER = LocalUser()


@dataclass(frozen=True, slots=True)
class Database:
    """One file with a service on it."""

    path: Path
    store: Store
    service: Service

    def fill(self, articles: Iterable[tuple[ArticleId, Text]], kb: KnowledgeBaseId = KB) -> None:
        """Publishes articles, many at once, so that they share transactions."""
        self.service.create_knowledge_base(OWNER, kb, "Knowledge base", "en")

        def publish(article: tuple[ArticleId, Text]) -> None:
            self.service.write(OWNER, kb, article[0], Create(article[1], publish=True))

        with ThreadPoolExecutor(16) as pool:
            for _ in pool.map(publish, articles):
                pass


@contextmanager
def database() -> Iterator[Database]:
    """A database that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="pincite-bench-") as folder:
        path = Path(folder) / "pincite.db"
        with create_service(Settings(db=str(path))) as opened:
            yield Database(path, opened.store, opened.service)
