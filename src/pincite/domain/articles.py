"""Articles and their lifecycle.

::

    (absent) ─create─▶ draft or published

    draft ──publish──▶ published ──withdraw──▶ withdrawn ──publish──▶ published
      │                  │                        │
      └──────────────────┴────────delete──────────┴──▶ deleted

A published or withdrawn article may hold a draft beside its published text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text


class State(StrEnum):
    """Where an article stands; only published articles are visible to agents."""

    ABSENT = "absent"
    """Never written. No store keeps it; it is what a new article starts from."""
    DRAFT = "draft"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that agents do not see.

    Attributes:
        text: What it says.
        updated_at: Its own stamp, which the next save of the draft must name.
        base: The published version it started from; None before the first publication.
    """

    text: Text
    updated_at: Stamp
    base: Stamp | None


@dataclass(frozen=True, slots=True)
class Article:
    """An article as it stands.

    Attributes:
        text: The text last published; None before that, and after deletion.
        updated_at: The latest stamp: of the published version or, once the article is
            withdrawn or deleted, of that. None before the first publication.
        sequence: The number of the event that gave ``updated_at``.
        draft: The draft that it is, or that stands beside its published text.
        drafted_at: The latest stamp that a draft of it had, be it this one or one that was
            published or discarded; None if none was ever saved.
    """

    knowledge_base_id: KnowledgeBaseId
    article_id: ArticleId
    state: State
    text: Text | None
    updated_at: Stamp | None
    sequence: int | None
    draft: Draft | None
    drafted_at: Stamp | None = None

    @classmethod
    def absent(cls, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId) -> "Article":
        """The article before anything was written under its id."""
        return cls(knowledge_base_id, article_id, State.ABSENT, None, None, None, None)

    @property
    def version(self) -> "Version":
        """The version that a write made from this state expects to find."""
        draft = self.draft.updated_at if self.draft else None
        return Version(self.state, self.updated_at, draft, self.drafted_at)


@dataclass(frozen=True, slots=True)
class Version:
    """What a write compares before it swaps: an article's state and its stamps.

    Stamps never repeat, so two equal versions are the same text. Of two writers that both
    found no draft, the later one would repeat the other's stamp if that draft was discarded
    in between: so the stamp of the last draft is compared, too.
    """

    state: State
    updated_at: Stamp | None
    draft_updated_at: Stamp | None
    drafted_at: Stamp | None


@dataclass(frozen=True, slots=True)
class Revision:
    """One published text of an article; immutable.

    Attributes:
        updated_at: The stamp that cites it.
        by: Who published it.
        client: The program that they used, as it names itself.
        note: Why, in a person's words.
    """

    article_id: ArticleId
    text: Text
    updated_at: Stamp
    by: Principal
    client: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A knowledge base: articles, one log, one language for search.

    Attributes:
        language: ISO 639-1 code of the stems that search uses.
        latest_sequence: The number of the newest event; 0 before the first.
        epoch: Changes when the log was broken off, by a restore or a failover.
        article_count: How many articles are published.
        sealed: The knowledge base moved to another store, and takes no more writes.
    """

    knowledge_base_id: KnowledgeBaseId
    title: str
    language: str
    latest_sequence: int
    epoch: str
    article_count: int
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """What an importer remembers of one file, so that it never overwrites a person's change.

    Attributes:
        path: The file's path in its folder, with ``/``; its external id.
        front_matter: What stands before the content, byte for byte; often empty.
        updated_at: The stamp that the importer wrote last.
        title: The title that it took from the file.
        details: What a format needs to find the article again, as JSON values.
    """

    path: str
    article_id: ArticleId
    front_matter: str
    updated_at: Stamp | None
    title: str
    details: Mapping[str, object]
