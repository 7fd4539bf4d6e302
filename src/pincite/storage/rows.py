"""Rows to domain values and back: the one place that knows how a value is stored.

Both engines select the columns that a function here names, in that order. A time is kept as
whole milliseconds, which all stamps that Pincite gives out are.
"""

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from pincite.domain.articles import (
    Article,
    Draft,
    ImportRecord,
    KnowledgeBase,
    Revision,
    State,
)
from pincite.domain.decide import Decision
from pincite.domain.edits import KeptReceipt, Receipt, Status
from pincite.domain.events import ArticleEvent, ArticleEventType, Event, HostEvent, Occurrence, Part
from pincite.domain.grants import Approval, Grant, Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.passages import Passage
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import ArticleSummary

Row: TypeAlias = Sequence[Any]
"""What an engine returns; the schema's types are what stands in it."""

SESSION_WRITE = "article.written"
"""The type of the event by which a session's log tells of a saved write."""

MOVED = "This knowledge base has moved to another database and takes no more writes here."


def milliseconds(stamp: Stamp | None) -> int | None:
    """A stamp that Pincite gave out, as it is stored."""
    return None if stamp is None else stamp.milliseconds


def exact_milliseconds(stamp: Stamp) -> int | None:
    """A stamp that a caller named, as it would be stored; None if it never was given out."""
    return None if stamp.excess else stamp.milliseconds


def first_not_before(moment: Stamp) -> int:
    """The least stored time that is not before a moment."""
    return moment.milliseconds + bool(moment.excess)


def stamp_from(value: int | None) -> Stamp | None:
    """The stamp that is stored as ``value``."""
    return None if value is None else Stamp(value)


def knowledge_base_from(row: Row) -> KnowledgeBase:
    """Of id, title, language, latest, epoch, published, sealed."""
    identifier, title, language, latest, epoch, published, sealed = row
    return KnowledgeBase(
        KnowledgeBaseId(identifier), title, language, latest, epoch, published, bool(sealed)
    )


def article_from(knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, row: Row) -> Article:
    """Of state, updated_at, sequence, drafted_at; the text's two columns; the draft's four.

    Those are title and content, and of the draft updated_at and base, too. What is not there
    is None.
    """
    state, updated_at, sequence, drafted_at, title, content, *draft = row
    return Article(
        knowledge_base_id,
        article_id,
        State(state),
        None if content is None else Text(title, content),
        stamp_from(updated_at),
        sequence,
        _draft_from(draft),
        stamp_from(drafted_at),
    )


def _draft_from(row: Row) -> Draft | None:
    title, content, updated_at, base = row
    if updated_at is None:
        return None
    return Draft(Text(title, content), Stamp(updated_at), stamp_from(base))


def summary_from(row: Row) -> ArticleSummary:
    """Of id, title, state, updated_at and whether there is a draft."""
    identifier, title, state, updated_at, has_draft = row
    return ArticleSummary(
        ArticleId(identifier), title or "", State(state), stamp_from(updated_at), bool(has_draft)
    )


def revision_from(article_id: ArticleId, row: Row) -> Revision:
    """Of title, content, updated_at, by, client, note."""
    title, content, updated_at, by, client, note = row
    return Revision(
        article_id, Text(title, content), Stamp(updated_at), Principal(by), client, note
    )


def passages_from(text: str | None) -> tuple[Passage, ...]:
    """Passages as ``passages_to_text`` wrote them; none of a text that is not kept."""
    if text is None:
        return ()
    return tuple(_passage(told) for told in json.loads(text))


def passage_from(text: str) -> Passage:
    """One passage of those."""
    return _passage(json.loads(text))


def _passage(told: Row) -> Passage:
    identifier, kind, path, start, end = told
    return Passage(identifier, kind, tuple(path), start, end)


def passages_to_text(passages: Sequence[Passage]) -> str:
    """Passages, as they are stored beside the text that they are cut from."""
    told = [[p.id, p.kind, p.heading_path, p.start, p.end] for p in passages]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def event_from(row: Row) -> Event:
    """Of sequence, type, at, article, changed, data."""
    sequence, kind, at, article, changed, data = row
    if article is None:
        return HostEvent(sequence, kind, Stamp(at), data)
    parts = tuple(Part(part) for part in changed.split(",")) if changed else ()
    return ArticleEvent(sequence, ArticleEventType(kind), ArticleId(article), Stamp(at), parts)


def changed_to_text(parts: Sequence[Part]) -> str | None:
    """The parts that an update changed, as they are stored."""
    return ",".join(parts) or None


def kept_receipt_from(row: Row) -> KeptReceipt:
    """Of fingerprint, status, article, updated_at, sequence, proposal."""
    fingerprint, status, article, updated_at, sequence, proposal = row
    receipt = Receipt(
        Status(status), ArticleId(article), stamp_from(updated_at), sequence, proposal
    )
    return KeptReceipt(fingerprint, receipt)


def receipt_of(decision: Decision, sequence: int | None) -> Receipt:
    """What a saved decision returns.

    Args:
        decision: What was saved.
        sequence: The number of its event; None if it has none.
    """
    article = decision.article
    if decision.status is Status.DRAFT:
        return Receipt(Status.DRAFT, article.article_id)
    return Receipt(
        decision.status, article.article_id, article.updated_at, sequence or article.sequence
    )


def session_entry(knowledge_base_id: KnowledgeBaseId, receipt: Receipt) -> Occurrence:
    """What the log of a session tells of a write that was made in it."""
    told = {
        "knowledge_base_id": knowledge_base_id,
        "article_id": receipt.article_id,
        "status": receipt.status,
        "updated_at": None if receipt.updated_at is None else str(receipt.updated_at),
        "sequence": receipt.sequence,
    }
    return Occurrence(SESSION_WRITE, json.dumps(told, ensure_ascii=False))


def token_from(row: Row) -> Token:
    """Of digest, name, grants, approval, created_at, expires_at, revoked_at."""
    digest, name, grants, approval, created_at, expires_at, revoked_at = row
    return Token(
        digest,
        name,
        {scope: Grant.parse(word) for scope, word in json.loads(grants).items()},
        Approval(approval),
        Stamp(created_at),
        stamp_from(expires_at),
        stamp_from(revoked_at),
    )


def token_to_row(token: Token) -> Row:
    """The columns that ``token_from`` reads."""
    grants = {scope: grant.word for scope, grant in token.grants.items()}
    return (
        token.digest,
        token.name,
        json.dumps(grants, ensure_ascii=False),
        token.approval.value,
        token.created_at.milliseconds,
        milliseconds(token.expires_at),
        milliseconds(token.revoked_at),
    )


def import_from(row: Row) -> ImportRecord:
    """Of path, article, front_matter, updated_at, title, details."""
    path, article, front_matter, updated_at, title, details = row
    return ImportRecord(
        path,
        ArticleId(article),
        front_matter,
        stamp_from(updated_at),
        title,
        json.loads(details),
    )


def import_to_row(record: ImportRecord) -> Row:
    """The columns that ``import_from`` reads."""
    return (
        record.path,
        record.article_id,
        record.front_matter,
        milliseconds(record.updated_at),
        record.title,
        json.dumps(dict(record.details), ensure_ascii=False),
    )
