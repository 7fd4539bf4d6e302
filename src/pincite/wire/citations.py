"""Citations, verdicts and stale answers as JSON, citations in one word, and both back."""

import json
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, Final, TypeAlias
from urllib.parse import quote as encoded
from urllib.parse import unquote

from pincite.domain.answers import StaleAnswer, StalePage
from pincite.domain.citations import Citation, Judgement
from pincite.domain.edits import Receipt
from pincite.domain.ids import KnowledgeBaseId, parse_article_id, parse_knowledge_base_id
from pincite.domain.quotes import Nearest, Quote
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

Json: TypeAlias = dict[str, Any]

SOURCE_SCHEME: Final = "pincite:"

STALE_BYTES: Final = 10_000
"""What a page of stale answers may take of a reader's context, unless one answer takes more."""


def citation_of(told: Mapping[str, Any], field: str = "citation") -> Citation:
    """Reads a citation.

    Raises:
        InvalidInputError: An id or the stamp is none; ``field`` leads its name.
    """
    return Citation(
        parse_knowledge_base_id(told["knowledge_base_id"], f"{field}.knowledge_base_id"),
        parse_article_id(told["article_id"], f"{field}.article_id"),
        Stamp.parse(told["updated_at"], f"{field}.updated_at"),
        tuple(
            Quote(quote["exact"], quote.get("prefix", ""), quote.get("suffix", ""))
            for quote in told.get("quotes", ())
        ),
    )


def citation_object(citation: Citation) -> Json:
    """A citation, with its quotes if it has any."""
    told: Json = {
        "knowledge_base_id": citation.knowledge_base_id,
        "article_id": citation.article_id,
        "updated_at": str(citation.updated_at),
    }
    if citation.quotes:
        told["quotes"] = [quote_object(quote) for quote in citation.quotes]
    return told


def source_of(citation: Citation) -> str:
    """A citation without its quotes, as one word: ``pincite:KB/ARTICLE@STAMP``.

    The two ids are percent-encoded (RFC 3986), so that the slashes of an article's id do not
    end it.
    """
    kb, article = (
        encoded(str(one), safe="") for one in (citation.knowledge_base_id, citation.article_id)
    )
    return f"{SOURCE_SCHEME}{kb}/{article}@{citation.updated_at}"


def parse_source(source: str, field: str = "source") -> Citation:
    """The citation that ``source_of`` wrote.

    Raises:
        InvalidInputError: It wrote nothing of the kind; ``field`` is what to call it.
    """
    place, at, stamp = source.removeprefix(SOURCE_SCHEME).partition("@")
    kb, slash, article = place.partition("/")
    if not (source.startswith(SOURCE_SCHEME) and at and slash):
        limit = "pincite:KB/ARTICLE@STAMP"
        raise InvalidInputError(f"{field} must be {limit}.", field=field, limit=limit)
    return Citation(
        parse_knowledge_base_id(unquote(kb), field),
        parse_article_id(unquote(article), field),
        Stamp.parse(stamp, field),
    )


def checked(
    judgements: Iterable[tuple[Citation, Judgement]], latest: Mapping[KnowledgeBaseId, int]
) -> Json:
    """The result of ``check_citations``."""
    return {
        "results": [_judged(citation, judgement) for citation, judgement in judgements],
        "latest_sequences": dict(latest),
    }


def recorded(receipt: Receipt, *, replayed: bool) -> Json:
    """The result of ``record_answer``."""
    return {
        "answer_id": receipt.article_id,
        "sequence": receipt.sequence,
        "replayed": replayed,
    }


def stale(page: StalePage) -> Json:
    """The result of ``list_stale_answers``."""
    return {"answers": [_stale_answer(answer) for answer in page.answers], "next": page.next}


def fitting(page: StalePage) -> int:
    """How many of a page's answers fit into ``STALE_BYTES``; one at least, so that pages go on."""
    frame = len(json.dumps({"answers": [], "next": page.next}))
    each = (
        len(json.dumps(_stale_answer(answer), ensure_ascii=False).encode()) + len(", ")
        for answer in page.answers
    )
    return max(1, sum(size <= STALE_BYTES for size in accumulate(each, initial=frame)) - 1)


def _stale_answer(answer: StaleAnswer) -> Json:
    told: Json = {
        "answer_id": answer.answer_id,
        "question": answer.question,
        "answered_at": str(answer.answered_at),
        "worst": answer.worst,
        "citations": [
            {"citation": citation_object(citation), "verdict": verdict}
            for citation, verdict in answer.citations
        ],
    }
    return told if answer.since is None else {**told, "since": answer.since}


def _judged(citation: Citation, judgement: Judgement) -> Json:
    told = {
        "citation": citation_object(citation),
        "verdict": judgement.verdict,
        "reason": judgement.reason,
        "updated_at": None if judgement.updated_at is None else str(judgement.updated_at),
        "version_kept": judgement.version_kept,
        "context_changed": judgement.context_changed,
        "present": None if judgement.present is None else _nearest_object(judgement.present),
    }
    return {name: value for name, value in told.items() if value is not None}


def _nearest_object(nearest: Nearest) -> Json:
    changes = [{"fate": change.fate, "text": change.text} for change in nearest.changes]
    return {"passage": nearest.passage, "text": nearest.text, "changes": changes}


def quote_object(quote: Quote) -> Json:
    """A quote, with its context if it has any."""
    context = {"prefix": quote.prefix, "suffix": quote.suffix}
    return {"exact": quote.exact} | {name: text for name, text in context.items() if text}
