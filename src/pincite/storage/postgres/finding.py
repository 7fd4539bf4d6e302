"""Search beside PostgreSQL: the host's index follows the logs, the texts come from the snapshot."""

from collections.abc import Sequence

from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.ports import SearchHit
from pincite.storage import rows
from pincite.storage.index.follower import Extent, Follower, Present
from pincite.storage.index.fts import Hit
from pincite.storage.index.snippets import snippet
from pincite.storage.postgres.snapshot import Snapshot, Values

_EXTENT = """
SELECT language, epoch, latest, compacted_through, erasures
FROM log JOIN knowledge_base ON knowledge_base.log = log.id WHERE log.id = %s
"""

_TEXT = """
LEFT JOIN revision AS r
    ON a.state = 'published' AND r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
"""

_CHANGED = f"""
SELECT e.sequence, a.no, r.updated_at, r.title, r.content, r.passages
FROM (
    SELECT article, max(sequence) AS sequence FROM (
        SELECT article, sequence FROM event
        WHERE log = %(log)s AND sequence > %(after)s ORDER BY sequence LIMIT %(limit)s) AS page
    GROUP BY article) AS e
JOIN article AS a ON a.log = %(log)s AND a.id = e.article
{_TEXT}
"""

_PUBLISHED = f"""
SELECT 0, a.no, r.updated_at, r.title, r.content, r.passages
FROM article AS a {_TEXT}
WHERE a.log = %(log)s AND a.no > %(after)s AND a.state = 'published'
ORDER BY a.no LIMIT %(limit)s
"""

_FOUND = """
SELECT a.no, a.id, r.updated_at, r.title, r.content, r.passages::json ->> hit.passage
FROM unnest(%(numbers)s::bigint[], %(passages)s::integer[]) AS hit (no, passage)
JOIN article AS a ON a.log = %(log)s AND a.no = hit.no AND a.state = 'published'
JOIN revision AS r ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
"""


class Followed:
    """A knowledge base as the index sees it; see :class:`pincite.storage.index.follower.Source`."""

    __slots__ = ("_snapshot", "extent", "knowledge_base_id")

    def __init__(
        self, snapshot: Snapshot, knowledge_base_id: KnowledgeBaseId, extent: Extent
    ) -> None:
        self._snapshot = snapshot
        self.knowledge_base_id = knowledge_base_id
        self.extent = extent

    @classmethod
    def find(cls, snapshot: Snapshot, knowledge_base_id: KnowledgeBaseId) -> "Followed | None":
        """The knowledge base in a snapshot; None if there is none."""
        found = snapshot.rows(_EXTENT, (knowledge_base_id,))
        return cls(snapshot, knowledge_base_id, Extent(*found[0])) if found else None

    def list_changed(self, after: int, limit: int) -> Sequence[Present]:
        """What became of the articles that the next ``limit`` events are about."""
        return self._list(_CHANGED, after, limit)

    def list_published(self, after: int, limit: int) -> Sequence[Present]:
        """Published articles by number, from behind ``after``."""
        return self._list(_PUBLISHED, after, limit)

    def _list(self, query: str, after: int, limit: int) -> Sequence[Present]:
        values: Values = {"log": self.knowledge_base_id, "after": after, "limit": limit}
        return [
            Present(sequence, number, revision, title, content, rows.passages_from(passages))
            for sequence, number, revision, title, content, passages in self._snapshot.rows(
                query, values
            )
        ]

    def complete(self, hits: Sequence[Hit], query: str) -> Sequence[SearchHit]:
        """Hits with the texts of the snapshot, in the same order."""
        values: Values = {
            "log": self.knowledge_base_id,
            "numbers": [hit.article_number for hit in hits],
            "passages": [hit.passage for hit in hits],
        }
        texts = {number: text for number, *text in self._snapshot.rows(_FOUND, values)}
        language = self.extent.language
        return [
            _search_hit(hit, texts[hit.article_number], query, language)
            for hit in hits
            # The index may know already of an article what the snapshot does not.
            if hit.article_number in texts
        ]


def search(
    snapshot: Snapshot,
    follower: Follower,
    knowledge_base_id: KnowledgeBaseId,
    query: str,
    limit: int,
) -> Sequence[SearchHit]:
    """Published articles of a snapshot that answer a query, best first."""
    followed = Followed.find(snapshot, knowledge_base_id)
    if followed is None:
        return []
    hits = follower.search(followed, query, limit)
    return followed.complete(hits, query) if hits else []


def _search_hit(hit: Hit, text: rows.Row, query: str, language: str) -> SearchHit:
    article_id, updated_at, title, content, found = text
    passage = None if found is None else rows.passage_from(found)
    span = None if passage is None else (passage.start, passage.end)
    return SearchHit(
        ArticleId(article_id),
        title,
        Stamp(updated_at),
        snippet(content, query, language, passage_span=span),
        passage,
        hit.score,
    )
