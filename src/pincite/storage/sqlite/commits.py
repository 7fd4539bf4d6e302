"""Saves a decision on an article: text, revision, event, receipt, search entry, or nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

from pincite.domain.articles import Article, State, Version
from pincite.domain.decide import Decision
from pincite.domain.edits import Request
from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import ArticleId
from pincite.domain.passages import Passage, cut
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import NotFoundError
from pincite.ports import Committed, Outcome, Stale
from pincite.storage import rows
from pincite.storage.index.entries import IndexEntry, prepare
from pincite.storage.index.fts import Change, Put, Remove
from pincite.storage.sqlite.logs import Log
from pincite.storage.sqlite.writer import Transaction


@dataclass(frozen=True, slots=True)
class Present:
    """What a write finds.

    Attributes:
        version: What it compares.
        number: The article's in its knowledge base.
        revision: The stamp of the text that the article has, as it is stored.
    """

    version: Version
    number: int
    revision: int | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is made of a new text before the write: the dear part of it."""

    passages: tuple[Passage, ...]
    entry: IndexEntry

    @classmethod
    def of(cls, text: Text, language: str) -> "Prepared":
        """Cuts a text into passages and analyses them."""
        passages = cut(text.content)
        return cls(passages, prepare(text.title, text.content, passages, language))


@dataclass(frozen=True, slots=True)
class Commit:
    """A write that is ready but for the comparison.

    Attributes:
        prepared: Of the text that the decision publishes; None if it publishes none.
        at: When it was asked.
    """

    decision: Decision
    prepared: Prepared | None
    request: Request
    at: Stamp

    def save(self, transaction: Transaction) -> Outcome:
        """Compares with what is there now, then writes.

        Raises:
            NotFoundError: There is no such knowledge base.
        """
        article = self.decision.article
        log = Log.find(transaction.connection, Resource.of(article.knowledge_base_id))
        if log is None:
            raise NotFoundError("There is no such knowledge base.")
        earlier = log.find_earlier(self.request)
        if earlier is not None:
            return earlier
        log.refuse_if_sealed()
        present = _find_present(log, article.article_id)
        if present.version != self.decision.expected:
            return Stale()
        sequence = log.append_change(self.decision)
        receipt = rows.receipt_of(self.decision, sequence)
        if article.version != present.version:
            self._save_article(log, present, sequence)
            if article.draft is not None or present.version.draft_updated_at is not None:
                _save_draft(log, article)
            self._save_revision(log, sequence)
            transaction.changes.extend(self._index_changes(log, present))
            if self.request.session is not None:
                session = Resource(ResourceType.SESSION, self.request.session)
                told = rows.session_entry(article.knowledge_base_id, receipt)
                Log.of(log.connection, session).append(told, self.at)
        log.keep_receipt(self.request, receipt, self.at)
        return Committed(receipt)

    def _save_article(self, log: Log, present: Present, sequence: int | None) -> None:
        article = self.decision.article
        updated_at = rows.milliseconds(article.updated_at)
        kept = None if article.text is None else present.revision
        log.connection.execute(
            "INSERT INTO article (log, id, no, state, updated_at, sequence, revision, drafted_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (log, id) DO UPDATE SET"
            " state = excluded.state, updated_at = excluded.updated_at,"
            " sequence = excluded.sequence, revision = excluded.revision,"
            " drafted_at = excluded.drafted_at",
            (
                log.no,
                article.article_id,
                present.number,
                article.state,
                updated_at,
                sequence or article.sequence,
                updated_at if self.decision.publishes else kept,
                rows.milliseconds(article.drafted_at),
            ),
        )
        more = (article.state is State.PUBLISHED) - (present.version.state is State.PUBLISHED)
        if more:
            log.connection.execute(
                "UPDATE knowledge_base SET published = published + ? WHERE log = ?", (more, log.no)
            )

    def _save_revision(self, log: Log, sequence: int | None) -> None:
        article = self.decision.article
        if self.prepared is None or article.text is None:
            return
        log.connection.execute(
            "INSERT INTO revision (log, article, updated_at, sequence, by, client, note, title,"
            " passages, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                log.no,
                article.article_id,
                rows.milliseconds(article.updated_at),
                sequence,
                self.request.principal,
                self.request.client,
                self.request.note,
                article.text.title,
                rows.passages_to_text(self.prepared.passages),
                article.text.content,
            ),
        )

    def _index_changes(self, log: Log, present: Present) -> Iterator[Change]:
        """Keeps the search entry what the published text is."""
        article = self.decision.article
        if self.prepared is not None and article.updated_at is not None:
            revision = article.updated_at.milliseconds
            yield Put(log.no, present.number, revision, self.prepared.entry)
        elif article.state is not State.PUBLISHED:
            yield Remove(log.no, present.number)


def _find_present(log: Log, article_id: ArticleId) -> Present:
    row = log.connection.execute(
        "SELECT a.state, a.updated_at, d.updated_at, a.drafted_at, a.no, a.revision"
        " FROM article AS a"
        " LEFT JOIN draft AS d ON d.log = a.log AND d.article = a.id"
        " WHERE a.log = ? AND a.id = ?",
        (log.no, article_id),
    ).fetchone()
    if row is None:
        number: int = log.connection.execute(
            "SELECT coalesce(max(no), 0) + 1 FROM article WHERE log = ?", (log.no,)
        ).get
        return Present(Version(State.ABSENT, None, None, None), number, None)
    state, *stamps, number, revision = row
    version = Version(State(state), *(rows.stamp_from(stamp) for stamp in stamps))
    return Present(version, number, revision)


def _save_draft(log: Log, article: Article) -> None:
    draft = article.draft
    if draft is None:
        log.connection.execute(
            "DELETE FROM draft WHERE log = ? AND article = ?", (log.no, article.article_id)
        )
        return
    log.connection.execute(
        "INSERT OR REPLACE INTO draft (log, article, updated_at, base, title, content)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            log.no,
            article.article_id,
            draft.updated_at.milliseconds,
            rows.milliseconds(draft.base),
            draft.text.title,
            draft.text.content,
        ),
    )
