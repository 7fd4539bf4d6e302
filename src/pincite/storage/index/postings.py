"""Where terms stand: numbers that carry an article, its length and a place in it.

::

    row    knowledge base | article 31 bits | length 8 bits     a row of the full-text table
    slot                    article         | length            the same within a knowledge base
    posting                 article         | length | place 24 one place of one term

Rows stand in the order in which articles were created, and a posting tells the length of its
article, so that nothing needs to be looked up to score it.
"""

import json
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log
from typing import Any, Final, TypeAlias

import apsw

from pincite.storage.index.analyser import QueryTerm

_ARTICLE_BITS: Final = 31
_LENGTH_BITS: Final = 8
KB_SHIFT: Final = _ARTICLE_BITS + _LENGTH_BITS
_PLACE_BITS: Final = 24
_PLACE_MASK: Final = (1 << _PLACE_BITS) - 1
LENGTH_MASK: Final = (1 << _LENGTH_BITS) - 1
_LENGTH_STEP: Final = 1.0625

Slot: TypeAlias = int

# One value for a whole list: fetching thousands of rows costs more than finding them.
_ALL: Final = f"""
SELECT json_group_array((doc - ?) << {_PLACE_BITS} | offset)
FROM search_posting WHERE term BETWEEN ? AND ?
"""
_AMONG: Final = f"{_ALL} AND doc IN (SELECT value FROM json_each(?))"
_ENTRIES: Final = """
SELECT id, revision, layout FROM search_entry WHERE id IN (SELECT value FROM json_each(?))
"""


def rows(kb_number: int, article_number: int = 0, count: int = 1 << _ARTICLE_BITS) -> range:
    """The rows that so many articles may have, whatever their lengths; or all of them."""
    first = kb_number << KB_SHIFT | article_number << _LENGTH_BITS
    return range(first, first + (count << _LENGTH_BITS))


def length_code(terms: int) -> int:
    """A number of terms in 8 bits, exact to 6%."""
    return min(int(log(terms + 1) / log(_LENGTH_STEP)), LENGTH_MASK)


def decoded_length(code: int) -> float:
    """About how many terms a length code stands for."""
    return float(_LENGTH_STEP ** (code + 0.5) - 1)


def article_number(slot: Slot) -> int:
    """The article that a slot belongs to."""
    return slot >> _LENGTH_BITS


class Places:
    """The postings of one term."""

    def __init__(self, postings: list[int]) -> None:
        self._postings = sorted(postings)

    def slots(self) -> list[Slot]:
        """The articles that hold the term, each as often as the term stands in it."""
        bits = _PLACE_BITS
        return [posting >> bits for posting in self._postings]

    def within(self, slot: Slot, count: int) -> Sequence[int]:
        """The places of the term in an article that holds it ``count`` times, ascending."""
        first = bisect_left(self._postings, slot << _PLACE_BITS)
        mask = _PLACE_MASK
        return [posting & mask for posting in self._postings[first : first + count]]


class Postings:
    """What the full-text table knows of a question's terms in one knowledge base."""

    def __init__(
        self, connection: apsw.Connection, kb_number: int, wanted: Sequence[QueryTerm]
    ) -> None:
        self._connection = connection
        self._base = rows(kb_number).start
        self._bounds = [_bounds(kb_number, term) for term in wanted]

    def __len__(self) -> int:
        """How many terms the question has."""
        return len(self._bounds)

    def count(self, term: int) -> int:
        """How many articles hold a term, by its ordinal; more than that for a prefix."""
        counted = self._connection.execute(
            "SELECT sum(doc) FROM search_term WHERE term BETWEEN ? AND ?", self._bounds[term]
        ).get
        return counted or 0

    def places(self, term: int, among: Collection[Slot] | None = None) -> Places:
        """Every place of a term, or those in some articles alone."""
        values = (self._base, *self._bounds[term])
        if among is None:
            found = self._connection.execute(_ALL, values).get
        else:
            rows_among = json.dumps([self._base + slot for slot in among])
            found = self._connection.execute(_AMONG, (*values, rows_among)).get
        return Places(json.loads(found))

    def entries(self, slots: Iterable[Slot]) -> Mapping[Slot, tuple[int, bytes]]:
        """The revision of each article that was indexed, and its packed layout."""
        wanted = json.dumps([self._base + slot for slot in slots])
        found: Iterable[Any] = self._connection.execute(_ENTRIES, (wanted,))
        return {row - self._base: (revision, layout) for row, revision, layout in found}


def _bounds(kb_number: int, wanted: QueryTerm) -> tuple[str, str]:
    """The first and the last term of the table that a question's term stands for."""
    first = f"{kb_number}q{wanted.term}"
    return first, first + "\U0010ffff" if wanted.prefix else first
