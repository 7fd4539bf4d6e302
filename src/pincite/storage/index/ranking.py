"""BM25 over articles and their sections, with the knowledge base's own statistics.

Okapi BM25 with weighted fields (Robertson, Zaragoza, Taylor 2004: frequencies are weighted and
added before they saturate). An article's score is that of the whole plus half of its best
section's, a section being read with the article's title: a long article is found by the one
section that answers. The numbers were chosen on the judged sets of ADR 10.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, NamedTuple

from pincite.storage.index.entries import Layout

TITLE_WEIGHT: Final = 6.0
HEADING_WEIGHT: Final = 3.0
_SATURATION: Final = 1.5
_LENGTH_SHARE: Final = 0.5
_SECTION_TITLE_WEIGHT: Final = 3.0
_SECTION_SHARE: Final = 0.5

Offsets = Sequence[Sequence[int]]
"""Where one query term stands: its offsets in title, headings and body."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals over one knowledge base's entries."""

    articles: int
    terms: int
    body_terms: int
    sections: int

    def weight(self, articles: int) -> float:
        """Inverse document frequency of a term that so many articles hold; always positive."""
        articles = min(articles, self.articles)
        return log(1 + (self.articles - articles + 0.5) / (articles + 0.5))


class Candidate(NamedTuple):
    """An article that holds at least one of the terms."""

    article_number: int
    terms: int
    layout: bytes
    places: Sequence[Offsets]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and its best section."""

    candidate: Candidate
    score: float
    section: int | None


def rank(
    candidates: Iterable[Candidate], weights: Sequence[float], statistics: Statistics
) -> list[Ranked]:
    """Best first; equal scores in the order in which the articles were created.

    Args:
        candidates: The articles to score.
        weights: For each query term its inverse document frequency.
        statistics: Of the knowledge base that the candidates belong to.
    """
    ranked = [_score(candidate, weights, statistics) for candidate in candidates]
    ranked.sort(key=lambda one: (-one.score, one.candidate.article_number))
    return ranked


def best_passage(ranked: Ranked, weights: Sequence[float]) -> int | None:
    """The ordinal of the passage that matched best, within the best section.

    A heading is named only if nothing under it matched; None if only the title did.
    """
    if ranked.section is None:
        return None
    layout = Layout.unpack(ranked.candidate.layout)
    begin, end = layout.sections[ranked.section], layout.section_end(ranked.section)
    prose = layout.heading_ends[ranked.section]
    scores: dict[tuple[bool, int], float] = {}
    for weight, (_, _, body) in zip(weights, ranked.candidate.places, strict=True):
        inside = [at for at in body if begin <= at < end]
        for place in {(at >= prose, layout.passage_at(at)) for at in inside}:
            scores[place] = scores.get(place, 0.0) + weight
    return max(scores, key=lambda place: (place[0], scores[place], -place[1]))[1]


def _score(candidate: Candidate, weights: Sequence[float], statistics: Statistics) -> Ranked:
    damping = _damping(candidate.terms, statistics.terms, statistics.articles)
    frequencies = [
        TITLE_WEIGHT * len(title) + HEADING_WEIGHT * len(headings) + len(body)
        for title, headings, body in candidate.places
    ]
    score = _saturated(weights, frequencies, damping)
    section, section_score = _best_section(candidate, weights, statistics)
    return Ranked(candidate, score + _SECTION_SHARE * section_score, section)


def _best_section(
    candidate: Candidate, weights: Sequence[float], statistics: Statistics
) -> tuple[int | None, float]:
    """The best section and its score; None and the title's score if no section holds a term."""
    layout = Layout.unpack(candidate.layout)
    found = _frequencies(candidate.places, layout)
    if not found:
        by_title = [_SECTION_TITLE_WEIGHT * len(title) for title, _, _ in candidate.places]
        return None, _saturated(weights, by_title, _SATURATION)
    return max(
        (
            (
                section,
                _saturated(
                    weights,
                    frequencies,
                    _damping(
                        layout.section_terms(section), statistics.body_terms, statistics.sections
                    ),
                ),
            )
            for section, frequencies in found.items()
        ),
        key=lambda one: (one[1], -one[0]),
    )


def _saturated(weights: Sequence[float], frequencies: Sequence[float], damping: float) -> float:
    return sum(w * f / (f + damping) for w, f in zip(weights, frequencies, strict=True))


def _frequencies(places: Sequence[Offsets], layout: Layout) -> dict[int, list[float]]:
    """For each section that holds a term: the weighted frequency of every term in it."""
    sections, heading_ends = layout.sections, layout.heading_ends
    by_title = [_SECTION_TITLE_WEIGHT * len(title) for title, _, _ in places]
    found: dict[int, list[float]] = {}
    for term, (_, _, body) in enumerate(places):
        for at in body:
            section = bisect_right(sections, at) - 1
            if section not in found:
                found[section] = by_title.copy()
            found[section][term] += 1.0 + HEADING_WEIGHT if at < heading_ends[section] else 1.0
    return found


def _damping(length: int, total: int, count: int) -> float:
    """What a frequency is held against: more in a text that is longer than the average."""
    return _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length * count / max(total, 1))
