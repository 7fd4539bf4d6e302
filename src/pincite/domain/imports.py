"""Decides what an import makes of a document, so that a person's change is never lost.

Three texts meet: what the importer took from the file last time, what the article says
now, and what the file says now. If only the file moved, the article follows; if only the
article moved, it stays; if both moved, they are merged or reported.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pincite.domain.articles import Article, ImportRecord, Revision, State
from pincite.domain.documents import Document, Finding
from pincite.domain.edits import Create, Edit, Publish, SaveDraft, Withdraw, Write
from pincite.domain.ids import ID_LIMIT, ArticleId
from pincite.domain.merge import merge
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text

_DIGEST = "sha256"
_CONTENT = "content"
_WITHDRAWN = "withdrawn_at"
_RENAMED = "renamed_to"
_LAST_NUMBER = 1_000_000


class ImportStatus(StrEnum):
    """How a document fared."""

    NEW = "new"
    CHANGED = "changed"
    MERGED = "merged"
    PUBLISHED = "published"
    """The text was there as a draft."""
    UNCHANGED = "unchanged"
    KEPT = "kept"
    """The file did not change, the article did: it stays."""
    CONFLICT = "conflict"
    REMOVED = "removed"
    """The file is gone, the article stays."""
    WITHDRAWN = "withdrawn"


_REASONS = {
    ImportStatus.KEPT: "the article was changed here and holds all that the file says",
    ImportStatus.CONFLICT: "the article was changed here and in the file, in the same places",
}


@dataclass(frozen=True, slots=True)
class ImportStep:
    """What to do next with a document; ``write`` is None if nothing is to be done."""

    status: ImportStatus
    write: Write | None = None
    message: str = ""

    @property
    def is_conflict(self) -> bool:
        """Whether the document is left for a person to settle."""
        return self.status is ImportStatus.CONFLICT


@dataclass(frozen=True, slots=True)
class Assignment:
    """A document with the id that it has or gets, and what is remembered of it."""

    document: Document
    record: ImportRecord | None


def assign(
    documents: Sequence[Document], records: Iterable[ImportRecord]
) -> tuple[list[Assignment], list[Finding]]:
    """Gives each document an id of its own.

    A path keeps the id of its first import. A new path whose wished id belonged to a file
    that is gone is that file under a new name. Of two new paths that wish for one id, the
    one whose front matter names it comes first, then the first by path; the other's id
    gets a number.

    Returns:
        The documents in their order, and which of them did not get the id they wished for.
    """
    paths = {document.path for document in documents}
    known = {record.path: record for record in records}
    gone = {record.article_id: record for record in known.values() if record.path not in paths}
    taken = {record.article_id for path, record in known.items() if path in paths}
    assigned: dict[str, Assignment] = {}
    findings = []
    for document in sorted(documents, key=lambda one: (one.path not in known, not one.names_id)):
        record = known.get(document.path)
        if record is None:
            article_id = _free_id(document.article_id, taken)
            record = gone.get(article_id)
            if article_id != document.article_id:
                why = f"another file has the id {document.article_id}; this one got {article_id}"
                findings.append(Finding(document.path, why))
        else:
            article_id = record.article_id
        taken.add(article_id)
        assigned[document.path] = Assignment(replace(document, article_id=article_id), record)
    return [assigned[document.path] for document in documents], findings


def in_force(records: Iterable[ImportRecord]) -> list[ImportRecord]:
    """The records that count: not those of files that went on under another name."""
    return [record for record in records if _RENAMED not in record.details]


def plan(
    assignment: Assignment, article: Article, base: Text | None, *, publish: bool
) -> ImportStep:
    """Decides the next step for one document.

    A step may need another behind it (save a draft, then publish it): ask again, with the
    article as it then is, until there is nothing to write.

    Args:
        assignment: The document and what is remembered of it.
        article: The article as it stands.
        base: The text that the file had at the last import; None if it is not known.
        publish: Whether documents that do not call themselves drafts are to be published.
    """
    document, record = assignment.document, assignment.record
    wanted = Text(document.title, document.content)
    publish = publish and not document.draft
    if article.state is State.ABSENT:
        return ImportStep(ImportStatus.NEW, Create(wanted, publish))
    present = _present(article, wanted, record, publish=publish)
    if present is None or _withdrawn_by_a_person(article, record):
        status = ImportStatus.KEPT if _came_from(record, wanted) else ImportStatus.CONFLICT
        return ImportStep(status, None, f"the article was {article.state} here")
    if present == wanted:
        return _settle(article, wanted, publish=publish)
    if record is None:
        why = f"the article {article.article_id} was not made by an import"
        return ImportStep(ImportStatus.CONFLICT, None, why)
    status, text = _reconcile(record, base, present, wanted)
    if text is None:
        return ImportStep(status, None, _REASONS[status])
    return ImportStep(status, _save(article, text, publish=publish and present == article.text))


def plan_removed(record: ImportRecord, article: Article, *, withdraw: bool) -> ImportStep | None:
    """Decides about an article whose file is gone; None if there is nothing to tell."""
    if article.state not in (State.PUBLISHED, State.DRAFT):
        return None
    if article.state is State.DRAFT or not withdraw or article.updated_at is None:
        return ImportStep(ImportStatus.REMOVED, None, "the file is gone, the article stays")
    if not article.text or not _came_from(record, article.text):
        why = "the file is gone, but the article was changed here"
        return ImportStep(ImportStatus.CONFLICT, None, why)
    return ImportStep(ImportStatus.WITHDRAWN, Withdraw(article.updated_at))


def remember(assignment: Assignment, article: Article) -> list[ImportRecord]:
    """What the next import needs to know of a document that this one settled."""
    document, before = assignment.document, assignment.record
    text = Text(document.title, document.content)
    updated_at: Stamp | None = None
    details: dict[str, object] = {_DIGEST: _digest(document.content)}
    if article.state is State.PUBLISHED and article.text == text:
        updated_at = article.updated_at
    elif before and _came_from(before, text):
        updated_at, details = before.updated_at, dict(before.details)
    else:
        # Of a draft no old text is kept, and of a merge the file is only one side.
        details[_CONTENT] = document.content
    if before and _WITHDRAWN in before.details and article.state is State.WITHDRAWN:
        details[_WITHDRAWN] = before.details[_WITHDRAWN]
    record = ImportRecord(
        path=document.path,
        article_id=document.article_id,
        front_matter=document.front_matter,
        updated_at=updated_at,
        title=document.title,
        details=details,
    )
    if before is None or before.path == document.path:
        return [record]
    return [record, replace(before, details={**before.details, _RENAMED: document.path})]


def remembered_text(record: ImportRecord, revision: Revision | None) -> Text | None:
    """The text that the file had at the last import, for a merge; None if it is not kept.

    Args:
        record: What is remembered.
        revision: The version that it names, if there is one.
    """
    content = record.details.get(_CONTENT)
    if isinstance(content, str):
        return Text(record.title, content)
    return revision.text if revision else None


def remember_withdrawal(record: ImportRecord, withdrawn_at: Stamp) -> ImportRecord:
    """What to remember of a file that is gone, so that it may come back."""
    return replace(record, details={**record.details, _WITHDRAWN: str(withdrawn_at)})


def recall(document: Document, revisions: Iterable[Revision]) -> ImportRecord | None:
    """What an import would have remembered, had it not been killed before it could.

    Every text that was ever published is kept: if one of them is the file's, the file was
    imported then.
    """
    text = Text(document.title, document.content)
    for revision in revisions:
        if revision.text == text:
            return ImportRecord(
                path=document.path,
                article_id=document.article_id,
                front_matter=document.front_matter,
                updated_at=revision.updated_at,
                title=document.title,
                details={_DIGEST: _digest(document.content)},
            )
    return None


def _free_id(wished: ArticleId, taken: set[ArticleId]) -> ArticleId:
    return next(one for one in _numbered(wished) if one not in taken)


def _numbered(wished: ArticleId) -> Iterator[ArticleId]:
    yield wished
    for number in range(2, _LAST_NUMBER):
        ending = f"-{number}"
        yield ArticleId(wished[: ID_LIMIT - len(ending)] + ending)


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def _came_from(record: ImportRecord | None, text: Text) -> bool:
    """Whether a text is the one that the file had at the last import."""
    return (
        record is not None
        and record.title == text.title
        and record.details.get(_DIGEST) == _digest(text.content)
    )


def _withdrawn_by_a_person(article: Article, record: ImportRecord | None) -> bool:
    if article.state is not State.WITHDRAWN:
        return False
    return record is None or record.details.get(_WITHDRAWN) != str(article.updated_at)


def _present(
    article: Article, wanted: Text, record: ImportRecord | None, *, publish: bool
) -> Text | None:
    """The text that the import would replace.

    That is the draft if there is one; but a person's draft beside a published text stays
    out of it when the import publishes.
    """
    draft = article.draft
    if article.state is State.DELETED:
        return None
    if draft is None:
        return article.text
    ours = draft.text == wanted or _came_from(record, draft.text)
    if publish and article.state is State.PUBLISHED and not ours:
        return article.text
    return draft.text


def _reconcile(
    record: ImportRecord, base: Text | None, present: Text, wanted: Text
) -> tuple[ImportStatus, Text | None]:
    """The text to save where file and article differ; None if there is none."""
    if _came_from(record, wanted):
        return ImportStatus.KEPT, None
    if _came_from(record, present):
        return ImportStatus.CHANGED, wanted
    merged = _merged(base, present, wanted)
    if merged is None:
        return ImportStatus.CONFLICT, None
    if merged == present:
        return ImportStatus.KEPT, None
    return ImportStatus.MERGED, merged


def _settle(article: Article, wanted: Text, *, publish: bool) -> ImportStep:
    """The text is there; perhaps it is still to be published."""
    draft = article.draft
    if not publish or (article.state is State.PUBLISHED and article.text == wanted):
        return ImportStep(ImportStatus.UNCHANGED)
    if draft and draft.base != article.updated_at:
        why = "the article was changed here after this text was saved as a draft"
        return ImportStep(ImportStatus.CONFLICT, None, why)
    write = Publish(article.updated_at, draft.updated_at if draft else None)
    return ImportStep(ImportStatus.PUBLISHED, write)


def _merged(base: Text | None, present: Text, wanted: Text) -> Text | None:
    if base is None:
        return None
    title = merge(base.title, present.title, wanted.title)
    content = merge(base.content, present.content, wanted.content)
    return Text(title, content) if title and content else None


def _save(article: Article, text: Text, *, publish: bool) -> Edit | SaveDraft:
    if publish and article.state is State.PUBLISHED and article.updated_at:
        return Edit(article.updated_at, text.content, text.title)
    draft = article.draft
    if draft is None:
        return SaveDraft(None, article.updated_at, text)
    return SaveDraft(draft.updated_at, draft.base, text)
