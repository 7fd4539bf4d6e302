"""Values as the tools' results."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from pincite.domain.articles import KnowledgeBase
from pincite.domain.edits import Receipt
from pincite.domain.events import Event, EventPage, HostEvent
from pincite.domain.grants import Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.passages import Passage
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text

Json: TypeAlias = dict[str, Any]

Permalink: TypeAlias = Callable[[KnowledgeBaseId, ArticleId, Stamp], str | None]
"""The address of a cited version in the web app; None where no public address is set."""

PARTIAL = (
    "This is a part of the article. You can cite it; to replace the whole content, read all of "
    "it first."
)


def no_permalink(*_: object) -> None:
    """Where no public address is set."""


class SearchHit(Protocol):
    """An article that answers a query; the store's value has this form."""

    @property
    def article_id(self) -> ArticleId:
        """Which article."""

    @property
    def title(self) -> str:
        """Its published title."""

    @property
    def updated_at(self) -> Stamp:
        """The stamp that cites it."""

    @property
    def snippet(self) -> str:
        """Text around the matched words."""

    @property
    def passage(self) -> Passage | None:
        """The passage that matched best."""


class OutlineEntry(Protocol):
    """A passage in an outline; the service's value has this form."""

    @property
    def id(self) -> str:
        """Which passage."""

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings that it stands under."""

    @property
    def text_start(self) -> str:
        """How its text begins."""


class ReadArticle(Protocol):
    """A published article as it was read; the service's value has this form."""

    @property
    def article_id(self) -> ArticleId:
        """Which article."""

    @property
    def text(self) -> Text:
        """Its title, and the content or the part that was asked for."""

    @property
    def updated_at(self) -> Stamp:
        """The stamp that cites it."""

    @property
    def complete(self) -> bool:
        """Whether the content is all of it."""

    @property
    def next_passage(self) -> str | None:
        """Where the next part begins."""

    @property
    def outline(self) -> Sequence[OutlineEntry] | None:
        """Its passages, if they were asked for."""

    @property
    def latest_sequence(self) -> int:
        """The log's end in the same snapshot."""


@dataclass(frozen=True, slots=True)
class Results:
    """Writes results.

    Attributes:
        permalink: Where people find a cited version.
    """

    permalink: Permalink = no_permalink

    def search(self, kb: KnowledgeBaseId, hits: Sequence[SearchHit], latest: int) -> Json:
        """The result of ``search_knowledge_base``."""
        return {"results": [self._hit(kb, hit) for hit in hits], "latest_sequence": latest}

    def read(self, kb: KnowledgeBaseId, article: ReadArticle) -> Json:
        """The result of ``read_knowledge_article``."""
        result = {
            "article_id": article.article_id,
            "title": article.text.title,
            "content": article.text.content,
            "updated_at": str(article.updated_at),
            "citation": citation(kb, article.article_id, article.updated_at),
            "complete": article.complete,
            "latest_sequence": article.latest_sequence,
            **self._url(kb, article.article_id, article.updated_at),
        }
        if not article.complete:
            result |= {"next_passage": article.next_passage, "note": PARTIAL}
        if article.outline is not None:
            result["passages"] = [
                {
                    "id": one.id,
                    "heading_path": list(one.heading_path),
                    "text_start": one.text_start,
                }
                for one in article.outline
            ]
        return result

    def _hit(self, kb: KnowledgeBaseId, hit: SearchHit) -> Json:
        result = {
            "article_id": hit.article_id,
            "title": hit.title,
            "updated_at": str(hit.updated_at),
            "snippet": hit.snippet,
            "citation": citation(kb, hit.article_id, hit.updated_at),
            **self._url(kb, hit.article_id, hit.updated_at),
        }
        if hit.passage is not None:
            path = list(hit.passage.heading_path)
            result["passage"] = {"id": hit.passage.id, "heading_path": path}
        return result

    def _url(self, kb: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp) -> Json:
        url = self.permalink(kb, article_id, updated_at)
        return {} if url is None else {"url": url}


def citation(kb: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp) -> Json:
    """What an answer pins."""
    return {"knowledge_base_id": kb, "article_id": article_id, "updated_at": str(updated_at)}


def saved(kb: KnowledgeBaseId, receipt: Receipt, *, replayed: bool) -> Json:
    """The result of an edit or a patch."""
    stamp = receipt.updated_at
    result: Json = {
        "status": receipt.status,
        "article_id": receipt.article_id,
        "updated_at": None if stamp is None else str(stamp),
        "citation": None if stamp is None else citation(kb, receipt.article_id, stamp),
        "sequence": receipt.sequence,
        "replayed": replayed,
    }
    return result if receipt.proposal_id is None else result | {"proposal_id": receipt.proposal_id}


def drafted(receipt: Receipt, *, replayed: bool) -> Json:
    """The result of ``draft_knowledge_article``."""
    return {"status": receipt.status, "article_id": receipt.article_id, "replayed": replayed}


def page(events: EventPage) -> Json:
    """The result of ``poll_resource_events``."""
    result: Json = {
        "events": [event_object(event) for event in events.events],
        "next_sequence": events.next_sequence,
        "latest_sequence": events.latest_sequence,
        "has_more": events.has_more,
    }
    if events.gap is not None:
        result["gap"] = {"after": events.gap.after, "next": events.gap.next}
    return result


def event_object(event: Event) -> Json:
    """One event of a log."""
    if isinstance(event, HostEvent):
        return {
            "sequence": event.sequence,
            "type": event.type,
            "at": str(event.at),
            "data": json.loads(event.data),
        }
    result: Json = {
        "sequence": event.sequence,
        "type": event.type,
        "article_id": event.article_id,
        "updated_at": str(event.updated_at),
    }
    return result | {"changed": list(event.changed)} if event.changed else result


def knowledge_bases(accessible: Iterable[tuple[KnowledgeBase, Grant]]) -> Json:
    """The result of ``list_knowledge_bases``: each with the caller's grant on it."""
    return {
        "knowledge_bases": [
            {
                "knowledge_base_id": found.knowledge_base_id,
                "title": found.title,
                "language": found.language,
                "grants": [one.word for one in Grant if one <= grant],
                "article_count": found.article_count,
                "latest_sequence": found.latest_sequence,
            }
            for found, grant in accessible
        ]
    }
