"""Quotes: exact text that a citation rests on, and where it stands in a version.

A quote is a W3C TextQuoteSelector (Web Annotation Data Model, section 4.2.4). Only white space
is folded before texts are compared. A quote stands where its text stands without cutting a word
that it did not cut in the version cited: ``- Git`` does not stand in ``- GitHub``.

Finding a quote takes time linear in the text, also where the text repeats itself endlessly:
no more than two places are ever needed, and a search that met many cut words goes on in a copy
of the text in which the ends of words are marked, so that cut words are no longer met.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple
from unicodedata import category

from pincite.domain.differences import Change, plain_words_of, word_changes
from pincite.domain.passages import Passage, cut, normalise

_CONTEXT = 32  # code points on each side, as other users of TextQuoteSelector take
_MANY_CUT = 100  # places; few real texts repeat a word that often inside others
_END = "\x1f"  # white space to Python, so that no folded text holds one
_LEAST_LIKENESS = 0.4
_LONGEST_NEAREST = 2_000  # code points, as long as the longest quote
# A sentence, or 400 code points of something that does not end.
_SENTENCE = re.compile(r"(?:[^.!?。！？…]{1,400}[.!?。！？…]{0,3}|[.!?。！？…]{1,400})\s*")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Quote:
    """Exact text with what stands right before and behind it, as far as that is given."""

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Folded:
    """A version's content made ready for looking up quotes.

    Attributes:
        text: The content, white space folded, between two line feeds that mark its ends.
        passages: Its passages.
        starts: Where each passage begins in ``text``.
    """

    text: str
    passages: tuple[Passage, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, content: str, passages: Sequence[Passage] | None = None) -> "Folded":
        """Folds a content; ``passages`` is what ``cut`` made of it, if that is at hand."""
        cuts = cut(content) if passages is None else tuple(passages)
        parts = [normalise(content[passage.start : passage.end]) for passage in cuts]
        starts = accumulate((len(part) + 1 for part in parts), initial=1)
        return cls(f"\n{' '.join(parts)}\n", cuts, tuple(starts)[: len(cuts)])

    def passage_at(self, offset: int) -> int:
        """The index of the passage at, or right before, an offset of ``text``."""
        return bisect_right(self.starts, offset) - 1

    def passage_text(self, index: int) -> str:
        """A passage's folded text; empty where there is none."""
        if not 0 <= index < len(self.starts):
            return ""
        behind = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[index] : behind - 1]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a quote stood: all that is needed to find it again without the version cited.

    Attributes:
        exact: The quote, folded.
        around: The quote with its context, folded: as given, or else as it stood in the version
            cited. Empty if the version cited held it more than once and the context given
            singled none out.
        offset: Where ``exact`` begins in ``around``.
        whole: Whether it cut no word in the version cited.
        alone: Whether it stood once in the version cited, as far as that is known.
        surroundings: Digest of heading path and passages around; empty if not known.
    """

    exact: str
    around: str
    offset: int
    whole: bool
    alone: bool
    surroundings: str = ""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The present text that is most like a quote which stands no more.

    Attributes:
        passage: Id of the passage in which it begins.
        text: The text, white space folded.
        changes: What became of the quote's words.
    """

    passage: str
    text: str
    changes: tuple[Change, ...]


def stands(quote: Quote, cited: Folded) -> bool:
    """Whether a quote stands in a version at all, wherever and whatever is around it."""
    exact = normalise(quote.exact)
    return bool(exact) and exact in cited.text


def find_anchor(quote: Quote, cited: Folded) -> Anchor | None:
    """Where a quote stood in the version cited; None if it did not stand there."""
    exact = normalise(quote.exact)
    if not exact:
        return None
    text = cited.text
    context = _fitting_context(quote, exact, text)
    if context is None:
        found = _places(text, exact, exact, whole=True) or _places(text, exact, exact)
        if not found:
            return None
        if len(found) > 1:
            whole = _cuts_no_word(text, found[0], exact)
            return Anchor(exact, "", 0, whole=whole, alone=False)
        context = _context_at(found[0], exact, text)
    whole = _cuts_no_word(text, context.place, exact)
    alone = len(_places(text, exact, exact, whole=whole)) == 1
    around = surroundings(cited, context.place, exact)
    return Anchor(exact, context.around, context.offset, whole, alone, around)


class _Context(NamedTuple):
    """A quote with what is around it, where it begins in that, and where in the version."""

    around: str
    offset: int
    place: int


def _fitting_context(quote: Quote, exact: str, text: str) -> _Context | None:
    """The context that came with a quote, if it singles out one place."""
    for given in (quote, _spaced(quote)):
        around, offset = _given_context(given)
        found = _places(text, around, exact, offset) if around != exact else []
        if len(found) == 1:
            return _Context(around, offset, found[0])
    return None


def _context_at(place: int, exact: str, text: str) -> _Context:
    """What is around a quote where it stands."""
    before = max(0, place - _CONTEXT)
    return _Context(text[before : place + len(exact) + _CONTEXT], place - before, place)


def bare_anchor(quote: Quote) -> Anchor:
    """What is known of a quote whose version is not kept: what the quote itself says."""
    around, offset = _given_context(quote)
    return Anchor(normalise(quote.exact), around, offset, whole=False, alone=True)


def places(anchor: Anchor, present: Folded) -> list[int]:
    """Where a quote stands now, as far as two places; one place is the one that was cited.

    A quote that stands, or stood, more than once is singled out by its context or not at all.
    """
    text, exact, whole = present.text, anchor.exact, anchor.whole
    found = _places(text, exact, exact, whole=whole)
    if not found or (len(found) == 1 and anchor.alone):
        return found
    singled = _places(text, anchor.around, exact, anchor.offset, whole=whole)
    return singled or [found[0], found[-1]]


def surroundings(version: Folded, place: int, exact: str) -> str:
    """Digest of the headings above a quote, of its own passages and of those beside them."""
    first = version.passage_at(place)
    last = version.passage_at(place + len(exact) - 1)
    beside = [version.passage_text(index) for index in range(first - 1, last + 2)]
    told = repr((version.passages[first].heading_path, beside))
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sentences_of(anchor: Anchor, cited: Folded) -> str:
    """The whole sentences that a quote stood in; the quote alone if its place is not known."""
    found = _places(cited.text, anchor.around, anchor.exact, anchor.offset, whole=anchor.whole)
    if len(found) != 1:
        return anchor.exact
    begin, end = found[0], found[0] + len(anchor.exact)
    passages = range(cited.passage_at(begin), cited.passage_at(end - 1) + 1)
    spans = [span for span in _sentences(cited, passages) if span[0] < end and begin < span[1]]
    return cited.text[spans[0][0] : spans[-1][1]].strip()


def find_nearest(exact: str, present: Folded, within: str = "") -> Nearest | None:
    """As many sentences in a row as a folded quote has, which share most words with it.

    Args:
        exact: The quote.
        present: Where to look.
        within: The sentences that it stood in. A few words alone are like no sentence; the run
            may as well be like these.

    Returns:
        None if no run comes near; a run of more than 2,000 code points is cut there.
    """
    spans = _sentences(present, range(len(present.starts)))
    words = [plain_words_of(present.text[slice(*span)]) for span in spans]
    runs = [_likest(text, words) for text in dict.fromkeys((exact, within or exact))]
    likeness, first, last = max(runs, key=itemgetter(0))
    if likeness < _LEAST_LIKENESS:
        return None
    start = spans[first][0]
    text = present.text[start : min(spans[last][1], start + _LONGEST_NEAREST)].strip()
    passage = present.passages[present.passage_at(start)]
    return Nearest(passage.id, text, word_changes(exact, text))


def _sentences(version: Folded, passages: Iterable[int]) -> list[tuple[int, int]]:
    return [
        match.span()
        for index in passages
        for match in _SENTENCE.finditer(
            version.text,
            version.starts[index],
            version.starts[index] + len(version.passage_text(index)),
        )
    ]


def _likest(wanted: str, sentences: Sequence[Sequence[str]]) -> tuple[float, int, int]:
    """How like a text the likest run of as many sentences is, and its first and last sentence."""
    count = len(_SENTENCE.findall(wanted))
    scores = list(_likeness(plain_words_of(wanted), sentences, count))
    best = max(range(len(scores)), key=scores.__getitem__, default=0)
    return (scores[best] if scores else 0.0), max(0, best - count + 1), best


def _likeness(
    exact: Sequence[str], sentences: Sequence[Sequence[str]], count: int
) -> Iterator[float]:
    """Of the ``count`` sentences up to each: the share of words in common with a quote, 0–1.

    This is Dice's coefficient of two bags of words, kept up to date from one run to the next.
    """
    wanted = Counter(exact)
    total = wanted.total()
    window: Counter[str] = Counter()
    size = shared = 0
    for index, entering in enumerate(sentences):
        for word in entering:
            if word in wanted:
                window[word] += 1
                shared += window[word] <= wanted[word]
        leaving = sentences[index - count] if index >= count else []
        for word in leaving:
            if word in wanted:
                shared -= window[word] <= wanted[word]
                window[word] -= 1
        size += len(entering) - len(leaving)
        yield 2 * shared / (size + total) if size else 0.0


def _given_context(quote: Quote) -> tuple[str, int]:
    """The quote with the context given, folded, and where its exact text begins in it."""
    exact = normalise(quote.exact)
    before = normalise(quote.prefix + quote.exact)
    return normalise(quote.prefix + quote.exact + quote.suffix), len(before) - len(exact)


def _spaced(quote: Quote) -> Quote:
    """The quote with white space beside its context: many a client trims what it sends."""
    return Quote(quote.exact, f"{quote.prefix} ", f" {quote.suffix}")


def _places(
    text: str, around: str, exact: str, offset: int = 0, *, whole: bool = False
) -> list[int]:
    """Where ``exact`` stands ``offset`` behind the beginning of ``around``: at most two places."""
    found: list[int] = []
    start = -1
    for _ in range(_MANY_CUT if around else 0):
        start = text.find(around, start + 1)
        if start < 0:
            return found
        if not whole or _cuts_no_word(text, start + offset, exact):
            found.append(start + offset)
            if len(found) == 2:
                return found
    return _whole_places(text, around, exact, offset) if around else []


def _whole_places(text: str, around: str, exact: str, offset: int) -> list[int]:
    """The same, where no word may be cut, by two searches whatever the text repeats."""
    behind = offset + len(exact)
    if not _cuts_no_word(f"\n{around}\n", offset + 1, exact):
        return []  # Its own context cuts it.
    wanted = _with_ends(around)
    if offset > 0:
        wanted = wanted.removeprefix(_END)  # The context may begin within a word,
    if behind < len(around):
        wanted = wanted.removesuffix(_END)  # and end within one.
    marked = _marked(text)
    found: list[int] = []
    start = marked.find(wanted)
    while start >= 0 and len(found) < 2:
        found.append(start - marked.count(_END, 0, start) + offset)
        start = marked.find(wanted, start + 1)
    return found


def _with_ends(text: str) -> str:
    """A folded text with a mark at both ends of each word."""
    letters = "".join(character for character in set(text) if _in_word(character))
    return _END.join(re.split(f"([{re.escape(letters)}]+)", text)) if letters else text


# Many quotes are looked up in a text one after another: the version cited, then the present one.
_marked = lru_cache(maxsize=4)(_with_ends)


def _cuts_no_word(text: str, place: int, exact: str) -> bool:
    """Whether no word reaches over either end; ``text`` has a line feed at both of its own."""
    behind = place + len(exact)
    return not (
        (_in_word(text[place - 1]) and _in_word(exact[0]))
        or (_in_word(exact[-1]) and _in_word(text[behind]))
    )


def _in_word(character: str) -> bool:
    return character == "_" or category(character)[0] in "LMN"
