"""What the index keeps of one article, made before the writer's transaction begins.

The body column holds the terms of the whole content in order, headings included, so that one
ascending list of term offsets tells which passage and which section a match stands in. The
headings column repeats the headings' terms to give them their own weight.
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


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One article's terms, ready to be written; cheap to pickle.

    Attributes:
        title: Terms of the title, separated by spaces; so are `headings` and `body`.
        layout: Where passages and sections begin in the body, see `Layout`.
        terms: Number of terms in the three columns.
        body_terms: Number of terms in the body.
        sections: Number of sections, at least 1 when the body has terms.
        digest: Tells whether an entry was made from a given text, see `digest`.
    """

    title: str
    headings: str
    body: str
    layout: bytes
    terms: int
    body_terms: int
    sections: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of an article begin among the terms of its body.

    Attributes:
        passages: Offset of each passage's first term, ascending.
        sections: Offset of each section's first term, ascending. A section is a heading with
            what follows it up to the next; text before the first heading is one too.
        heading_ends: For each section the offset behind its heading's last term.
        terms: Number of terms in the body.
    """

    passages: "array[int]"
    sections: "array[int]"
    heading_ends: "array[int]"
    terms: int

    def pack(self) -> bytes:
        """The layout as bytes of this machine: the index is never moved between machines."""
        counts = array("I", (len(self.passages), len(self.sections), self.terms))
        return (counts + self.passages + self.sections + self.heading_ends).tobytes()

    @classmethod
    def unpack(cls, packed: bytes) -> "Layout":
        """Reads what `pack` wrote."""
        numbers = array("I")
        numbers.frombytes(packed)
        passages = 3 + numbers[0]
        sections = passages + numbers[1]
        return cls(numbers[3:passages], numbers[passages:sections], numbers[sections:], numbers[2])

    def section_end(self, section: int) -> int:
        """The offset behind the section's last term."""
        following = section + 1
        return self.sections[following] if following < len(self.sections) else self.terms

    def section_terms(self, section: int) -> int:
        """Number of terms in the section."""
        return self.section_end(section) - self.sections[section]

    def passage_at(self, offset: int) -> int:
        """The ordinal of the passage that the body's term at ``offset`` belongs to."""
        return bisect_right(self.passages, offset) - 1


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
        is_heading = passage.kind == "heading"
        if is_heading or not ordinal:
            sections.append(len(body))
            heading_ends.append(len(body) + (len(found) if is_heading else 0))
        if is_heading:
            headings += found
        starts.append(len(body))
        body += found
    return IndexEntry(
        title=" ".join(title_terms),
        headings=" ".join(headings),
        body=" ".join(body),
        layout=Layout(starts, sections, heading_ends, len(body)).pack(),
        terms=len(title_terms) + len(headings) + len(body),
        body_terms=len(body),
        sections=len(sections),
        digest=digest(title, content, language),
    )
