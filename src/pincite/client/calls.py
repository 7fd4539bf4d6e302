"""What a client asks, without any input or output.

A call is a generator: it yields what to ask, is sent the reply, and returns what it made of
it. ``aio`` and ``sync`` run the same generators, so nothing is written twice.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from pincite.client.replies import find, find_number, objects_in, text_in
from pincite.domain.citations import Citation
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.errors import PinciteError
from pincite.wire.tools import EDIT, PAGE_LIMIT, POLL, READ, SEARCH, SEARCH_DEFAULT

Reply: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of one tool."""

    name: str
    arguments: Mapping[str, Any]


Steps: TypeAlias = Generator[ToolCall, Reply, T]
"""Calls to make one after another; an error of the server is thrown in where it was asked."""


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The steps are at their end; ``value`` is what they made of the replies."""

    value: T


def advance(steps: Steps[T], reply: Reply | PinciteError | None = None) -> ToolCall | Done[T]:
    """Goes on to the next call.

    Args:
        steps: What to go on with.
        reply: What the last call brought: a reply or an error; None at the beginning.

    Raises:
        PinciteError: An error that the steps did not expect.
    """
    try:
        if reply is None:
            return next(steps)
        return steps.throw(reply) if isinstance(reply, PinciteError) else steps.send(reply)
    except StopIteration as end:
        return Done(end.value)


@dataclass(frozen=True, slots=True)
class Hit:
    """One article that answers a query."""

    citation: Citation
    title: str
    snippet: str


@dataclass(frozen=True, slots=True)
class ArticleRead:
    """A published article as it was read.

    Attributes:
        citation: Pins the version; without quotes.
        complete: Whether ``content`` is the whole text.
        latest_sequence: The log's end in the same snapshot; None if the server does not say.
    """

    citation: Citation
    title: str
    content: str
    complete: bool
    latest_sequence: int | None


@dataclass(frozen=True, slots=True)
class EditSaved:
    """A saved edit; ``citation`` is None while it waits for approval."""

    status: str
    citation: Citation | None
    replayed: bool


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """What an event tells of an article."""

    sequence: int
    type: str
    article_id: ArticleId

    @property
    def takes_away(self) -> bool:
        """Whether the article is no longer published after it."""
        return self.type in {"article.unpublished", "article.deleted"}


@dataclass(frozen=True, slots=True)
class Followed:
    """All events behind a cursor, and the cursor behind them.

    Attributes:
        restored: Whether a restore lost events on the way, and with them versions that were
            read meanwhile.
    """

    changes: tuple[ArticleChange, ...]
    cursor: int
    restored: bool


def search(
    knowledge_base_id: KnowledgeBaseId, query: str, limit: int = SEARCH_DEFAULT
) -> Steps[Sequence[Hit]]:
    """Finds published articles, best first."""
    reply = yield ToolCall(
        SEARCH.name,
        {"knowledge_base_id": knowledge_base_id, "query": query, "limit": limit},
    )
    return [
        Hit(
            _citation(knowledge_base_id, ArticleId(str(found["article_id"])), found),
            text_in(found, "title"),
            text_in(found, "snippet"),
        )
        for found in objects_in(reply, "article_id", "updated_at")
    ]


def read(knowledge_base_id: KnowledgeBaseId, article_id: ArticleId) -> Steps[ArticleRead]:
    """The published text of an article.

    Raises:
        NotFoundError: There is no such article.
        GoneError: It was published and no longer is.
    """
    reply = yield ToolCall(
        READ.name, {"knowledge_base_id": knowledge_base_id, "article_id": article_id}
    )
    content = find(reply, "content")
    if not isinstance(content, str):
        # An empty article is never made up of a reply that could not be read.
        raise PinciteError("The server's reply to a read holds no content.")
    return ArticleRead(
        _citation(knowledge_base_id, article_id, reply),
        text_in(reply, "title"),
        content,
        find(reply, "complete") is not False,
        find_number(reply, "latest_sequence"),
    )


def edit(before: Citation, content: str, key: str, title: str | None = None) -> Steps[EditSaved]:
    """Replaces an article's text, if the version cited is still the present one.

    Args:
        before: The version that the edit was made from.
        content: The whole text as it shall stand.
        key: A new idempotency key; the same one again only to repeat this very call.
        title: None keeps the present title.

    Raises:
        VersionConflictError: Another version is the present one; see its details.
        GoneError: The article is no longer published.
    """
    arguments = {
        "knowledge_base_id": before.knowledge_base_id,
        "article_id": before.article_id,
        "content": content,
        "expected_version": str(before.updated_at),
        "idempotency_key": key,
    }
    reply = yield ToolCall(EDIT.name, arguments if title is None else {**arguments, "title": title})
    stamped = isinstance(find(reply, "updated_at"), str)
    return EditSaved(
        text_in(reply, "status"),
        _citation(before.knowledge_base_id, before.article_id, reply) if stamped else None,
        find(reply, "replayed") is True,
    )


def follow(knowledge_base_id: KnowledgeBaseId, cursor: int) -> Steps[Followed]:
    """All that happened in a knowledge base behind a cursor, page by page.

    Raises:
        CursorAheadError: The cursor is beyond the log's end.
        CursorExpiredError: Events behind it are no longer kept.
    """
    changes: list[ArticleChange] = []
    restored = False
    while True:
        reply = yield _poll(knowledge_base_id, cursor, PAGE_LIMIT)
        page = [_change(event) for event in objects_in(reply, "sequence", "type")]
        changes += [change for change in page if change.article_id]
        last = page[-1].sequence if page else cursor
        cursor = find_number(reply, "next_sequence") or last
        restored |= isinstance(find(reply, "gap"), Mapping)
        more = find(reply, "has_more")
        if more is False or (more is None and len(page) < PAGE_LIMIT):
            return Followed(tuple(changes), cursor, restored)


def end_of(knowledge_base_id: KnowledgeBaseId) -> Steps[int]:
    """The end of a knowledge base's log, by as little as the server lets one ask."""
    try:
        reply = yield _poll(knowledge_base_id, 0, 1)
        latest = find_number(reply, "latest_sequence")
        if latest is None:
            followed = yield from follow(knowledge_base_id, 0)
            return followed.cursor
    except PinciteError as error:
        latest = find_number(error.details, "latest_sequence")
        if latest is None:
            raise
    return latest


def _poll(knowledge_base_id: KnowledgeBaseId, after: int, limit: int) -> ToolCall:
    arguments = {
        "resource_type": "knowledge_base",
        "resource_id": knowledge_base_id,
        "after_sequence": after,
        "limit": limit,
    }
    return ToolCall(POLL.name, arguments)


def _change(event: Reply) -> ArticleChange:
    return ArticleChange(
        int(event["sequence"]), str(event["type"]), ArticleId(text_in(event, "article_id"))
    )


def _citation(knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, reply: Reply) -> Citation:
    return Citation(knowledge_base_id, article_id, Stamp.parse(text_in(reply, "updated_at")))
