"""Reads articles: the published text for agents, every state for the people who write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.domain.articles import Article, Revision, State
from pincite.domain.grants import Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import Passage, normalise, window
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import GoneError, InvalidInputError, NotFoundError
from pincite.ports import ArticleSummary, ReadView
from pincite.service.access import Access
from pincite.service.environment import Environment

LIST_LIMIT = 1000
_TEXT_START = 80


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a read asks for beside the whole text.

    Attributes:
        outline: Whether to list the passages.
        first_passage: The id of the passage to begin with; None for the beginning.
        max_characters: The most characters of content; None for all.
    """

    outline: bool = False
    first_passage: str | None = None
    max_characters: int | None = None


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One passage in an outline; ``text_start`` is how its text begins, white space folded."""

    id: str
    heading_path: tuple[str, ...]
    text_start: str


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """A published article as an agent reads it.

    Attributes:
        text: The title, and the content or the part of it that was asked for.
        complete: Whether it is the whole content; an edit of the whole needs that.
        next_passage: Where the next part begins; None at the end.
        outline: All passages of the article; None unless asked for.
        latest_sequence: The log's end in the same snapshot.
    """

    article_id: ArticleId
    text: Text
    updated_at: Stamp
    latest_sequence: int
    complete: bool = True
    next_passage: str | None = None
    outline: tuple[OutlineEntry, ...] | None = None


class Reading:
    """Reads articles, lists and old versions."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._store = environment.store
        self._access = access

    def read(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        article_id: ArticleId,
        wanted: Wanted,
    ) -> ReadArticle:
        """The published text of an article; see :meth:`Service.read`."""
        if wanted.max_characters is not None and wanted.max_characters < 1:
            raise InvalidInputError(
                "max_characters must be 1 or more.", field="max_characters", limit="≥ 1"
            )
        with self._store.view() as view:
            _, found = self._access.knowledge_base(
                view, credential, knowledge_base_id, Grant.READ, "read"
            )
            text, updated_at = published(view.find_article(knowledge_base_id, article_id))
            whole = ReadArticle(article_id, text, updated_at, found.latest_sequence)
            if wanted == Wanted():
                return whole
            passages = view.list_passages(knowledge_base_id, article_id, updated_at)
        return _part(whole, passages, wanted)

    def get_article(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Article:
        """An article in whatever state, with its draft, for those who may edit.

        Raises:
            NotFoundError: There is none.
        """
        with self._store.view() as view:
            self._access.knowledge_base(
                view, credential, knowledge_base_id, Grant.EDIT, "see drafts"
            )
            article = view.find_article(knowledge_base_id, article_id)
            if article is None:
                raise NotFoundError("There is no such article.")
            return article

    def list_articles(
        self,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        *,
        state: State | None = State.PUBLISHED,
        after: ArticleId | None = None,
        limit: int = 100,
    ) -> Sequence[ArticleSummary]:
        """A page of articles by id; all but the published ones take the grant to edit.

        Whether there is a draft beside one is told only to those who may edit.
        """
        if not 1 <= limit <= LIST_LIMIT:
            raise InvalidInputError(
                f"limit must be 1–{LIST_LIMIT}.", field="limit", limit=f"1–{LIST_LIMIT}"
            )
        grant = Grant.READ if state is State.PUBLISHED else Grant.EDIT
        with self._store.view() as view:
            caller, _ = self._access.knowledge_base(
                view, credential, knowledge_base_id, grant, "list drafts"
            )
            found = view.list_articles(knowledge_base_id, state=state, after=after, limit=limit)
        if self._access.may(caller, knowledge_base_id, Grant.EDIT):
            return found
        return [replace(one, has_draft=False) for one in found]

    def list_revisions(
        self, credential: Credential, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Sequence[Revision]:
        """An article's kept versions, newest first; a withdrawn one's for editors only."""
        with self._store.view() as view:
            self._history(view, credential, knowledge_base_id, article_id)
            return view.list_revisions(knowledge_base_id, article_id)

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
            GoneError: The article is no longer published, and the caller is no editor.
        """
        with self._store.view() as view:
            self._history(view, credential, knowledge_base_id, article_id)
            revision = view.find_revision(knowledge_base_id, article_id, updated_at)
            if revision is None:
                raise NotFoundError(f"This article has no version {updated_at} that is kept.")
            return revision

    def _history(
        self,
        view: ReadView,
        credential: Credential,
        knowledge_base_id: KnowledgeBaseId,
        article_id: ArticleId,
    ) -> None:
        caller, _ = self._access.knowledge_base(
            view, credential, knowledge_base_id, Grant.READ, "read"
        )
        article = view.find_article(knowledge_base_id, article_id)
        if self._access.may(caller, knowledge_base_id, Grant.EDIT) and article:
            return
        published(article)


def published(article: Article | None) -> tuple[Text, Stamp]:
    """An article's published text and its stamp, if agents may see it.

    Raises:
        NotFoundError: There is none that was ever published.
        GoneError: It was published and no longer is.
    """
    if article is None or article.updated_at is None:
        raise NotFoundError("There is no such article.")
    if article.state is not State.PUBLISHED or article.text is None:
        raise GoneError(
            "This article is no longer published.",
            withdrawn_at=str(article.updated_at),
            sequence=article.sequence,
        )
    return article.text, article.updated_at


def _part(whole: ReadArticle, passages: tuple[Passage, ...], wanted: Wanted) -> ReadArticle:
    content = whole.text.content
    part = window(content, passages, wanted.first_passage, wanted.max_characters)
    outline = tuple(
        OutlineEntry(
            passage.id,
            passage.heading_path,
            normalise(content[passage.start : passage.end][: 2 * _TEXT_START])[:_TEXT_START],
        )
        for passage in passages
    )
    return replace(
        whole,
        text=replace(whole.text, content=part.text),
        complete=part.complete,
        next_passage=part.next_passage,
        outline=outline if wanted.outline else None,
    )
