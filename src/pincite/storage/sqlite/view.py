"""What a snapshot of a SQLite store answers."""

from collections.abc import Sequence
from types import TracebackType

import apsw

from pincite.domain.articles import Article, ImportRecord, KnowledgeBase, Revision, State
from pincite.domain.edits import KeptReceipt, Receipt, Status
from pincite.domain.events import EventPage, Gap, LogExtent, Resource, ResourceType, page_of
from pincite.domain.grants import Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.passages import Passage
from pincite.domain.stamps import Stamp
from pincite.ports import ArticleSummary, SearchHit
from pincite.storage import rows
from pincite.storage.index.fts import Hit
from pincite.storage.index.snippets import snippet
from pincite.storage.sqlite.connections import Place, Pool, Reader, refuse_what_is_meant
from pincite.storage.sqlite.ledger import SqliteLedgerView

_IN_KNOWLEDGE_BASE = f"log.type = '{ResourceType.KNOWLEDGE_BASE}' AND log.id = ?"

_KNOWLEDGE_BASES = """
SELECT log.id, kb.title, kb.language, log.latest, log.epoch, kb.published, kb.sealed
FROM log JOIN knowledge_base AS kb ON kb.log = log.no
"""
_ALL_KNOWLEDGE_BASES = f"{_KNOWLEDGE_BASES} ORDER BY log.id"
_KNOWLEDGE_BASE = f"{_KNOWLEDGE_BASES} WHERE {_IN_KNOWLEDGE_BASE}"

_ARTICLE = f"""
SELECT a.state, a.updated_at, a.sequence, a.drafted_at, r.title, r.content,
    d.title, d.content, d.updated_at, d.base
FROM log JOIN article AS a ON a.log = log.no AND a.id = ?
LEFT JOIN revision AS r
    ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
LEFT JOIN draft AS d ON d.log = a.log AND d.article = a.id
WHERE {_IN_KNOWLEDGE_BASE}
"""

_SUMMARIES = f"""
SELECT a.id, coalesce(r.title, d.title), a.state, a.updated_at, d.updated_at IS NOT NULL
FROM log JOIN article AS a ON a.log = log.no AND a.id > ?
LEFT JOIN revision AS r
    ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
LEFT JOIN draft AS d ON d.log = a.log AND d.article = a.id
WHERE {_IN_KNOWLEDGE_BASE} AND (? IS NULL OR a.state = ?)
ORDER BY a.id LIMIT ?
"""

_REVISIONS = f"""
SELECT r.title, r.content, r.updated_at, r.by, r.client, r.note
FROM log JOIN revision AS r ON r.log = log.no AND r.article = ?
WHERE {_IN_KNOWLEDGE_BASE} AND r.content IS NOT NULL
"""
_REVISION = f"{_REVISIONS} AND r.updated_at = ?"
_NEWEST_FIRST = f"{_REVISIONS} ORDER BY r.updated_at DESC"

_PASSAGES = f"""
SELECT r.passages FROM log JOIN revision AS r
    ON r.log = log.no AND r.article = ? AND r.updated_at = ?
WHERE {_IN_KNOWLEDGE_BASE}
"""

_HAD_STAMP = f"""
SELECT 1 FROM log JOIN revision AS r
    ON r.log = log.no AND r.article = ? AND r.updated_at = ?
WHERE {_IN_KNOWLEDGE_BASE}
"""

_LOG = "SELECT no, compacted_through, latest FROM log WHERE type = ? AND id = ?"
_GAPS = "SELECT after, next FROM gap WHERE log = ? ORDER BY after"
_EVENTS = """
SELECT sequence, type, at, article, changed, data FROM event
WHERE log = ? AND sequence > ? ORDER BY sequence LIMIT ?
"""

_RECEIPT = """
SELECT fingerprint, status, article, updated_at, sequence, proposal
FROM log JOIN receipt ON receipt.log = log.no AND principal = ? AND key = ?
WHERE log.type = ? AND log.id = ?
"""

_SEARCHED = f"""
SELECT log.no, kb.language FROM log JOIN knowledge_base AS kb ON kb.log = log.no
WHERE {_IN_KNOWLEDGE_BASE}
"""
_FOUND = """
SELECT a.id, a.updated_at, r.title, r.content, json_extract(r.passages, '$[' || ? || ']')
FROM article AS a
JOIN revision AS r ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
WHERE a.log = ? AND a.no = ?
"""

_TOKENS = """
SELECT digest, name, grants, approval, created_at, expires_at, revoked_at FROM token
"""
_TOKEN = f"{_TOKENS} WHERE digest = ?"
_TOKENS_BY_NAME = f"{_TOKENS} ORDER BY name, created_at"

_IMPORTS = f"""
SELECT path, article, front_matter, updated_at, imported.title, details
FROM log JOIN imported ON imported.log = log.no WHERE {_IN_KNOWLEDGE_BASE} ORDER BY path
"""


class Snapshot:
    """Lends one connection in one read transaction, which is one snapshot."""

    __slots__ = ("_place", "_pool", "_reader")

    def __init__(self, pool: Pool, place: Place) -> None:
        self._pool = pool
        self._place = place

    def __enter__(self) -> "SqliteView":
        try:
            self._reader = self._pool.take()
            self._reader.connection.execute("BEGIN")
        except apsw.Error as error:
            refuse_what_is_meant(error, self._place)
            raise
        return SqliteView(self._reader)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, apsw.Error):
            # The next view gets a fresh connection, which may find the disk well again.
            self._reader.connection.close()
            refuse_what_is_meant(error, self._place)
            return
        self._reader.connection.execute("COMMIT")
        self._pool.give(self._reader)


class SqliteView:
    """One snapshot; see :class:`pincite.ports.ReadView`."""

    __slots__ = ("_connection", "_index")

    def __init__(self, reader: Reader) -> None:
        self._connection = reader.connection
        self._index = reader.index

    def find_knowledge_base(self, knowledge_base_id: KnowledgeBaseId) -> KnowledgeBase | None:
        """The knowledge base, with its log's end in this snapshot."""
        row = self._row(_KNOWLEDGE_BASE, knowledge_base_id)
        return None if row is None else rows.knowledge_base_from(row)

    def list_knowledge_bases(self) -> Sequence[KnowledgeBase]:
        """Every knowledge base, by id."""
        return [rows.knowledge_base_from(row) for row in self._rows(_ALL_KNOWLEDGE_BASES)]

    def find_article(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Article | None:
        """The article in whatever state; None if the id was never used."""
        row = self._row(_ARTICLE, article_id, knowledge_base_id)
        return None if row is None else rows.article_from(knowledge_base_id, article_id, row)

    def list_articles(
        self,
        knowledge_base_id: KnowledgeBaseId,
        *,
        state: State | None = None,
        after: ArticleId | None = None,
        limit: int = 100,
    ) -> Sequence[ArticleSummary]:
        """Articles by id, from behind ``after``; ``state`` None means all states."""
        found = self._rows(_SUMMARIES, after or "", knowledge_base_id, state, state, limit)
        return [rows.summary_from(row) for row in found]

    def find_revision(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> Revision | None:
        """The text published under a stamp; None if there was none or it is not kept."""
        stored = rows.exact_milliseconds(updated_at)
        row = self._row(_REVISION, article_id, knowledge_base_id, stored)
        return None if row is None else rows.revision_from(article_id, row)

    def list_revisions(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Sequence[Revision]:
        """The kept revisions of an article, newest first."""
        found = self._rows(_NEWEST_FIRST, article_id, knowledge_base_id)
        return [rows.revision_from(article_id, row) for row in found]

    def list_passages(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> tuple[Passage, ...]:
        """The passages of a kept revision, as they were cut when it was saved; else none."""
        stored = rows.exact_milliseconds(updated_at)
        row = self._row(_PASSAGES, article_id, stored, knowledge_base_id)
        return () if row is None else rows.passages_from(row[0])

    def had_stamp(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> bool:
        """Whether a text was ever published under the stamp, kept or not."""
        stored = rows.exact_milliseconds(updated_at)
        return self._row(_HAD_STAMP, article_id, stored, knowledge_base_id) is not None

    def list_events(self, resource: Resource, after: int, limit: int) -> EventPage:
        """The page of a log behind a cursor; empty for a resource that has no log yet.

        Raises:
            CursorAheadError: The cursor is beyond the log's end.
            CursorExpiredError: Events behind it are no longer kept.
        """
        log, compacted_through, latest = self._row(_LOG, resource.type, resource.id) or (0, 0, 0)
        gaps = [Gap(*row) for row in self._rows(_GAPS, log)]
        extent = LogExtent(compacted_through, latest, gaps)
        extent.check_cursor(after)
        events = [rows.event_from(row) for row in self._rows(_EVENTS, log, after, limit)]
        return page_of(events, after, limit, extent)

    def find_receipt(
        self, resource: Resource, principal: Principal, key: str
    ) -> KeptReceipt | None:
        """What a key earned in this resource, if it is still kept."""
        row = self._row(_RECEIPT, principal, key, resource.type, resource.id)
        return None if row is None else rows.kept_receipt_from(row)

    def find_appended(
        self, resource: Resource, principal: Principal, key: str
    ) -> tuple[str, int] | None:
        """Fingerprint and sequence of what ``append`` saved under a key, if it is still kept."""
        kept = self.find_receipt(resource, principal, key)
        match kept:
            case KeptReceipt(fingerprint, Receipt(Status.APPENDED, sequence=int(sequence))):
                return fingerprint, sequence
            case _:
                return None

    def search(
        self, knowledge_base_id: KnowledgeBaseId, query: str, limit: int
    ) -> Sequence[SearchHit]:
        """Published articles that answer the query, best first; no text is engine syntax."""
        row = self._row(_SEARCHED, knowledge_base_id)
        if row is None:
            return []
        log, language = row
        hits = self._index.search(log, query, language, limit)
        return [self._search_hit(log, hit, query, language) for hit in hits]

    def find_token(self, digest: str) -> Token | None:
        """The token with this hash, whether or not it still holds."""
        row = self._row(_TOKEN, digest)
        return None if row is None else rows.token_from(row)

    def list_tokens(self) -> Sequence[Token]:
        """Every token, by name."""
        return [rows.token_from(row) for row in self._rows(_TOKENS_BY_NAME)]

    def list_imports(self, knowledge_base_id: KnowledgeBaseId) -> Sequence[ImportRecord]:
        """What importers remember of this knowledge base, by path."""
        return [rows.import_from(row) for row in self._rows(_IMPORTS, knowledge_base_id)]

    @property
    def ledger(self) -> SqliteLedgerView:
        """The recorded answers, in this snapshot."""
        return SqliteLedgerView(self._connection)

    def stamp_floor(self) -> Stamp | None:
        """The time of the last restore; no stamp given out after it may be earlier."""
        row = self._row("SELECT stamp_floor FROM store")
        return None if row is None else rows.stamp_from(row[0])

    def _search_hit(self, log: int, hit: Hit, query: str, language: str) -> SearchHit:
        (row,) = self._rows(_FOUND, hit.passage, log, hit.article_number)
        article_id, updated_at, title, content, found = row
        passage = None if found is None else rows.passage_from(found)
        span = None if passage is None else (passage.start, passage.end)
        return SearchHit(
            ArticleId(article_id),
            title,
            Stamp(updated_at),
            *snippet(content, query, language, passage_span=span),
            passage,
            hit.score,
        )

    def _row(self, sql: str, *values: str | int | None) -> rows.Row | None:
        return self._connection.execute(sql, values).fetchone()

    def _rows(self, sql: str, *values: str | int | None) -> Sequence[rows.Row]:
        return self._connection.execute(sql, values).fetchall()
