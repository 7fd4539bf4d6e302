"""The front of the service: what transports may ask, in one place. It only delegates.

Every method takes a credential first and judges it anew, in the snapshot that answers.
Every method may raise ``UnauthenticatedError``, ``RateLimitedError``, ``NotFoundError``
(no such knowledge base, or none granted), ``DeniedError``, ``InvalidInputError``,
``StoreBusyError`` and ``StoreUnavailableError``; what else it raises, it says.
"""

from collections.abc import Callable, Iterator, Sequence

from pincite.domain.articles import Article, Revision, State
from pincite.domain.citations import Citation
from pincite.domain.documents import ExportedArticle, Source
from pincite.domain.edits import Context, Receipt, Write
from pincite.domain.events import EventPage, Occurrence, Resource
from pincite.domain.grants import Approval, Credential, Grants, Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import ArticleSummary, Clock, IdSource, Store
from pincite.service.access import Access, Accessible, NewToken
from pincite.service.answering import Answering
from pincite.service.citing import Checked, Citing
from pincite.service.editing import Editing, Saved
from pincite.service.environment import Environment, Limits
from pincite.service.erasing import Erasing
from pincite.service.exporting import Exporting
from pincite.service.feed import PAGE_LIMIT, Feed
from pincite.service.importing import Importing, ImportOptions, ImportReport
from pincite.service.linking import Linking
from pincite.service.reading import ReadArticle, Reading, Wanted
from pincite.service.searching import Searching, SearchResults

_NO_CONTEXT = Context()
_WHOLE = Wanted()


def _say_nothing() -> None:
    """Takes note of progress for those who do not watch it."""


class Service:
    """A database's knowledge bases, for whoever holds a credential.

    Attributes:
        access: Who stands behind a credential, and what only administrators change.
        answers: The answer ledger.
        links: Where the links in articles lead.
    """

    def __init__(
        self, store: Store, clock: Clock, ids: IdSource, limits: Limits | None = None
    ) -> None:
        environment = Environment(store, clock, ids, limits or Limits())
        self.access = Access(environment)
        self._searching = Searching(environment, self.access)
        self._reading = Reading(environment, self.access)
        self._editing = Editing(environment, self.access)
        self._erasing = Erasing(environment, self.access, self._editing)
        self._feed = Feed(environment, self.access)
        # What the server does by itself for a caller counts as no call of theirs.
        self.uncounted = Feed(environment, Access(environment, paced=False))
        self._citing = Citing(environment, self.access)
        self.answers = Answering(environment, self.access)
        self.links = Linking(environment, self.access)
        self._importing = Importing(environment, self.access, self._editing)
        self._exporting = Exporting(environment, self.access)

    def list_knowledge_bases(self, credential: Credential) -> Sequence[Accessible]:
        """The knowledge bases that the caller may see, with the grant on each, by id."""
        return self.access.list_knowledge_bases(credential)

    def search(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        query: str,
        limit: int = 5,
    ) -> SearchResults:
        """Finds published articles, best first.

        Args:
            credential: Who asks.
            knowledge_base_id: Where to search.
            query: 2–200 characters, at least 2 when trimmed; never taken for syntax.
            limit: 1–20 hits.
        """
        return self._searching.search(credential, knowledge_base_id, query, limit)

    def read(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        article_id: ArticleId,
        wanted: Wanted = _WHOLE,
    ) -> ReadArticle:
        """The published text of an article, whole or in part, with the stamp that cites it.

        Args:
            credential: Who asks.
            knowledge_base_id: Where.
            article_id: Which article.
            wanted: A part of the text, or the outline; the whole text by default.

        Raises:
            NotFoundError: There is no such article.
            GoneError: It was published and no longer is.
        """
        return self._reading.read(credential, knowledge_base_id, article_id, wanted)

    def write(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        article_id: ArticleId,
        write: Write,
        context: Context = _NO_CONTEXT,
    ) -> Saved:
        """Saves a change of an article, once, if it names the present version.

        Args:
            credential: Who writes.
            knowledge_base_id: Where.
            article_id: Which article.
            write: What to change, and the version it was made from.
            context: The idempotency key, and what the history shall say.

        Raises:
            TooLargeError: Content beyond the configured limit.
            GoneError: The article was published and no longer is.
            VersionConflictError: Another version is the present one; the details say what
                changed and, where the two changes do not touch, the merged text.
            IdempotencyKeyReusedError: The key belongs to another request.
        """
        return self._editing.write(credential, knowledge_base_id, article_id, write, context)

    def draft(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        text: Text,
        context: Context,
    ) -> Saved:
        """Saves a new article as a draft under a new id; only a person publishes it.

        Raises:
            TooLargeError: Content beyond the configured limit.
            IdempotencyKeyReusedError: The key belongs to another request.
        """
        return self._editing.draft(credential, knowledge_base_id, text, context)

    def poll(
        self,
        credential: Credential,
        resource: Resource,
        after: int = 0,
        limit: int = PAGE_LIMIT,
    ) -> EventPage:
        """The page of a resource's log behind a cursor.

        Raises:
            CursorAheadError: The cursor is beyond the log's end.
            CursorExpiredError: Events behind it are no longer kept.
        """
        return self._feed.poll(credential, resource, after, limit)

    def append_event(
        self, credential: Credential, resource: Resource, occurrence: Occurrence, context: Context
    ) -> Saved:
        """Appends what the host application has to tell to a channel's, note's or record's log.

        Raises:
            IdempotencyKeyReusedError: The key belongs to another request.
        """
        return self._feed.append_event(credential, resource, occurrence, context)

    def log_session(self, credential: Credential, session: str, occurrence: Occurrence) -> Receipt:
        """Logs what a session did beside its saves, after it was answered."""
        return self.uncounted.log_session(credential, session, occurrence)

    def create_knowledge_base(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        title: str,
        language: str = "en",
    ) -> bool:
        """Makes an empty knowledge base; False if it is there already."""
        return self.access.create_knowledge_base(credential, knowledge_base_id, title, language)

    def get_article(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Article:
        """An article in whatever state, with its draft, for those who may edit.

        Raises:
            NotFoundError: There is none.
        """
        return self._reading.get_article(credential, knowledge_base_id, article_id)

    def list_articles(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        *,
        state: State | None = State.PUBLISHED,
        after: ArticleId | None = None,
        limit: int = 100,
    ) -> Sequence[ArticleSummary]:
        """A page of articles by id, from behind ``after``; ``state`` None means all states."""
        return self._reading.list_articles(
            credential, knowledge_base_id, state=state, after=after, limit=limit
        )

    def check_citations(self, credential: Credential, citations: Sequence[Citation]) -> Checked:
        """One verdict for each of 1–200 citations, all in one snapshot, in the order asked.

        A citation of what is not there, or not granted, is ``unfounded`` and no refusal.
        """
        return self._citing.check(credential, citations)

    def list_revisions(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Sequence[Revision]:
        """An article's kept versions, newest first.

        Raises:
            GoneError: It is no longer published, and the caller may not edit.
        """
        return self._reading.list_revisions(credential, knowledge_base_id, article_id)

    def get_revision(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        article_id: ArticleId,
        updated_at: Stamp,
    ) -> Revision:
        """The version that a stamp cites.

        Raises:
            NotFoundError: No such version, or it is no longer kept.
            GoneError: The article is no longer published, and the caller may not edit.
        """
        return self._reading.get_revision(credential, knowledge_base_id, article_id, updated_at)

    def erase(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> None:
        """Removes every text of an article for good; a published one is deleted first.

        Raises:
            NotFoundError: There is no such article.
        """
        self._erasing.erase(credential, knowledge_base_id, article_id)

    def import_documents(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        source: Source,
        options: ImportOptions,
        progress: Callable[[], None] = _say_nothing,
    ) -> ImportReport:
        """Brings a knowledge base up to date with a folder of documents.

        Writes only what changed since the last import. An article that was changed here is
        merged with its file or reported, never overwritten; a text that the file calls a
        draft stays one.

        Args:
            credential: Who imports.
            knowledge_base_id: Where to.
            source: What an importer read.
            options: What the import may do.
            progress: Called once for each document.
        """
        return self._importing.import_documents(
            credential, knowledge_base_id, source, options, progress
        )

    def export_articles(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId
    ) -> Iterator[ExportedArticle]:
        """Every published text and, for those who may edit, every draft, in one snapshot, by id.

        Take it to its end or close it: the snapshot stays open as long.
        """
        return self._exporting.export_articles(credential, knowledge_base_id)

    def create_token(
        self,
        credential: Credential,
        name: str,
        grants: Grants,
        *,
        approval: Approval = Approval.DIRECT,
        expires_at: Stamp | None = None,
    ) -> NewToken:
        """Makes a token; its secret is in the answer and nowhere else."""
        return self.access.create_token(
            credential, name, grants, approval=approval, expires_at=expires_at
        )

    def list_tokens(self, credential: Credential) -> Sequence[Token]:
        """Every token, revoked ones included, by name."""
        return self.access.list_tokens(credential)

    def revoke_token(self, credential: Credential, name: str) -> None:
        """Ends a token: the next call with it is refused, on every server.

        Raises:
            NotFoundError: No token of that name holds.
        """
        self.access.revoke_token(credential, name)
