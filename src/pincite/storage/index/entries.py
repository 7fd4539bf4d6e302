"""What the index keeps of one article, made before the writer's transaction begins.

An article is one run of terms: the whole content in order, headings included; then its headings
three times more, and its title six times. Weights by repetition: the number of times that a term
stands in an article is its weighted frequency, and a place tells by itself what part it is of.
"""

import hashlib
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pincite.domain.passages import Passage
from pincite.storage.index.analyser import terms

ANALYSIS: Final = 1
"""Raised with every change of the analysis; entries of another number are made anew."""


HEADING_REPEATS: Final = 3
TITLE_REPEATS: Final = 6

MOST_TERMS: Final = 1 << 21
"""Terms of a content that are indexed; with repetitions an article stays within 24 bits."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One article's terms, ready to be written; cheap to pickle.

    Attributes:
        text: The terms with their repetitions, separated by spaces.
        layout: Where passages, sections and title begin among them, see `Layout`.
        terms: Number of terms of title and content.
        body_terms: Number of terms of the content.
        sections: Number of sections, at least 1 when the content has terms.
        digest: Tells whether an entry was made from a given text, see `digest`.
    """

    text: str
    layout: bytes
    terms: int
    body_terms: int
    sections: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of an article begin among its terms.

    Attributes:
        body_end: Number of terms of the content, which come first.
        title_start: Place of the title's first term; headings stand between.
        passages: Place of each passage's first term, ascending.
        sections: Place of each section's first term, ascending. A section is a heading with
            what follows it up to the next; text before the first heading is one too.
        heading_ends: For each section the place behind its heading's last term.
    """

    body_end: int
    title_start: int
    passages: "array[int]"
    sections: "array[int]"
    heading_ends: "array[int]"

    def pack(self) -> bytes:
        """The layout as bytes of this machine: an index never moves between machines."""
        fixed = (self.body_end, self.title_start, len(self.passages), len(self.sections))
        return (array("I", fixed) + self.passages + self.sections + self.heading_ends).tobytes()

    @classmethod
    def unpack(cls, packed: bytes) -> "Layout":
        """Reads what `pack` wrote."""
        numbers = array("I", packed)
        sections = 4 + numbers[2]
        heading_ends = sections + numbers[3]
        return cls(
            numbers[0],
            numbers[1],
            numbers[4:sections],
            numbers[sections:heading_ends],
            numbers[heading_ends:],
        )

    def passage_at(self, place: int) -> int:
        """The ordinal of the passage that the content's term at ``place`` belongs to."""
        return bisect_right(self.passages, place) - 1

    def section_at(self, place: int) -> int:
        """The ordinal of the section that the content's term at ``place`` belongs to."""
        return bisect_right(self.sections, place) - 1

    def section_end(self, section: int) -> int:
        """The place behind the section's last term."""
        following = section + 1
        return self.sections[following] if following < len(self.sections) else self.body_end

    def section_terms(self, section: int) -> int:
        """Number of terms in the section."""
        return self.section_end(section) - self.sections[section]


def digest(title: str, content: str, language: str) -> bytes:
    """16 bytes that differ when the text, its language or the analysis does."""
    hasher = hashlib.blake2b(f"{ANALYSIS}\0{language}\0{title}\0".encode(), digest_size=16)
    hasher.update(content.encode())
    return hasher.digest()


def prepare(title: str, content: str, passages: Sequence[Passage], language: str) -> IndexEntry:
    """Analyses a published text: pure, and the expensive part of indexing it.

    Args:
        title: The article's title.
        content: Its Markdown.
        passages: The passages of ``content`` in order. Text between two of them counts for
            the first, so that nothing is left out.
        language: BCP 47 tag of the knowledge base.
    """
    title_terms = terms(title, language)
    headings: list[str] = []
    body: list[str] = []
    starts, sections, heading_ends = array("I"), array("I"), array("I")
    edges = [0, *(passage.start for passage in passages[1:]), len(content)]
    for ordinal, passage in enumerate(passages):
        found = terms(content[edges[ordinal] : edges[ordinal + 1]], language)
        found = found[: MOST_TERMS - len(body)]
        is_heading = passage.kind == "heading"
        if is_heading or not ordinal:
            sections.append(len(body))
            heading_ends.append(len(body) + (len(found) if is_heading else 0))
        if is_heading:
            headings += found
        starts.append(len(body))
        body += found
    title_start = len(body) + HEADING_REPEATS * len(headings)
    return IndexEntry(
        text=" ".join([*body, *headings * HEADING_REPEATS, *title_terms * TITLE_REPEATS]),
        layout=Layout(len(body), title_start, starts, sections, heading_ends).pack(),
        terms=len(title_terms) + len(body),
        body_terms=len(body),
        sections=len(sections),
        digest=digest(title, content, language),
    )
