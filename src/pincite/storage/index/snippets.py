"""The few words around a match that tell a reader whether the article is worth opening."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from apsw.unicode import grapheme_next_break

from pincite.storage.index.analyser import Token, matches_in, query_terms

SCANNED: Final = 8_000
"""Code points that are looked through for the best place; what lies beyond is not shown."""

_ELLIPSIS: Final = "…"
_SYNC: Final = 64
_NO_TEXT: Final = re.compile(r"[\x00\ud800-\udfff]")


class Snippet(NamedTuple):
    """Some text, and the spans in it of the words that matched, in order and apart."""

    text: str
    matches: tuple[tuple[int, int], ...]


def snippet(
    content: str,
    query: str,
    language: str,
    *,
    passage_span: tuple[int, int] | None = None,
    width: int = 240,
) -> Snippet:
    """Quotes the part of a text that holds most of a question's words.

    The text as it stands, so that it may be cited as a quote: only white space becomes single
    spaces, and an ellipsis stands where the quotation breaks off. Characters are never cut
    apart (UAX 29).

    Args:
        content: The article's Markdown.
        query: The question as it was asked.
        language: BCP 47 tag of the knowledge base.
        passage_span: Where the passage to quote from begins and ends in ``content``, in code
            points; None for the whole.
        width: Most code points to quote, ellipses aside.
    """
    begin, end = passage_span or (0, len(content))
    region = content[begin : min(end, begin + SCANNED)]
    wanted = query_terms(query, language)
    left, right = 0, len(region)
    if len(region) > width:
        left, right = _window(region, matches_in(region, wanted, language), width)
    quoted = " ".join(_NO_TEXT.sub("", region[left:right]).split())
    before = _ELLIPSIS if left else ""
    after = _ELLIPSIS if begin + right < end else ""
    text = f"{before}{quoted}{after}"
    return Snippet(text, tuple(_spans(text, matches_in(text, wanted, language))))


def _window(text: str, matches: Sequence[Token], width: int) -> tuple[int, int]:
    """The stretch of ``width`` that holds most distinct terms; the first of equals."""
    best, best_end, most, first = 0, 0, 0, 0
    counts: dict[str, int] = {}
    for match in matches:
        counts[match.term] = counts.get(match.term, 0) + 1
        while match.end - matches[first].start > width and matches[first] is not match:
            counts[matches[first].term] -= 1
            if not counts[matches[first].term]:
                del counts[matches[first].term]
            first += 1
        if len(counts) > most:
            most, best, best_end = len(counts), matches[first].start, match.end
    lead = max(0, min(width // 4, width - (best_end - best)))
    left = max(0, min(best - lead, len(text) - width))
    left = _boundary(text, left)
    right = min(len(text), left + width)
    return left, right if right == len(text) else _boundary(text, right)


def _boundary(text: str, at: int) -> int:
    """The word's beginning at or before ``at`` if one is near, else the character's."""
    near = max(0, at - _SYNC)
    if not at or text[at - 1].isspace() or text[at].isspace():
        return at
    for before in range(at, max(0, at - _SYNC // 3), -1):
        if text[before - 1].isspace():
            return before
    while (following := grapheme_next_break(text, near)) <= at:
        near = following
    return near


def _spans(text: str, matches: Sequence[Token]) -> list[tuple[int, int]]:
    """Where matches stand: those that touch become one, and none splits a character."""
    spans: list[tuple[int, int]] = []
    breaks = _breaks(text) if matches and not text.isascii() else range(len(text) + 1)
    for match in matches:
        start = breaks[bisect_right(breaks, match.start) - 1]
        end = breaks[bisect_left(breaks, match.end)]
        if spans and start <= spans[-1][1]:
            start, end = spans[-1][0], max(end, spans.pop()[1])
        spans.append((start, end))
    return spans


def _breaks(text: str) -> list[int]:
    """Every offset between two characters, the ends of the text included."""
    breaks = [0]
    while breaks[-1] < len(text):
        breaks.append(grapheme_next_break(text, breaks[-1]))
    return breaks
