"""Verdicts by brute force, to hold the product's against.

Nothing here is shared with ``pincite.domain.quotes`` and ``pincite.domain.citations`` but their
values: texts are lists of chunks between white space, a quote is tried at every chunk and offset,
and surroundings are compared as they are. Only the cutting into passages is the product's own.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.domain.citations import Citation
from pincite.domain.passages import Passage
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp


@dataclass(frozen=True, eq=False)
class Version:
    """A content, its passages and its chunks."""

    content: str
    passages: Sequence[Passage]
    chunks: Sequence[str]
    chunk_passages: Sequence[int]

    @classmethod
    def of(cls, content: str, passages: Sequence[Passage]) -> "Version":
        """Splits each passage at white space."""
        split = [content[each.start : each.end].split() for each in passages]
        return cls(
            content,
            passages,
            [chunk for chunks in split for chunk in chunks],
            [index for index, chunks in enumerate(split) for _ in chunks],
        )


@dataclass(frozen=True)
class Place:
    """A quote's first and last chunk, the offset in the first and the end in the last."""

    first: int
    offset: int
    last: int
    end: int


@dataclass(frozen=True)
class Answer:
    """What the oracle says of a citation, in the words of the contract."""

    verdict: str
    reason: str | None = None
    context_changed: bool | None = None


def answer(
    citation: Citation, cited: Version | None, present: Version | None, updated_at: Stamp | None
) -> Answer:
    """The verdict on a citation of a stamp that once was.

    Args:
        citation: What was cited.
        cited: The version cited; None if it is not kept.
        present: The published version; None if the article is gone.
        updated_at: The present stamp.
    """
    if present is None:
        return Answer("gone")
    if cited and any(not every_place(cited, quote.exact) for quote in citation.quotes):
        return Answer("unfounded")
    if updated_at == citation.updated_at:
        return Answer("current")
    fates = [fate(quote, cited, present) for quote in citation.quotes]
    for reason in ("absent", "ambiguous"):
        if reason in fates:
            return Answer("changed", reason)
    if not fates:
        return Answer("changed")
    return Answer("intact", None, True if True in fates else None if None in fates else False)


def fate(quote: Quote, cited: Version | None, present: Version) -> str | bool | None:
    """``absent``, ``ambiguous``, or whether the context of the one place changed."""
    if cited is None:
        return unkept_fate(quote, present)
    quote = as_fitting(quote, cited)
    origin, whole = origin_of(quote, cited)
    now = [each for each in every_place(present, quote.exact) if not whole or uncut(present, each)]
    if not now:
        return "absent"
    if origin is None:
        return "ambiguous"
    before = [each for each in every_place(cited, quote.exact) if not whole or uncut(cited, each)]
    if len(now) > 1 or len(before) > 1:
        if has_context(quote) and fitting(quote, cited) == [origin]:
            now = [each for each in now if fits(quote, present, each)]
        else:
            context = near(cited, origin)
            now = [each for each in now if near(present, each) == context]
        if len(now) != 1:
            return "ambiguous"
    return beside(cited, origin) != beside(present, now[0])


def unkept_fate(quote: Quote, present: Version) -> str | bool | None:
    """The same where nothing is known but the quote."""
    now = every_place(present, quote.exact)
    if not now:
        return "absent"
    matching = [each for each in now if fits(quote, present, each)]
    if len(now) > 1 and len(matching) != 1:
        return "ambiguous"
    return None if matching else True


def origin_of(quote: Quote, cited: Version) -> tuple[Place | None, bool]:
    """Where the quote came from, if that is plain, and whether it cut no word there."""
    matching = fitting(quote, cited) if has_context(quote) else []
    everywhere = every_place(cited, quote.exact)
    candidates = (
        matching
        if len(matching) == 1
        else [each for each in everywhere if uncut(cited, each)] or everywhere
    )
    whole = uncut(cited, candidates[0])
    return (candidates[0] if len(candidates) == 1 else None), whole


def as_fitting(quote: Quote, cited: Version) -> Quote:
    """The quote, or its trimmed context with space beside it, if that alone singles one out."""
    loose = Quote(quote.exact, quote.prefix + " ", " " + quote.suffix)
    helps = len(fitting(quote, cited)) != 1 and len(fitting(loose, cited)) == 1
    return loose if helps and has_context(quote) else quote


def has_context(quote: Quote) -> bool:
    """Whether the quote says what stands around it."""
    return bool(quote.prefix.split() or quote.suffix.split())


@lru_cache(maxsize=64)
def every_place(version: Version, exact: str) -> Sequence[Place]:
    """All places of a quote, overlapping ones too."""
    words = exact.split()
    return tuple(places_of(version.chunks, words)) if words else ()


def places_of(chunks: Sequence[str], words: Sequence[str]) -> Iterator[Place]:
    """Tries a quote at every chunk."""
    size = len(words)
    for index in range(len(chunks) - size + 1):
        first, last = chunks[index], chunks[index + size - 1]
        if size == 1:
            for offset in range(len(first) - len(words[0]) + 1):
                if first[offset : offset + len(words[0])] == words[0]:
                    yield Place(index, offset, index, offset + len(words[0]))
        elif (
            first.endswith(words[0])
            and last.startswith(words[-1])
            and all(chunks[index + step] == words[step] for step in range(1, size - 1))
        ):
            yield Place(index, len(first) - len(words[0]), index + size - 1, len(words[-1]))


def fitting(quote: Quote, version: Version) -> list[Place]:
    """The places where the quote's own context stands around it."""
    return [each for each in every_place(version, quote.exact) if fits(quote, version, each)]


def fits(quote: Quote, version: Version, place: Place) -> bool:
    """Whether prefix and suffix stand right before and behind a place."""
    prefix = " ".join(quote.prefix.split())
    if prefix and (quote.prefix[-1:].isspace() or quote.exact[:1].isspace()):
        prefix += " "
    suffix = " ".join(quote.suffix.split())
    if suffix and (quote.suffix[:1].isspace() or quote.exact[-1:].isspace()):
        suffix = " " + suffix
    return text_before(version, place).endswith(prefix) and text_behind(version, place).startswith(
        suffix
    )


def text_before(version: Version, place: Place) -> str:
    """All that stands before a place, white space folded."""
    return " ".join([*version.chunks[: place.first], version.chunks[place.first][: place.offset]])


def text_behind(version: Version, place: Place) -> str:
    """All that stands behind a place, white space folded."""
    return " ".join([version.chunks[place.last][place.end :], *version.chunks[place.last + 1 :]])


def near(version: Version, place: Place) -> tuple[str, str]:
    """The 32 characters on each side, fewer only at the ends of the text."""
    return text_before(version, place)[-32:], text_behind(version, place)[:32]


def uncut(version: Version, place: Place) -> bool:
    """Whether a place neither begins nor ends inside a word."""
    first, last = version.chunks[place.first], version.chunks[place.last]
    begins_inside = place.offset > 0 and all(
        map(wordlike, first[place.offset - 1 : place.offset + 1])
    )
    ends_inside = place.end < len(last) and all(map(wordlike, last[place.end - 1 : place.end + 1]))
    return not (begins_inside or ends_inside)


def wordlike(character: str) -> bool:
    """Letters, marks, digits and the underscore."""
    return character == "_" or unicodedata.category(character).startswith(("L", "M", "N"))


def beside(version: Version, place: Place) -> tuple[object, ...]:
    """Headings above a place, its passages and those beside them, as they are."""
    first, last = version.chunk_passages[place.first], version.chunk_passages[place.last]
    texts = [
        version.content[each.start : each.end].split()
        for each in version.passages[max(0, first - 1) : last + 2]
    ]
    edges = first == 0, last == len(version.passages) - 1
    paths = version.passages[first].heading_path, version.passages[last].heading_path
    return texts, edges, paths
