"""Imports documents into a knowledge base, again and again, without losing a person's change.

A retry writes once without an idempotency key: every write names the version that it was
planned on, or an id that was never used, so that it cannot be saved a second time; and
what a killed import left unremembered is recognised by its text.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from pincite.domain.articles import Article, ImportRecord, State
from pincite.domain.documents import Document, Finding, Source
from pincite.domain.edits import Context, Write
from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.imports import (
    Assignment,
    ImportStatus,
    ImportStep,
    assign,
    in_force,
    plan,
    plan_removed,
    recall,
    remember,
    remember_withdrawal,
    remembered_text,
)
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import InvalidInputError, TooLargeError, VersionConflictError
from pincite.ports import ReadView
from pincite.service.access import Access
from pincite.service.editing import NOTE_LIMIT, Editing
from pincite.service.environment import Environment

# Concurrent writes share one durable transaction; more threads would only wait for analysis.
_WRITERS = 8
_REMEMBERED_AT_ONCE = 64
# A document takes two writes at most; the others are for what people save in between.
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What an import may do.

    Attributes:
        publish: Publish what does not call itself a draft; without it texts become drafts.
        withdraw_removed: Withdraw articles whose file is gone.
        dry_run: Write nothing.
    """

    publish: bool = False
    withdraw_removed: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """How one document fared; ``message`` says why where it is not plain."""

    path: str
    article_id: ArticleId
    status: ImportStatus
    message: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How an import went. Every path of the source is in ``entries`` or in ``skipped``."""

    entries: tuple[ImportEntry, ...]
    skipped: tuple[Finding, ...]
    repaired: tuple[Finding, ...]
    unresolved: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Job:
    """One import under way."""

    credential: Credential
    knowledge_base_id: KnowledgeBaseId
    options: ImportOptions


@dataclass(frozen=True, slots=True)
class _Done:
    entry: ImportEntry | Finding
    records: Sequence[ImportRecord] = ()


class Importing:
    """Makes articles of documents."""

    def __init__(self, environment: Environment, access: Access, editing: Editing) -> None:
        self._environment = environment
        self._access = access
        self._editing = editing

    def import_documents(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        source: Source,
        options: ImportOptions,
        progress: Callable[[], None],
    ) -> ImportReport:
        """Brings a knowledge base up to date with its source; see ``Service``."""
        job = _Job(credential, knowledge_base_id, options)
        records = self._records(job)
        assignments, renamed = assign(source.documents, records)
        done = [
            *self._remembered(job, self._settled(job, assignments, progress)),
            *self._remembered(job, self._removed(job, assignments, records)),
        ]
        entries = [one.entry for one in done if isinstance(one.entry, ImportEntry)]
        refused = [one.entry for one in done if isinstance(one.entry, Finding)]
        return ImportReport(
            entries=tuple(sorted(entries, key=lambda entry: entry.path)),
            skipped=tuple(sorted([*source.skipped, *refused], key=lambda one: one.path)),
            repaired=(*source.repaired, *renamed),
            unresolved=source.unresolved,
        )

    def _records(self, job: _Job) -> Sequence[ImportRecord]:
        grant = Grant.PUBLISH if job.options.publish else Grant.EDIT
        with self._environment.store.view() as view:
            self._access.knowledge_base(
                view, job.credential, job.knowledge_base_id, grant, "import"
            )
            return in_force(view.list_imports(job.knowledge_base_id))

    def _settled(
        self, job: _Job, assignments: Sequence[Assignment], progress: Callable[[], None]
    ) -> Iterator[_Done]:
        """Settles the documents, several at a time, and gives them back in their order."""
        writers = ThreadPoolExecutor(_WRITERS, thread_name_prefix="import")
        try:
            for done in writers.map(lambda one: self._settle(job, one), assignments):
                progress()
                yield done
        finally:
            writers.shutdown(cancel_futures=True)

    def _remembered(self, job: _Job, done: Iterator[_Done]) -> Iterator[_Done]:
        """Passes on what is done and remembers it in batches, also if the rest fails."""
        batch: list[ImportRecord] = []
        try:
            for one in done:
                batch.extend(one.records)
                if len(batch) >= _REMEMBERED_AT_ONCE:
                    self._environment.store.save_imports(job.knowledge_base_id, batch)
                    batch = []
                yield one
        finally:
            if batch:
                self._environment.store.save_imports(job.knowledge_base_id, batch)

    def _settle(self, job: _Job, assignment: Assignment) -> _Done:
        """Takes step after step with one document until there is nothing to write."""
        document, stored = assignment.document, assignment.record
        first: ImportStatus | None = None
        for _ in range(_ROUNDS):
            with self._environment.store.view() as view:
                article, assignment, base = _look(view, job, assignment)
            step = plan(assignment, article, base, publish=job.options.publish)
            if step.write is None or job.options.dry_run:
                told = ImportStep(first) if first and not step.is_conflict else step
                records = remember(assignment, article) if not told.is_conflict else []
                kept = [record for record in records if record != stored]
                return _Done(_entry(document, told), [] if job.options.dry_run else kept)
            try:
                self._write(job, document.article_id, document.path, step.write)
            except VersionConflictError:
                continue  # Somebody saved in between: look again.
            except (InvalidInputError, TooLargeError) as error:
                return _Done(Finding(document.path, error.message))
            first = first or step.status
        step = ImportStep(ImportStatus.CONFLICT, None, "others go on writing to the article")
        return _Done(_entry(document, step))

    def _removed(
        self, job: _Job, assignments: Sequence[Assignment], records: Sequence[ImportRecord]
    ) -> Iterator[_Done]:
        """Tells of articles whose file is gone, and withdraws them if asked."""
        paths = {one.document.path for one in assignments}
        article_ids = {one.document.article_id for one in assignments}
        for record in records:
            if record.path in paths or record.article_id in article_ids:
                continue
            with self._environment.store.view() as view:
                article = _article(view, job, record.article_id)
            step = plan_removed(record, article, withdraw=job.options.withdraw_removed)
            if step:
                yield self._withdrawn(job, record, step)

    def _withdrawn(self, job: _Job, record: ImportRecord, step: ImportStep) -> _Done:
        entry = ImportEntry(record.path, record.article_id, step.status, step.message)
        if step.write is None or job.options.dry_run:
            return _Done(entry)
        try:
            withdrawn_at = self._write(job, record.article_id, record.path, step.write)
        except VersionConflictError:
            why = "the file is gone, but the article was changed here"
            return _Done(replace(entry, status=ImportStatus.CONFLICT, message=why))
        return _Done(entry, [remember_withdrawal(record, withdrawn_at)] if withdrawn_at else [])

    def _write(self, job: _Job, article_id: ArticleId, path: str, write: Write) -> Stamp | None:
        """Saves one step; returns the stamp of what was published or withdrawn."""
        context = Context(client="pincite import", note=f"imported from {path}"[:NOTE_LIMIT])
        saved = self._editing.write(
            job.credential, job.knowledge_base_id, article_id, write, context
        )
        return saved.receipt.updated_at


def _entry(document: Document, step: ImportStep) -> ImportEntry:
    return ImportEntry(document.path, document.article_id, step.status, step.message)


def _article(view: ReadView, job: _Job, article_id: ArticleId) -> Article:
    kb = job.knowledge_base_id
    return view.find_article(kb, article_id) or Article.absent(kb, article_id)


def _look(
    view: ReadView, job: _Job, assignment: Assignment
) -> tuple[Article, Assignment, Text | None]:
    """The article, what is remembered of its document, and the text they have in common."""
    kb, article_id = job.knowledge_base_id, assignment.document.article_id
    article = _article(view, job, article_id)
    record = assignment.record
    if record is None and article.state is not State.ABSENT:
        record = recall(assignment.document, view.list_revisions(kb, article_id))
    if record is None:
        return article, assignment, None
    at = record.updated_at
    revision = view.find_revision(kb, article_id, at) if at else None
    return article, replace(assignment, record=record), remembered_text(record, revision)
