"""A database file with one article, and tokens for it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from pincite.app.build import create_service
from pincite.app.settings import Settings
from pincite.domain.edits import Create
from pincite.domain.grants import Grant, LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.texts import Text

OWNER = LocalUser()


@dataclass(frozen=True)
class Database:
    """A file with the knowledge base ``support`` and its article ``refunds``."""

    path: Path
    agent: str
    reader: str


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return make_database(tmp_path)


def make_database(folder: Path) -> Database:
    """Makes the file and the tokens."""
    path = folder / "pincite.db"
    with create_service(Settings(db=str(path))) as opened:
        service = opened.service
        for name in ("support", "secret"):
            kb = KnowledgeBaseId(name)
            service.create_knowledge_base(OWNER, kb, "Support")
            text = Text("Refunds", "# Refunds\n\nAsk within 30 days.\n")
            service.write(OWNER, kb, ArticleId("refunds"), Create(text, publish=True))
        support = {"support": Grant.EDIT}
        agent = service.create_token(OWNER, "agent", support).secret
        reader = service.create_token(OWNER, "reader", {"support": Grant.READ}).secret
    return Database(path, agent, reader)
