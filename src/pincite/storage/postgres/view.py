"""What a snapshot of a PostgreSQL store answers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pincite.domain.articles import Article, ImportRecord, KnowledgeBase, Revision, State
from pincite.domain.edits import KeptReceipt, Receipt, Status
from pincite.domain.events import EventPage, Gap, LogExtent, Resource, page_of
from pincite.domain.grants import Token, scope_of
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.passages import Passage
from pincite.domain.stamps import Stamp
from pincite.ports import ArticleSummary, SearchHit
from pincite.storage import rows
from pincite.storage.postgres.connections import Connections
from pincite.storage.postgres.finding import Finder
from pincite.storage.postgres.ledger import PostgresLedgerView
from pincite.storage.postgres.replica import Replica
from pincite.storage.postgres.snapshot import KNOWLEDGE_BASES, Snapshot, Value

_OF_KNOWLEDGE_BASE = 7
"""The columns that tell of a knowledge base; those behind are for its search index."""

_ARTICLE = """
SELECT a.state, a.updated_at, a.sequence, a.drafted_at, r.title, r.content,
    a.draft_title, a.draft_content, a.draft_updated_at, a.draft_base
FROM article AS a LEFT JOIN revision AS r
    ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
WHERE a.log = %s AND a.id = %s
"""

_SUMMARIES = """
SELECT a.id, coalesce(r.title, a.draft_title), a.state, a.updated_at,
    a.draft_updated_at IS NOT NULL
FROM article AS a LEFT JOIN revision AS r
    ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
WHERE a.log = %s AND a.id > %s AND a.state = coalesce(%s, a.state)
ORDER BY a.id LIMIT %s
"""

_REVISIONS = """
SELECT title, content, updated_at, by, client, note FROM revision
WHERE log = %s AND article = %s AND content IS NOT NULL
"""

_EXTENT = """
SELECT epoch, compacted_through, latest, gap.after, gap.next
FROM log LEFT JOIN gap ON gap.log = log.id WHERE log.id = %s ORDER BY gap.after
"""
_EVENTS = """
SELECT sequence, type, at, article, changed, data FROM event
WHERE log = %s AND sequence > %s ORDER BY sequence LIMIT %s
"""

_RECEIPT = """
SELECT fingerprint, status, article, updated_at, sequence, proposal FROM receipt
WHERE log = %s AND principal = %s AND key = %s
"""

_TOKENS = "SELECT digest, name, grants, approval, created_at, expires_at, revoked_at FROM token"

_IMPORTS = """
SELECT path, article, front_matter, updated_at, title, details FROM imported
WHERE log = %s ORDER BY path
"""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a view uses beside its snapshot."""

    connections: Connections
    finder: Finder
    replica: Replica | None


@contextmanager
def opened(around: Surroundings) -> Iterator["PostgresView"]:
    """A view for as long as the block lasts."""
    snapshot = Snapshot(around.connections)
    try:
        yield PostgresView(snapshot, around)
    finally:
        snapshot.end()


class PostgresView:
    """One snapshot; see :class:`pincite.ports.ReadView`."""

    __slots__ = ("_around", "_snapshot")

    def __init__(self, snapshot: Snapshot, around: Surroundings) -> None:
        self._snapshot = snapshot
        self._around = around

    def find_knowledge_base(self, knowledge_base_id: KnowledgeBaseId) -> KnowledgeBase | None:
        """The knowledge base, with its log's end in this snapshot."""
        row = self._snapshot.find_knowledge_base(knowledge_base_id)
        return None if row is None else rows.knowledge_base_from(row[:_OF_KNOWLEDGE_BASE])

    def list_knowledge_bases(self) -> Sequence[KnowledgeBase]:
        """Every knowledge base, by id."""
        found = self._snapshot.rows(f"{KNOWLEDGE_BASES} ORDER BY log.id")
        return [rows.knowledge_base_from(row[:_OF_KNOWLEDGE_BASE]) for row in found]

    def find_article(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Article | None:
        """The article in whatever state; None if the id was never used."""
        row = self._row(_ARTICLE, knowledge_base_id, article_id)
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
        found = self._snapshot.rows(_SUMMARIES, (knowledge_base_id, after or "", state, limit))
        return [rows.summary_from(row) for row in found]

    def find_revision(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> Revision | None:
        """The text published under a stamp; None if there was none or it is not kept."""
        stored = rows.exact_milliseconds(updated_at)
        query = f"{_REVISIONS} AND updated_at = %s"
        row = self._row(query, knowledge_base_id, article_id, stored)
        return None if row is None else rows.revision_from(article_id, row)

    def list_revisions(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Sequence[Revision]:
        """The kept revisions of an article, newest first."""
        query = f"{_REVISIONS} ORDER BY updated_at DESC"
        found = self._snapshot.rows(query, (knowledge_base_id, article_id))
        return [rows.revision_from(article_id, row) for row in found]

    def list_passages(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> tuple[Passage, ...]:
        """The passages of a kept revision, as they were cut when it was saved; else none."""
        stored = rows.exact_milliseconds(updated_at)
        query = "SELECT passages FROM revision WHERE log = %s AND article = %s AND updated_at = %s"
        row = self._row(query, knowledge_base_id, article_id, stored)
        return () if row is None else rows.passages_from(row[0])

    def had_stamp(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> bool:
        """Whether a text was ever published under the stamp, kept or not."""
        stored = rows.exact_milliseconds(updated_at)
        query = "SELECT 1 FROM revision WHERE log = %s AND article = %s AND updated_at = %s"
        return self._row(query, knowledge_base_id, article_id, stored) is not None

    def list_events(self, resource: Resource, after: int, limit: int) -> EventPage:
        """The page of a log behind a cursor; empty for a resource that has no log yet.

        Raises:
            CursorAheadError: The cursor is beyond the log's end.
            CursorExpiredError: Events behind it are no longer kept.
        """
        log = scope_of(resource)
        epoch, extent = _extent_from(self._snapshot.rows(_EXTENT, (log,)))
        extent.check_cursor(after)
        found = self._events(log, epoch, after, limit, extent.latest)
        return page_of([rows.event_from(row) for row in found], after, limit, extent)

    def _events(
        self, log: str, epoch: str, after: int, limit: int, head: int
    ) -> Sequence[rows.Row]:
        if after == head:
            return ()
        if self._around.replica is not None:
            found = self._around.replica.find_events(log, epoch, after, head, limit)
            if found is not None:
                return found
        return self._snapshot.rows(_EVENTS, (log, after, limit))

    def find_receipt(
        self, resource: Resource, principal: Principal, key: str
    ) -> KeptReceipt | None:
        """What a key earned in this resource, if it is still kept."""
        row = self._row(_RECEIPT, scope_of(resource), principal, key)
        return None if row is None else rows.kept_receipt_from(row)

    def find_appended(
        self, resource: Resource, principal: Principal, key: str
    ) -> tuple[str, int] | None:
        """Fingerprint and sequence of what ``append`` saved under a key, if it is still kept."""
        match self.find_receipt(resource, principal, key):
            case KeptReceipt(fingerprint, Receipt(Status.APPENDED, sequence=int(sequence))):
                return fingerprint, sequence
            case _:
                return None

    def search(
        self, knowledge_base_id: KnowledgeBaseId, query: str, limit: int
    ) -> Sequence[SearchHit]:
        """Published articles that answer the query, best first; no text is engine syntax."""
        return self._around.finder.search(self._snapshot, knowledge_base_id, query, limit)

    def find_token(self, digest: str) -> Token | None:
        """The token with this hash, whether or not it still holds."""
        row = self._row(f"{_TOKENS} WHERE digest = %s", digest)
        return None if row is None else rows.token_from(row)

    def list_tokens(self) -> Sequence[Token]:
        """Every token, by name."""
        found = self._snapshot.rows(f"{_TOKENS} ORDER BY name, created_at")
        return [rows.token_from(row) for row in found]

    def list_imports(self, knowledge_base_id: KnowledgeBaseId) -> Sequence[ImportRecord]:
        """What importers remember of this knowledge base, by path."""
        return [
            rows.import_from(row) for row in self._snapshot.rows(_IMPORTS, (knowledge_base_id,))
        ]

    @property
    def ledger(self) -> PostgresLedgerView:
        """The recorded answers, in this snapshot."""
        return PostgresLedgerView(self._snapshot)

    def stamp_floor(self) -> Stamp | None:
        """The time of the last restore; no stamp given out after it may be earlier."""
        row = self._row("SELECT stamp_floor FROM store")
        return None if row is None else rows.stamp_from(row[0])

    def _row(self, query: str, *values: Value) -> rows.Row | None:
        found = self._snapshot.rows(query, values)
        return found[0] if found else None


def _extent_from(found: Sequence[rows.Row]) -> tuple[str, LogExtent]:
    """Of epoch, compacted_through and latest, and of each gap its after and next."""
    if not found:
        return "", LogExtent(0, 0)
    epoch, compacted_through, latest, *_ = found[0]
    gaps = [Gap(after, following) for *_, after, following in found if after is not None]
    return epoch, LogExtent(compacted_through, latest, gaps)
