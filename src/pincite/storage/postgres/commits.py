"""Saves a decision on an article, or nothing: one statement, one round trip, one commit.

Under READ COMMITTED a statement sees the rows as they were when it began, but a row that it
locks or updates it sees, after any wait, as the last commit left it, and compares it again.
So the statement that saves a decision first locks the article, if it is as expected, and
then counts the event on the log's row. Every later part takes its rows from that count: if
one of the two is not as expected, nothing is written, and no number is used up.

Whoever counts holds the log's row until the commit. That makes the order of numbers the
order of commits, without a gap; a PostgreSQL sequence would give neither. Locks are taken
in one order, the article before its log, so that two writes never wait for each other.
"""

from dataclasses import dataclass

from psycopg import errors

from pincite.domain.articles import State
from pincite.domain.decide import Decision
from pincite.domain.edits import Receipt, Request
from pincite.domain.events import Resource, ResourceType
from pincite.domain.passages import cut
from pincite.domain.stamps import Stamp
from pincite.ports import Committed, Outcome, Stale
from pincite.storage import rows
from pincite.storage.postgres import logs
from pincite.storage.postgres.connections import Connection
from pincite.storage.postgres.logs import Values

_AS_EXPECTED = """
found AS (
    SELECT 1 FROM article
    WHERE log = %(log)s AND id = %(article)s AND state = %(expected_state)s
    AND updated_at IS NOT DISTINCT FROM %(expected_updated_at)s
    AND draft_updated_at IS NOT DISTINCT FROM %(expected_draft)s
    AND drafted_at IS NOT DISTINCT FROM %(expected_drafted_at)s
    FOR NO KEY UPDATE
)"""

_IS_EXPECTED = "EXISTS (SELECT FROM found)"
_IS_ABSENT = "NOT EXISTS (SELECT FROM article WHERE log = %(log)s AND id = %(article)s)"

_COUNTED = """
counted AS (
    UPDATE log SET latest = latest + %(told)s, published = published + %(more)s,
        articles = articles + %(new)s
    WHERE id = %(log)s AND NOT sealed AND {condition}
    RETURNING CASE WHEN %(told)s = 1 THEN latest END AS latest, articles
)"""

# A write that agents do not see changes nothing in the log's row, and waits for no other
# write to it: its lock keeps out the seal of a knowledge base that moves, and nothing else.
_UNCOUNTED = """
counted AS (
    SELECT NULL::bigint AS latest FROM log
    WHERE id = %(log)s AND NOT sealed AND {condition} FOR KEY SHARE
)"""

_CREATED = """
created AS (
    INSERT INTO article (log, id, no, state, updated_at, sequence, revision,
        draft_updated_at, draft_base, draft_title, draft_content, drafted_at)
    SELECT %(log)s, %(article)s, articles, %(state)s, %(updated_at)s, latest, %(revision)s,
        %(draft)s, %(draft_base)s, %(draft_title)s, %(draft_content)s, %(drafted_at)s
    FROM counted
)"""

# A text goes over the wire, and into the row, only if it is new.
_CHANGED = """
changed AS (
    UPDATE article SET state = %(state)s, updated_at = %(updated_at)s,
        sequence = coalesce(latest, sequence),
        revision = CASE WHEN %(keeps_revision)s THEN revision ELSE %(revision)s END,
        drafted_at = %(drafted_at)s, draft_updated_at = %(draft)s, draft_base = %(draft_base)s,
        draft_title = CASE WHEN %(keeps_draft)s THEN draft_title ELSE %(draft_title)s END,
        draft_content = CASE WHEN %(keeps_draft)s THEN draft_content ELSE %(draft_content)s END
    FROM counted WHERE log = %(log)s AND id = %(article)s
)"""

_REVISED = """
revised AS (
    INSERT INTO revision (log, article, updated_at, sequence, by, client, note, title,
        passages, content)
    SELECT %(log)s, %(article)s, %(updated_at)s, latest, %(principal)s, %(client)s, %(note)s,
        %(title)s, %(passages)s, %(content)s FROM counted
)"""


@dataclass(frozen=True, slots=True)
class Commit:
    """A write that is ready but for the comparison.

    Attributes:
        passages: Of the text that the decision publishes, as stored; None if it publishes none.
        at: When it was asked.
    """

    decision: Decision
    passages: str | None
    request: Request
    at: Stamp

    @classmethod
    def of(cls, decision: Decision, request: Request, at: Stamp) -> "Commit":
        """Does what can be done before a connection is taken."""
        text = decision.article.text if decision.publishes else None
        passages = None if text is None else rows.passages_to_text(cut(text.content))
        return cls(decision, passages, request, at)

    def save(self, connection: Connection) -> Outcome:
        """Compares with what is there now, then writes.

        Raises:
            NotFoundError: There is no such knowledge base.
            DeniedError: It moved to another store.
        """
        try:
            receipt = self._save_and_tell(connection)
        except errors.UniqueViolation:
            # The same key, or the same new article, was saved while this statement waited.
            receipt = None
        if receipt is not None:
            return Committed(receipt)
        log = self.decision.article.knowledge_base_id
        return logs.earlier(connection, log, self.request) or Stale()

    def _save_and_tell(self, connection: Connection) -> Receipt | None:
        """Saves and, where a session has a name, tells its log; None if nothing was saved."""
        article = self.decision.article
        if self.request.session is None or article.version == self.decision.expected:
            return self._save(connection)
        with connection.transaction():
            receipt = self._save(connection)
            if receipt is not None:
                session = Resource(ResourceType.SESSION, self.request.session)
                told = rows.session_entry(article.knowledge_base_id, receipt)
                logs.append(connection, session, told, Request(self.request.principal), self.at)
            return receipt

    def _save(self, connection: Connection) -> Receipt | None:
        """Saves; None if something is not as expected."""
        values = {
            **_article_values(self.decision),
            **logs.event_values(self.decision),
            **logs.request_values(self.request, rows.receipt_of(self.decision, None), self.at),
            "passages": self.passages,
        }
        counted = connection.execute(_statement(self.decision, self.request), values).fetchone()
        return None if counted is None else rows.receipt_of(self.decision, counted[0])


def _statement(decision: Decision, request: Request) -> str:
    creates = decision.expected.state is State.ABSENT
    count = _COUNTED if creates or decision.event else _UNCOUNTED
    parts = [] if creates else [_AS_EXPECTED]
    parts.append(count.format(condition=_IS_ABSENT if creates else _IS_EXPECTED))
    if decision.article.version != decision.expected:
        parts.append(_CREATED if creates else _CHANGED)
    if decision.publishes:
        parts.append(_REVISED)
    if decision.event:
        parts.append(logs.TOLD)
    if request.key is not None:
        parts.append(logs.KEPT)
    return logs.statement(parts)


def _article_values(decision: Decision) -> Values:
    article, expected = decision.article, decision.expected
    draft, text = article.draft, article.text
    updated_at = rows.milliseconds(article.updated_at)
    keeps_draft = draft is not None and draft.updated_at == expected.draft_updated_at
    new_draft = None if draft is None or keeps_draft else draft.text
    new_text = text if decision.publishes else None
    return {
        "log": article.knowledge_base_id,
        "article": article.article_id,
        "expected_state": expected.state,
        "expected_updated_at": rows.milliseconds(expected.updated_at),
        "expected_draft": rows.milliseconds(expected.draft_updated_at),
        "expected_drafted_at": rows.milliseconds(expected.drafted_at),
        "told": int(decision.event is not None),
        "new": int(expected.state is State.ABSENT),
        "more": (article.state is State.PUBLISHED) - (expected.state is State.PUBLISHED),
        "state": article.state,
        "updated_at": updated_at,
        "revision": updated_at if decision.publishes else None,
        "keeps_revision": text is not None and not decision.publishes,
        "title": None if new_text is None else new_text.title,
        "content": None if new_text is None else new_text.content,
        "draft": None if draft is None else draft.updated_at.milliseconds,
        "draft_base": None if draft is None else rows.milliseconds(draft.base),
        "drafted_at": rows.milliseconds(article.drafted_at),
        "keeps_draft": keeps_draft,
        "draft_title": None if new_draft is None else new_draft.title,
        "draft_content": None if new_draft is None else new_draft.content,
    }
