"""What each page shows, ready for its template."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from markupsafe import Markup

from pincite.domain.answers import StaleAnswer
from pincite.domain.articles import KnowledgeBase, State
from pincite.domain.citations import Citation, Judgement
from pincite.domain.differences import Change
from pincite.domain.events import Event, Gap
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp


@dataclass(frozen=True, slots=True)
class Shelf:
    """A knowledge base as every page in it names it, and what the reader may do there."""

    knowledge_base: KnowledgeBase
    grant: Grant

    @property
    def id(self) -> KnowledgeBaseId:
        """Its id."""
        return self.knowledge_base.knowledge_base_id

    @property
    def editor(self) -> bool:
        """Whether the reader sees drafts and what was withdrawn."""
        return self.grant >= Grant.EDIT


@dataclass(frozen=True, slots=True)
class HomePage:
    """The knowledge bases, and how to connect an agent."""

    template: ClassVar[str] = "home.html"
    shelves: Sequence[Shelf]


@dataclass(frozen=True, slots=True)
class Row:
    """An article in a list."""

    article_id: ArticleId
    title: str
    state: State
    updated_at: Stamp | None
    draft_ahead: bool


@dataclass(frozen=True, slots=True)
class ArticlesPage:
    """A knowledge base: its articles, a page at a time, and what happened last.

    Attributes:
        state: Which articles are listed; None for all.
        after: The id behind which the list begins; None at its beginning.
        more: Whether it goes on.
        recent: The newest events, newest first.
    """

    template: ClassVar[str] = "articles.html"
    shelf: Shelf
    state: State | None
    after: ArticleId | None
    rows: Sequence[Row]
    more: bool
    recent: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Hit:
    """An article that answers a query; ``snippet`` is text and whether it matched, in turns."""

    article_id: ArticleId
    title: str
    updated_at: Stamp
    heading_path: Sequence[str]
    passage: str | None
    snippet: Sequence[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What a query found; ``refusal`` says why it cannot be asked."""

    template: ClassVar[str] = "search.html"
    shelf: Shelf
    query: str
    hits: Sequence[Hit]
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation to copy: as JSON, as agents hand it on, and as an address."""

    passage: str | None
    json: str
    address: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Text between two changes that is not shown, counted in code points."""

    characters: int


Run: TypeAlias = Change | Skipped
"""A piece of a difference as it is shown."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of a text from one version to another.

    Attributes:
        title: The title's words; empty if it is the same.
        content: The content's changes with some text around them; empty if it is the same.
    """

    title: Sequence[Change]
    content: Sequence[Run]

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.title or self.content)


@dataclass(frozen=True, slots=True)
class Shown:
    """A text on a page, and what it can be cited by.

    Attributes:
        updated_at: Its stamp; None for a draft, which nobody can cite.
        html: Its content.
        cited: The citation that was asked for; None if none was.
    """

    title: str
    updated_at: Stamp | None
    html: Markup
    cited: Cited | None


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """An article as it stands.

    Attributes:
        text: Its published text or, before that, its draft; None once it is deleted.
        draft_ahead: Whether a draft stands beside the published text.
    """

    template: ClassVar[str] = "article.html"
    shelf: Shelf
    article_id: ArticleId
    state: State
    updated_at: Stamp | None
    text: Shown | None
    draft_ahead: bool


@dataclass(frozen=True, slots=True)
class VersionPage:
    """A version that a stamp cites.

    Attributes:
        present: The stamp of the present version; None if the article is no longer published.
        difference: What changed since; None if nothing is published now.
    """

    template: ClassVar[str] = "version.html"
    shelf: Shelf
    article_id: ArticleId
    text: Shown
    present: Stamp | None
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Version:
    """A line of an article's history."""

    updated_at: Stamp
    title: str
    by: Principal
    client: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """An article's kept versions, newest first, of which two can be compared."""

    template: ClassVar[str] = "history.html"
    shelf: Shelf
    article_id: ArticleId
    present: Stamp | None
    versions: Sequence[Version]


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """What changed from one version to another."""

    template: ClassVar[str] = "changes.html"
    shelf: Shelf
    article_id: ArticleId
    old: Version
    new: Version
    difference: Difference


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A run of the log.

    Attributes:
        after: The cursor that it begins behind.
        latest: The log's end.
        gap: Numbers that a restore left out; None if the run spans none.
    """

    template: ClassVar[str] = "events.html"
    shelf: Shelf
    after: int
    events: Sequence[Event]
    next: int
    latest: int
    gap: Gap | None


@dataclass(frozen=True, slots=True)
class AnswersPage:
    """Answers whose citations are no longer all current, worst first."""

    template: ClassVar[str] = "answers.html"
    shelf: Shelf
    after: str | None
    answers: Sequence[StaleAnswer]
    next: str | None


@dataclass(frozen=True, slots=True)
class CheckPage:
    """Citations somebody pasted, and how they fare.

    Attributes:
        pasted: What they pasted.
        quote: The words that they asked about beside it.
        refusal: Why it cannot be judged; None if it can, or nothing was pasted yet.
    """

    template: ClassVar[str] = "check.html"
    pasted: str = ""
    quote: str = ""
    judgements: Sequence[tuple[Citation, Judgement]] = ()
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class RefusalPage:
    """Why something is not shown, and what to do.

    Attributes:
        status: Its HTTP status.
        hint: Commands or addresses that help, by what they are for.
    """

    template: ClassVar[str] = "refusal.html"
    status: int
    title: str
    message: str
    hint: Mapping[str, str]


Page: TypeAlias = (
    HomePage
    | ArticlesPage
    | SearchPage
    | ArticlePage
    | VersionPage
    | HistoryPage
    | ChangesPage
    | EventsPage
    | AnswersPage
    | CheckPage
    | RefusalPage
)
