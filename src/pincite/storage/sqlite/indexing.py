"""The search index beside the texts that it is made of: made anew, and compared."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import apsw

from pincite.storage import rows
from pincite.storage.index.entries import ANALYSIS, digest, prepare
from pincite.storage.index.fts import Put, SearchIndex

_PUBLISHED = """
SELECT a.log, log.id, kb.language, a.no, a.id, a.updated_at, r.title, r.content, r.passages
FROM article AS a JOIN log ON log.no = a.log JOIN knowledge_base AS kb ON kb.log = a.log
JOIN revision AS r ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
WHERE a.state = 'published'
"""


class _Published(NamedTuple):
    """A text that must be found."""

    log: int
    knowledge_base_id: str
    language: str
    number: int
    article_id: str
    updated_at: int
    title: str
    content: str
    passages: str


def is_current(connection: apsw.Connection) -> bool:
    """Whether the index was made by the analysis that questions are put to."""
    analysis: int = connection.execute("SELECT analysis FROM store").get
    return analysis == ANALYSIS


def make_index_anew(connection: apsw.Connection) -> None:
    """Indexes every published text, in the open transaction."""
    for log in _logs(connection):
        make_index_of(connection, log)
    connection.execute("UPDATE store SET analysis = ?", (ANALYSIS,))


def make_index_of(connection: apsw.Connection, log: int) -> None:
    """Indexes every published text of one knowledge base, in the open transaction."""
    index = SearchIndex(connection)
    index.forget(log)
    found = connection.execute(f"{_PUBLISHED} AND a.log = ? ORDER BY a.no", (log,))
    for text in map(_Published._make, found):
        passages = rows.passages_from(text.passages)
        entry = prepare(text.title, text.content, passages, text.language)
        index.apply([Put(text.log, text.number, text.updated_at, entry)])


def index_disagreements(connection: apsw.Connection) -> Iterator[str]:
    """Where the index does not say what the published texts do."""
    index = SearchIndex(connection)
    indexed = {
        (log, entry.article_number): (entry.revision, entry.digest)
        for log in _logs(connection)
        for entry in index.entries(log)
    }
    for text in _published(connection):
        found = indexed.pop((text.log, text.number), None)
        if found != (text.updated_at, digest(text.title, text.content, text.language)):
            how = "is not in the index" if found is None else "is indexed with another text"
            yield f"Article {text.knowledge_base_id}/{text.article_id} {how}."
    for log, number in indexed:
        yield f"The index holds article number {number} of log {log}, which is not published."
    yield from index.disagreements()


def _logs(connection: apsw.Connection) -> list[int]:
    numbers: list[Any] = connection.execute("SELECT log FROM knowledge_base").fetchall()
    return [log for (log,) in numbers]


def _published(connection: apsw.Connection) -> Iterator[_Published]:
    return map(_Published._make, connection.execute(f"{_PUBLISHED} ORDER BY a.log, a.no"))
