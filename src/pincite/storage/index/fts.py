"""The one search index: SQLite's FTS5 over terms of our own making.

One contentless table serves every knowledge base. Each term carries its knowledge base's number
(``7q`` + term), so that a term's postings belong to one knowledge base: nothing is filtered
afterwards, and neither the size nor the words of another one cost or count here. What the
engine does share between knowledge bases, the number of rows and their average length, decides
only which candidates are looked at; `ranking` orders them with the knowledge base's own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

import apsw

from pincite.storage.index.analyser import QueryTerm, query_terms
from pincite.storage.index.entries import IndexEntry
from pincite.storage.index.ranking import (
    HEADING_WEIGHT,
    TITLE_WEIGHT,
    Candidate,
    Offsets,
    Statistics,
    best_passage,
    rank,
)

MAX_QUERY_TERMS: Final = 64
"""Distinct terms of a question that are looked for; those beyond are left out."""

CANDIDATES: Final = 100
"""Articles that the engine's own order hands to `ranking`."""

_ARTICLE_BITS: Final = 32

_SCHEMA: Final = f"""
CREATE VIRTUAL TABLE search_text USING fts5 (
    title, headings, body,
    content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_text (search_text, rank)
VALUES ('rank', 'bm25({TITLE_WEIGHT}, {HEADING_WEIGHT}, 1.0)'), ('automerge', 8);
CREATE VIRTUAL TABLE search_term USING fts5vocab (search_text, 'row');
CREATE TABLE search_entry (
    id INTEGER PRIMARY KEY,  -- knowledge base's number << 32 | article's number
    revision INTEGER NOT NULL,
    digest BLOB NOT NULL,
    terms INTEGER NOT NULL,
    body_terms INTEGER NOT NULL,
    sections INTEGER NOT NULL,
    layout BLOB NOT NULL
) STRICT;
CREATE TABLE search_statistics (
    kb INTEGER PRIMARY KEY,
    articles INTEGER NOT NULL,
    terms INTEGER NOT NULL,
    body_terms INTEGER NOT NULL,
    sections INTEGER NOT NULL
) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Put:
    """An article is to be found by this entry, whatever it was found by before."""

    kb_number: int
    article_number: int
    revision: int
    entry: IndexEntry


@dataclass(frozen=True, slots=True)
class Remove:
    """An article is not to be found any more; nothing happens if it was not."""

    kb_number: int
    article_number: int


Change: TypeAlias = Put | Remove


@dataclass(frozen=True, slots=True)
class Hit:
    """One article that answers a question.

    Attributes:
        score: Higher is better; comparable within one knowledge base.
        passage: Ordinal of the passage that matched best; None if only the title did.
        terms: The question's terms that the article holds, as analysed.
    """

    article_number: int
    score: float
    passage: int | None
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Indexed:
    """What one entry was made from; see `entries.digest`."""

    article_number: int
    revision: int
    digest: bytes


class SearchIndex:
    """The index inside one SQLite database, seen through one connection.

    It opens no transaction of its own: changes belong to the caller's, searches to the
    caller's snapshot. One connection has one index, which is used by one thread at a time.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._places: Sequence[Offsets] = ()
        connection.register_fts5_function("places", self._note_places)

    def create(self) -> None:
        """Makes the index's tables in an open transaction."""
        for _ in self._connection.execute(_SCHEMA):
            pass

    def apply(self, changes: Sequence[Change]) -> None:
        """Makes a batch of changes; of several for one article the last one holds."""
        last = {_row(c.kb_number, c.article_number): c for c in changes}
        totals: dict[int, list[int]] = {}
        for row in sorted(last):
            change = last[row]
            total = totals.setdefault(change.kb_number, [0, 0, 0, 0])
            gains = self._remove(row)
            if isinstance(change, Put):
                gains = [a + b for a, b in zip(gains, self._put(row, change), strict=True)]
            totals[change.kb_number] = [a + b for a, b in zip(total, gains, strict=True)]
        self._connection.executemany(
            "INSERT INTO search_statistics VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "articles = articles + excluded.articles, terms = terms + excluded.terms, "
            "body_terms = body_terms + excluded.body_terms, "
            "sections = sections + excluded.sections",
            ((kb_number, *total) for kb_number, total in totals.items()),
        )

    def search(self, kb_number: int, query: str, language: str, limit: int) -> list[Hit]:
        """The articles that hold any of the question's words, best first.

        Args:
            kb_number: The knowledge base.
            query: Any text; none of it is taken for the engine's syntax.
            language: BCP 47 tag that the entries were prepared with.
            limit: Most hits to return.
        """
        wanted = query_terms(query, language)[:MAX_QUERY_TERMS]
        statistics = self._statistics(kb_number)
        if not wanted or statistics is None:
            return []
        wanted, weights = self._weigh(kb_number, wanted, statistics)
        if not wanted:
            return []
        ranked = rank(
            self._candidates(kb_number, wanted, max(limit, CANDIDATES)), weights, statistics
        )
        return [
            Hit(
                one.candidate.article_number,
                one.score,
                best_passage(one, weights),
                tuple(
                    term.term
                    for term, places in zip(wanted, one.candidate.places, strict=True)
                    if any(places)
                ),
            )
            for one in islice(ranked, limit)
        ]

    def forget(self, kb_number: int) -> None:
        """Removes every entry of a knowledge base."""
        span = (_row(kb_number, 0), _row(kb_number + 1, 0))
        rows = self._connection.execute(
            "SELECT id FROM search_entry WHERE id >= ? AND id < ?", span
        ).fetchall()
        self._connection.executemany("DELETE FROM search_text WHERE rowid = ?", rows)
        self._connection.execute("DELETE FROM search_entry WHERE id >= ? AND id < ?", span)
        self._connection.execute("DELETE FROM search_statistics WHERE kb = ?", (kb_number,))

    def expunge(self) -> None:
        """Rewrites the index so that no term of a removed entry remains in its pages.

        The pages let go are only wiped under ``PRAGMA secure_delete``.
        """
        self._connection.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")

    def entries(self, kb_number: int) -> Iterator[Indexed]:
        """What is indexed of a knowledge base, by article number."""
        for row, revision, digest in self._connection.execute(
            "SELECT id, revision, digest FROM search_entry WHERE id >= ? AND id < ? ORDER BY id",
            (_row(kb_number, 0), _row(kb_number + 1, 0)),
        ):
            yield Indexed(row & ((1 << _ARTICLE_BITS) - 1), revision, digest)

    def _remove(self, row: int) -> list[int]:
        """Removes an entry if there is one; what the statistics gain, all negative."""
        old = self._connection.execute(
            "DELETE FROM search_entry WHERE id = ? RETURNING -1, -terms, -body_terms, -sections",
            (row,),
        ).fetchone()
        if old is None:
            return [0, 0, 0, 0]
        self._connection.execute("DELETE FROM search_text WHERE rowid = ?", (row,))
        return list(old)

    def _put(self, row: int, put: Put) -> tuple[int, int, int, int]:
        entry, prefix = put.entry, f"{put.kb_number}q"
        texts = (_prefixed(text, prefix) for text in (entry.title, entry.headings, entry.body))
        self._connection.execute(
            "INSERT INTO search_text (rowid, title, headings, body) VALUES (?, ?, ?, ?)",
            (row, *texts),
        )
        self._connection.execute(
            "INSERT INTO search_entry VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                row,
                put.revision,
                entry.digest,
                entry.terms,
                entry.body_terms,
                entry.sections,
                entry.layout,
            ),
        )
        return 1, entry.terms, entry.body_terms, entry.sections

    def _statistics(self, kb_number: int) -> Statistics | None:
        row = self._connection.execute(
            "SELECT articles, terms, body_terms, sections FROM search_statistics WHERE kb = ?",
            (kb_number,),
        ).fetchone()
        return Statistics(*row) if row and row[0] else None

    def _weigh(
        self, kb_number: int, wanted: Iterable[QueryTerm], statistics: Statistics
    ) -> tuple[list[QueryTerm], list[float]]:
        """The terms that the knowledge base holds at all, and what each is worth."""
        held, weights = [], []
        for term in wanted:
            first = f"{kb_number}q{term.term}"
            last = first + "\U0010ffff" if term.prefix else first
            articles = self._connection.execute(
                "SELECT sum(doc) FROM search_term WHERE term BETWEEN ? AND ?", (first, last)
            ).get
            if articles:
                held.append(term)
                weights.append(statistics.weight(articles))
        return held, weights

    def _candidates(
        self, kb_number: int, wanted: Iterable[QueryTerm], limit: int
    ) -> Iterator[Candidate]:
        match = " OR ".join(
            f'"{kb_number}q{term.term}"{"*" if term.prefix else ""}' for term in wanted
        )
        for row, terms, layout, _ in self._connection.execute(
            "SELECT id, terms, layout, places(search_text) "
            "FROM search_text JOIN search_entry ON id = search_text.rowid "
            "WHERE search_text MATCH ? ORDER BY rank LIMIT ?",
            (match, limit),
        ):
            yield Candidate(row & ((1 << _ARTICLE_BITS) - 1), terms, layout, self._places)

    def _note_places(self, row: apsw.FTS5ExtensionApi, *_: object) -> None:
        """Keeps where the terms stand in the row at hand: SQL could only return a string."""
        self._places = [row.phrase_locations(phrase) for phrase in range(row.phrase_count)]


def _row(kb_number: int, article_number: int) -> int:
    return kb_number << _ARTICLE_BITS | article_number


def _prefixed(terms: str, prefix: str) -> str:
    return prefix + terms.replace(" ", " " + prefix) if terms else ""
