"""What a caller wants, read from a tool's arguments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pincite.domain.citations import Citation
from pincite.domain.edits import Edit, Patch, Replacement
from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import (
    ArticleId,
    KnowledgeBaseId,
    parse_article_id,
    parse_id,
    parse_knowledge_base_id,
)
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text, checked_text
from pincite.wire.answer_tools import CHECK, RECORD, STALE, STALE_DEFAULT
from pincite.wire.citations import citation_of
from pincite.wire.definition import Tool
from pincite.wire.tools import (
    DRAFT,
    EDIT,
    LIST,
    PAGE_LIMIT,
    PATCH,
    POLL,
    READ,
    SEARCH,
    SEARCH_DEFAULT,
    TOOLS,
)
from pincite.wire.validation import Check, checker

Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchCall:
    """``search_knowledge_base``."""

    knowledge_base_id: KnowledgeBaseId
    query: str
    limit: int


@dataclass(frozen=True, slots=True)
class ReadCall:
    """``read_knowledge_article``."""

    knowledge_base_id: KnowledgeBaseId
    article_id: ArticleId
    outline: bool = False
    first_passage: str | None = None
    max_characters: int | None = None


@dataclass(frozen=True, slots=True)
class WriteCall:
    """``edit_knowledge_article`` and ``patch_knowledge_article``."""

    knowledge_base_id: KnowledgeBaseId
    article_id: ArticleId
    write: Edit | Patch
    key: str


@dataclass(frozen=True, slots=True)
class DraftCall:
    """``draft_knowledge_article``."""

    knowledge_base_id: KnowledgeBaseId
    text: Text
    key: str


@dataclass(frozen=True, slots=True)
class PollCall:
    """``poll_resource_events``."""

    resource: Resource
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class ListCall:
    """``list_knowledge_bases``."""


@dataclass(frozen=True, slots=True)
class CheckCall:
    """``check_citations``."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class RecordCall:
    """``record_answer``."""

    knowledge_base_id: KnowledgeBaseId
    question: str
    answer: str
    citations: tuple[Citation, ...]
    key: str
    session: str | None


@dataclass(frozen=True, slots=True)
class StaleCall:
    """``list_stale_answers``."""

    knowledge_base_id: KnowledgeBaseId
    after: str | None
    limit: int


AnswerCall: TypeAlias = CheckCall | RecordCall | StaleCall
ArticleCall: TypeAlias = SearchCall | ReadCall | WriteCall | DraftCall | PollCall | ListCall
Call: TypeAlias = ArticleCall | AnswerCall


def parse_call(tool: Tool, arguments: object) -> Call:
    """Reads a tool's arguments.

    Args:
        tool: One of :data:`~pincite.wire.tools.TOOLS`.
        arguments: Whatever the caller sent; None counts as no arguments.

    Raises:
        InvalidInputError: Naming the argument and the limit that it breaks.
    """
    given = {} if arguments is None else arguments
    _CHECKS[tool.name](given)
    if not isinstance(given, Mapping):
        raise TypeError("the schema of a tool's arguments allows an object only")
    return _PARSERS[tool.name](given)


def _search(given: Arguments) -> Call:
    return SearchCall(_kb(given), given["query"], int(given.get("limit", SEARCH_DEFAULT)))


def _read(given: Arguments) -> Call:
    first, most = given.get("first_passage"), given.get("max_characters")
    if first is not None:
        checked_text(first, "first_passage", shortest=1, longest=200)
    return ReadCall(
        _kb(given),
        _article(given),
        given.get("outline", False),
        first,
        None if most is None else int(most),
    )


def _edit(given: Arguments) -> Call:
    write = Edit(_expected(given), given["content"], given.get("title"))
    return WriteCall(_kb(given), _article(given), write, given["idempotency_key"])


def _patch(given: Arguments) -> Call:
    edits = tuple(Replacement(one["old_text"], one["new_text"]) for one in given["edits"])
    write = Patch(_expected(given), edits)
    return WriteCall(_kb(given), _article(given), write, given["idempotency_key"])


def _draft(given: Arguments) -> Call:
    text = Text(given["title"], given["content"])
    return DraftCall(_kb(given), text, given["idempotency_key"])


def _poll(given: Arguments) -> Call:
    resource_id = parse_id(given["resource_id"], "resource_id")
    resource = Resource(ResourceType(given["resource_type"]), resource_id)
    after, limit = given.get("after_sequence", 0), given.get("limit", PAGE_LIMIT)
    return PollCall(resource, int(after), int(limit))


def _list(_: Arguments) -> Call:
    return ListCall()


def _check(given: Arguments) -> Call:
    return CheckCall(_citations(given))


def _record(given: Arguments) -> Call:
    session = given.get("session_id")
    if session is not None:
        parse_id(session, "session_id")
    return RecordCall(
        _kb(given),
        given["question"],
        given["answer"],
        _citations(given),
        given["idempotency_key"],
        session,
    )


def _stale(given: Arguments) -> Call:
    return StaleCall(_kb(given), given.get("after"), int(given.get("limit", STALE_DEFAULT)))


def _citations(given: Arguments) -> tuple[Citation, ...]:
    return tuple(
        citation_of(told, f"citations[{number}]") for number, told in enumerate(given["citations"])
    )


def _kb(given: Arguments) -> KnowledgeBaseId:
    return parse_knowledge_base_id(given["knowledge_base_id"])


def _article(given: Arguments) -> ArticleId:
    return parse_article_id(given["article_id"])


def _expected(given: Arguments) -> Stamp:
    return Stamp.parse(given["expected_version"], "expected_version")


_CHECKS: dict[str, Check] = {tool.name: checker(tool.arguments) for tool in TOOLS}
_PARSERS: dict[str, Callable[[Arguments], Call]] = {
    SEARCH.name: _search,
    READ.name: _read,
    EDIT.name: _edit,
    POLL.name: _poll,
    LIST.name: _list,
    PATCH.name: _patch,
    DRAFT.name: _draft,
    CHECK.name: _check,
    RECORD.name: _record,
    STALE.name: _stale,
}
