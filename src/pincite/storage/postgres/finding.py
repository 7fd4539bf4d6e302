"""Search beside PostgreSQL: the host's index follows the logs, the texts come from the snapshot."""

import threading
from collections.abc import Mapping, Sequence

from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import StoreError
from pincite.ports import SearchHit
from pincite.storage import rows
from pincite.storage.index.follower import Follower
from pincite.storage.index.fts import Hit
from pincite.storage.index.snippets import snippet
from pincite.storage.index.source import Extent, Present
from pincite.storage.postgres.connections import Connections
from pincite.storage.postgres.listen import Bell
from pincite.storage.postgres.snapshot import Snapshot, Value, Values

_FOLLOW_EVERY = 0.05
"""Seconds between two looks at the logs: all commits between are followed at once."""

_LOOK_EVERY = 5.0
"""Seconds after which the logs are looked at though nothing was heard."""

_HEADS = "SELECT id, latest FROM log WHERE id = ANY(%s)"

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

# The batch is taken before its texts are looked up, and below each hit is looked up by itself:
# so neither reads a whole knowledge base where the tables' statistics are old or not there yet.
_PUBLISHED = f"""
SELECT 0, a.no, r.updated_at, r.title, r.content, r.passages
FROM (
    SELECT log, id, no, state, revision FROM article
    WHERE log = %(log)s AND no > %(after)s AND state = 'published'
    ORDER BY no LIMIT %(limit)s) AS a
{_TEXT}
ORDER BY a.no
"""

_NUMBERED = f"""
SELECT 0, a.no, r.updated_at, r.title, r.content, r.passages
FROM article AS a {_TEXT} WHERE a.log = %(log)s AND a.no = ANY(%(numbers)s)
"""

_FOUND = """
SELECT hit.no, found.id, found.updated_at, found.title, found.content,
    found.passages::json ->> hit.passage
FROM unnest(%(numbers)s::bigint[], %(passages)s::integer[]) AS hit (no, passage)
CROSS JOIN LATERAL (
    SELECT a.id, r.updated_at, r.title, r.content, r.passages
    FROM article AS a
    JOIN revision AS r ON r.log = a.log AND r.article = a.id AND r.updated_at = a.revision
    WHERE a.log = %(log)s AND a.no = hit.no AND a.state = 'published' LIMIT 1) AS found
"""


class Followed:
    """A knowledge base as the index sees it; see :class:`pincite.storage.index.source.Source`."""

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
        found = snapshot.find_knowledge_base(knowledge_base_id)
        if found is None:
            return None
        _, _, language, latest, epoch, *_, compacted_through, erasures = found
        extent = Extent(language, epoch, latest, compacted_through, erasures)
        return cls(snapshot, knowledge_base_id, extent)

    def list_changed(self, after: int, limit: int) -> Sequence[Present]:
        """What became of the articles that the next ``limit`` events are about."""
        return self._list(_CHANGED, after=after, limit=limit)

    def list_published(self, after: int, limit: int) -> Sequence[Present]:
        """Published articles by number, from behind ``after``."""
        return self._list(_PUBLISHED, after=after, limit=limit)

    def list_numbered(self, numbers: Sequence[int]) -> Sequence[Present]:
        """The articles with these numbers, as far as they are there."""
        return self._list(_NUMBERED, numbers=numbers)

    def _list(self, query: str, **values: Value) -> Sequence[Present]:
        found = self._snapshot.rows(query, {"log": self.knowledge_base_id, **values})
        return [
            Present(sequence, number, revision, title, content, rows.passages_from(passages))
            for sequence, number, revision, title, content, passages in found
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


class Finder:
    """Searches, and from the first search on keeps the host's index close to the logs' ends."""

    def __init__(self, follower: Follower, connections: Connections, bell: Bell) -> None:
        self._follower = follower
        self._connections = connections
        self._bell = bell
        self._searched: set[KnowledgeBaseId] = set()
        self._begin = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def search(
        self, snapshot: Snapshot, knowledge_base_id: KnowledgeBaseId, query: str, limit: int
    ) -> Sequence[SearchHit]:
        """Published articles of a snapshot that answer a query, best first."""
        followed = Followed.find(snapshot, knowledge_base_id)
        if followed is None:
            return []
        hits = self._follower.search(followed, query, limit)
        self._keep_up(knowledge_base_id)
        return followed.complete(hits, query) if hits else []

    def disagreements(self) -> list[str]:
        """Where this host's index does not say what the articles do; nothing if it has none."""
        snapshot = Snapshot(self._connections)
        try:
            bases = snapshot.rows("SELECT log FROM knowledge_base ORDER BY log")
            followed = [Followed.find(snapshot, KnowledgeBaseId(log)) for (log,) in bases]
            return [
                finding
                for one in followed
                if one is not None
                for finding in self._follower.disagreements(one)
            ]
        finally:
            snapshot.end()

    def close(self) -> None:
        """Ends the thread and lets go of the index; the bell must be closed before."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        self._follower.close()

    def _keep_up(self, knowledge_base_id: KnowledgeBaseId) -> None:
        if knowledge_base_id in self._searched:
            return
        with self._begin:
            self._searched.add(knowledge_base_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._follow, daemon=True)
                self._thread.start()

    def _follow(self) -> None:
        heard = 0
        heads: dict[str, int] = {}
        while not self._closing.wait(_FOLLOW_EVERY):
            heard = self._bell.wait(heard, _LOOK_EVERY)
            snapshot = Snapshot(self._connections)
            try:
                moved = self._moved(snapshot, heads)
                for log in moved:
                    followed = Followed.find(snapshot, KnowledgeBaseId(log))
                    if followed is not None:
                        self._follower.follow(followed)
                heads.update(moved)
            except StoreError:
                continue  # a search that needs the index will say what is wrong
            finally:
                snapshot.end()

    def _moved(self, snapshot: Snapshot, heads: Mapping[str, int]) -> Mapping[str, int]:
        """The logs that went on, with their ends."""
        found = snapshot.rows(_HEADS, (list(self._searched),))
        return {log: latest for log, latest in found if heads.get(log) != latest}


def _search_hit(hit: Hit, text: rows.Row, query: str, language: str) -> SearchHit:
    article_id, updated_at, title, content, found = text
    # The index may be ahead of the snapshot; then its passage is one of another text.
    is_its_own = found is not None and hit.revision == updated_at
    passage = rows.passage_from(found) if is_its_own else None
    span = None if passage is None else (passage.start, passage.end)
    return SearchHit(
        ArticleId(article_id),
        title,
        Stamp(updated_at),
        *snippet(content, query, language, passage_span=span),
        passage,
        hit.score,
    )
