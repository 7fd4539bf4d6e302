"""What was read, as the content blocks that a model cites natively, and its citations back.

For Claude these are ``search_result`` blocks with one text for each passage: the model's
citations then name the passages that they rest on, and their source is the version stamp.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from pincite.client.calls import ArticleRead
from pincite.domain.citations import Citation
from pincite.domain.passages import cut
from pincite.domain.quotes import Quote
from pincite.wire.citations import parse_source, source_of

Block: TypeAlias = dict[str, Any]

_QUOTE_LONGEST = 2_000


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
    return [replace(parse_source(source), quotes=tuple(quotes)) for source, quotes in found.items()]
