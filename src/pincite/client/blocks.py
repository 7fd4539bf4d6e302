"""What was read, as the content blocks that a model cites natively, and its citations back.

For Claude these are ``search_result`` blocks with one text for each passage: the model's
citations then name the passages that they rest on, and their source is the version stamp.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from pincite.client.calls import ArticleRead
from pincite.domain.citations import Citation
from pincite.domain.ids import parse_article_id, parse_knowledge_base_id
from pincite.domain.passages import cut
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

Block: TypeAlias = dict[str, Any]

_SCHEME = "pincite:"
_QUOTE_LONGEST = 2_000


def source_of(citation: Citation) -> str:
    """A citation without its quotes, as one word: ``pincite:KB/ARTICLE@STAMP``.

    The two ids are percent-encoded (RFC 3986), so that the slashes of an article's id do not
    end it.
    """
    kb, article = (
        quote(str(one), safe="") for one in (citation.knowledge_base_id, citation.article_id)
    )
    return f"{_SCHEME}{kb}/{article}@{citation.updated_at}"


def citation_from(source: str) -> Citation:
    """The citation that ``source_of`` wrote.

    Raises:
        InvalidInputError: It wrote nothing of the kind.
    """
    place, at, stamp = source.removeprefix(_SCHEME).partition("@")
    kb, slash, article = place.partition("/")
    if not (source.startswith(_SCHEME) and at and slash):
        raise InvalidInputError(
            "source must be pincite:KB/ARTICLE@STAMP.", field="source", limit="pincite:…/…@…"
        )
    return Citation(
        parse_knowledge_base_id(unquote(kb), "source"),
        parse_article_id(unquote(article), "source"),
        Stamp.parse(stamp, "source"),
    )


def search_result(read: ArticleRead) -> Block:
    """An article as a ``search_result`` block of the Messages API, a text for each passage."""
    content = read.content
    texts = [content[passage.start : passage.end] for passage in cut(content)] or [content]
    return {
        "type": "search_result",
        "source": source_of(read.citation),
        "title": read.title,
        "content": [{"type": "text", "text": text} for text in texts],
        "citations": {"enabled": True},
    }


def citations_in(answer: Iterable[Mapping[str, Any]], given: Sequence[Block]) -> list[Citation]:
    """What a model's answer rests on: each article once, with the passages cited as quotes.

    Args:
        answer: The answer's content blocks, with their ``citations``.
        given: The ``search_result`` blocks that the model was given, in that order.
    """
    found: dict[str, dict[Quote, None]] = {}
    for block in answer:
        for cited in block.get("citations") or ():
            if cited.get("type") == "search_result_location":
                quotes = found.setdefault(given[cited["search_result_index"]]["source"], {})
                texts = given[cited["search_result_index"]]["content"]
                for text in texts[cited["start_block_index"] : cited["end_block_index"]]:
                    quotes[Quote(text["text"][:_QUOTE_LONGEST])] = None
    return [
        replace(citation_from(source), quotes=tuple(quotes)) for source, quotes in found.items()
    ]
