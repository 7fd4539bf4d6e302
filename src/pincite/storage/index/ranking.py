"""BM25 over one knowledge base's articles and their sections.

Okapi BM25 with weighted fields (Robertson, Zaragoza, Taylor 2004: frequencies are weighted and
added before they saturate). Every article that holds a term is scored, with the knowledge base's
own statistics; then the best are read by section, and an article's score is that of the whole
plus half of its best section's, a section being read with the article's title: a long article is
found by the one section that answers. The numbers were chosen on the judged sets of decision 8.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log
from typing import Final

from pincite.storage.index.entries import TITLE_REPEATS, Layout
from pincite.storage.index.postings import LENGTH_MASK, Places, Postings, Slot, decoded_length

READ_BY_SECTION: Final = 40
"""Articles whose sections are scored: twice the most that a caller of the tools may ask for."""

_SATURATION: Final = 1.5
_LENGTH_SHARE: Final = 0.5
_LEAST_DAMPING: Final = _SATURATION * (1 - _LENGTH_SHARE)
_SECTION_SHARE: Final = 0.5
_TITLE_IN_SECTION: Final = 3 / TITLE_REPEATS
_HEADING_IN_SECTION: Final = 4.0
_WORTH_PRUNING: Final = 1000
_LIKELY_GAIN: Final = 0.6
_FAR_BEHIND: Final = 0.4
"""The share of the best score below which no section is added to an article's own."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals over one knowledge base's entries."""

    articles: int
    terms: int
    body_terms: int
    sections: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """An article with its score and what it was found by.

    Attributes:
        revision: The one that was indexed.
        section: The section that matched best; None if only the title did.
        places: For each term of the question its places in the article.
    """

    slot: Slot
    score: float
    revision: int
    layout: Layout
    section: int | None
    places: Sequence[Sequence[int]]


class _Damping(dict[int, float]):
    """What frequencies are held against in an article of a length, by its code."""

    def __init__(self, statistics: Statistics) -> None:
        super().__init__()
        self._statistics = statistics

    def __missing__(self, code: int) -> float:
        total, count = self._statistics.terms, self._statistics.articles
        self[code] = _damping(decoded_length(code), total, count)
        return self[code]


class Ranking:
    """Scores the articles that hold any of a question's terms."""

    def __init__(self, postings: Postings, statistics: Statistics) -> None:
        self._postings = postings
        self._statistics = statistics
        self._prunes = statistics.articles > _WORTH_PRUNING
        self._places: dict[int, Places] = {}
        self._found: dict[int, Mapping[Slot, int]] = {}
        self._weights = [self._weight(term) for term in range(len(postings))]
        self._damping = _Damping(statistics)

    def best(self, limit: int) -> list[Ranked]:
        """The best articles, best first; of equals the one that was created first."""
        candidates = self._best_as_a_whole(max(limit, READ_BY_SECTION))
        entries = self._postings.entries(slot for _, slot in candidates)
        ranked: list[Ranked] = []
        least = 0.0
        behind = _FAR_BEHIND * candidates[0][0] if candidates else 0.0
        for score, slot in candidates:
            if len(ranked) >= limit:
                if score < behind:
                    break  # so are all that come after it
                if score + _SECTION_SHARE * self._bound(slot, score) < least:
                    continue
            revision, packed = entries[slot]
            layout, places = Layout.unpack(packed), self._places_in(slot)
            section, section_score = self._best_section(layout, places)
            total = score if score < behind else score + _SECTION_SHARE * section_score
            if len(ranked) < limit or total >= least:
                one = Ranked(slot, total, revision, layout, section, places)
                insort(ranked, one, key=_rank)
                del ranked[limit:]
                least = ranked[-1].score
        return ranked

    def best_passage(self, one: Ranked) -> int | None:
        """The ordinal of the passage that matched best, within the best section.

        A heading is named only if nothing under it matched; None if only the title did.
        """
        if one.section is None:
            return None
        layout = one.layout
        begin, end = layout.sections[one.section], layout.section_end(one.section)
        prose = layout.heading_ends[one.section]
        scores: dict[tuple[bool, int], float] = {}
        for weight, places in zip(self._weights, one.places, strict=True):
            inside = {
                (place >= prose, -layout.passage_at(place))
                for place in places
                if begin <= place < end
            }
            for passage in inside:
                scores[passage] = scores.get(passage, 0.0) + weight
        return -max(scores, key=lambda passage: (passage[0], scores[passage], passage[1]))[1]

    def _weight(self, term: int) -> float:
        """Inverse document frequency; positive even if every article holds the term."""
        all_, held = self._statistics.articles, self._count(term)
        return log(1 + (all_ - held + 0.5) / (held + 0.5))

    def _count(self, term: int) -> int:
        if self._prunes:
            return min(self._postings.count(term), self._statistics.articles)
        return len(self._frequencies(term, None))

    def _frequencies(self, term: int, among: Collection[Slot] | None) -> Mapping[Slot, int]:
        """How often a term stands in each article, or in some alone."""
        if term not in self._found:
            self._places[term] = self._postings.places(term, among)
            self._found[term] = Counter(self._places[term].slots())
        return self._found[term]

    def _best_as_a_whole(self, count: int) -> list[tuple[float, Slot]]:
        """Scores and slots of the articles that score best as a whole, best first."""
        scores = self._scores(count)
        least = nlargest(count, scores.values())[-1] if len(scores) > count else 0.0
        kept = sorted((-score, slot) for slot, score in scores.items() if score >= least)
        return [(-loss, slot) for loss, slot in kept[:count]]

    def _scores(self, count: int) -> dict[Slot, float]:
        """Scores of articles as a whole; the best ``count`` are among them.

        Rare terms come first. Once ``count`` articles have more than the terms to come are
        likely to give together, no other article is looked for, and of those found only the
        ones that can still be among the best are looked up for the common terms (Turtle and
        Flood 1995, with a likely bound instead of a certain one: a term gives 0.4 of its
        weight where it stands once, 0.8 where it stands in the title).
        """
        terms = sorted(range(len(self._weights)), key=lambda term: -self._weights[term])
        to_come = sum(self._weights)
        scores: dict[Slot, float] = {}
        among: Collection[Slot] | None = None
        for term in terms:
            if self._prunes and len(scores) >= count:
                reach = _LIKELY_GAIN * to_come
                least = nlargest(count, scores.values())[-1]
                if least > reach:
                    scores = {slot: s for slot, s in scores.items() if s + reach >= least}
                    among = scores.keys()
            self._add(scores, self._weights[term], self._frequencies(term, among))
            to_come -= self._weights[term]
        return scores

    def _add(
        self, scores: dict[Slot, float], weight: float, frequencies: Mapping[Slot, int]
    ) -> None:
        damping, mask, score_of = self._damping, LENGTH_MASK, scores.get
        for slot, f in frequencies.items():
            scores[slot] = score_of(slot, 0.0) + weight * f / (f + damping[slot & mask])

    def _bound(self, slot: Slot, score: float) -> float:
        """What the best section can score at most, given the article's score as a whole.

        No term is more frequent in a section than in its article, nor damped by less than
        the least; so a term gains most where it stands once.
        """
        return score * (1 + self._damping[slot & LENGTH_MASK]) / (1 + _LEAST_DAMPING)

    def _places_in(self, slot: Slot) -> Sequence[Sequence[int]]:
        """For each term of the question its places in an article."""
        places, found = self._places, self._found
        return [
            places[term].within(slot, found[term][slot]) if slot in found[term] else ()
            for term in range(len(places))
        ]

    def _best_section(
        self, layout: Layout, places: Sequence[Sequence[int]]
    ) -> tuple[int | None, float]:
        """The best section and its score; None and the title's score if none holds a term."""
        sections, by_title = _section_frequencies(layout, places)
        if not sections:
            return None, self._saturated(by_title, _SATURATION)
        total, count = self._statistics.body_terms, self._statistics.sections
        scores = [
            (self._saturated(found, _damping(layout.section_terms(one), total, count)), -one)
            for one, found in sections.items()
        ]
        score, section = max(scores)
        return -section, score

    def _saturated(self, frequencies: Sequence[float], damping: float) -> float:
        pairs = zip(self._weights, frequencies, strict=True)
        return sum([weight * f / (f + damping) for weight, f in pairs])


def _rank(one: Ranked) -> tuple[float, int]:
    return -one.score, one.slot


def _section_frequencies(
    layout: Layout, places: Sequence[Sequence[int]]
) -> tuple[dict[int, list[float]], list[float]]:
    """The weighted frequency of every term in each section that holds any, and in the title."""
    body_end, title_start = layout.body_end, layout.title_start
    by_title = [
        _TITLE_IN_SECTION * (len(one) - bisect_left(one, title_start)) if one else 0.0
        for one in places
    ]
    sections: dict[int, list[float]] = {}
    heading_ends = layout.heading_ends
    for term, one in enumerate(places):
        begin, behind = 0, bisect_left(one, body_end) if one else 0
        while begin < behind:
            section = layout.section_at(one[begin])
            prose = bisect_left(one, heading_ends[section], begin, behind)
            end = bisect_left(one, layout.section_end(section), prose, behind)
            found = sections.get(section)
            if found is None:
                found = sections[section] = by_title.copy()
            found[term] += _HEADING_IN_SECTION * (prose - begin) + (end - prose)
            begin = end
    return sections, by_title


def _damping(length: float, total: int, count: int) -> float:
    """More in a text that is longer than the average, ``total / count``."""
    return _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length * count / max(total, 1))
