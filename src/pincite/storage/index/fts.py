"""The one search index: SQLite's FTS5 over terms of our own making.

One contentless table serves every knowledge base. Each term carries its knowledge base's number
(``7q`` + term), so that a term's postings belong to one knowledge base: nothing is filtered
afterwards, and neither the size nor the words of another one count or cost anything. FTS5 keeps
the postings, in the caller's transaction; they are read through its vocabulary, and `ranking`
scores all of them with the knowledge base's own statistics. FTS5's own ``bm25`` is not used: it
counts rows and lengths over all knowledge bases, and is no faster.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import apsw

from pincite.storage.index.analyser import query_terms
from pincite.storage.index.entries import IndexEntry
from pincite.storage.index.postings import KB_SHIFT, Postings, article_number, length_code, rows
from pincite.storage.index.ranking import Ranking, Statistics

MAX_QUERY_TERMS: Final = 64
"""Distinct terms of a question that are looked for; those beyond are left out."""

_SCHEMA: Final = """
CREATE VIRTUAL TABLE search_text USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 8);
CREATE VIRTUAL TABLE search_term USING fts5vocab (search_text, 'row');
CREATE VIRTUAL TABLE search_posting USING fts5vocab (search_text, 'instance');
CREATE TABLE search_entry (
    id INTEGER PRIMARY KEY,  -- the row in search_text, see postings
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


_MISCOUNTED: Final = f"""
WITH counted AS (
    SELECT id >> {KB_SHIFT} AS kb, count(*), sum(terms), sum(body_terms), sum(sections)
    FROM search_entry GROUP BY 1
), kept AS (SELECT * FROM search_statistics WHERE articles > 0)
SELECT kb FROM (
    SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)
    UNION SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted)
) GROUP BY kb
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
        revision: The one that was indexed, and that `passage` is of.
        score: Higher is better; comparable within one knowledge base.
        passage: Ordinal of the passage that matched best; None if only the title did.
        terms: The question's terms that the article holds, as analysed.
    """

    article_number: int
    revision: int
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

    It opens no transaction of its own: changes belong to the caller's, and a search reads
    several times, so that it needs the caller's snapshot.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def create(self) -> None:
        """Makes the index's tables."""
        for _ in self._connection.execute(_SCHEMA):
            pass

    def apply(self, changes: Sequence[Change]) -> None:
        """Makes a batch of changes; of several for one article the last one holds."""
        last = {(change.kb_number, change.article_number): change for change in changes}
        gains: dict[int, list[int]] = {}
        for key in sorted(last):
            change, possible = last[key], rows(*key, 1)
            parts = self._remove(possible)
            if isinstance(change, Put):
                parts.append(self._put(possible.start, change))
            sums = gains.setdefault(change.kb_number, [0, 0, 0, 0])
            sums[:] = map(sum, zip(sums, *parts, strict=True))
        self._connection.executemany(
            "INSERT INTO search_statistics VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "articles = articles + excluded.articles, terms = terms + excluded.terms, "
            "body_terms = body_terms + excluded.body_terms, "
            "sections = sections + excluded.sections",
            ((kb_number, *sums) for kb_number, sums in gains.items()),
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
        ranking = Ranking(Postings(self._connection, kb_number, wanted), statistics)
        return [
            Hit(
                article_number(one.slot),
                one.revision,
                one.score,
                ranking.best_passage(one),
                tuple(term.term for term, at in zip(wanted, one.places, strict=True) if at),
            )
            for one in ranking.best(limit)
        ]

    def forget(self, kb_number: int) -> None:
        """Removes every entry of a knowledge base."""
        self._remove(rows(kb_number))
        self._connection.execute("DELETE FROM search_statistics WHERE kb = ?", (kb_number,))

    def expunge(self) -> None:
        """Rewrites the index so that no term of a removed entry remains in its pages.

        The pages let go are only wiped under ``PRAGMA secure_delete``.
        """
        self._connection.execute("INSERT INTO search_text (search_text) VALUES ('optimize')")

    def entries(self, kb_number: int) -> Iterator[Indexed]:
        """What is indexed of a knowledge base, by article number."""
        possible = rows(kb_number)
        for row, revision, digest in self._connection.execute(
            "SELECT id, revision, digest FROM search_entry WHERE id BETWEEN ? AND ? ORDER BY id",
            (possible[0], possible[-1]),
        ):
            yield Indexed(article_number(row - possible.start), revision, digest)

    def disagreements(self) -> Iterator[str]:
        """Where the index's own tables do not agree, as sentences; nothing if they do."""
        for (row,) in self._connection.execute(
            "SELECT rowid FROM search_text EXCEPT SELECT id FROM search_entry"
        ):
            yield f"The index finds {_named(row)} by words that no entry accounts for."
        for (row,) in self._connection.execute(
            "SELECT id FROM search_entry EXCEPT SELECT rowid FROM search_text"
        ):
            yield f"The index does not find {_named(row)} by any word, though it has an entry."
        for (kb_number,) in self._connection.execute(_MISCOUNTED):
            yield f"The index counts knowledge base {kb_number} wrongly."

    def _remove(self, possible: range) -> list[Sequence[int]]:
        """Removes the entries there are; what each takes from the statistics, negative."""
        removed: list[Any] = self._connection.execute(
            "DELETE FROM search_entry WHERE id BETWEEN ? AND ? "
            "RETURNING id, -1, -terms, -body_terms, -sections",
            (possible[0], possible[-1]),
        ).fetchall()
        self._connection.executemany(
            "DELETE FROM search_text WHERE rowid = ?", ((row,) for row, *_ in removed)
        )
        return [losses for _, *losses in removed]

    def _put(self, first_row: int, put: Put) -> Sequence[int]:
        """Writes an entry; what it adds to the statistics."""
        entry, prefix = put.entry, f"{put.kb_number}q"
        row = first_row | length_code(entry.terms)
        text = prefix + entry.text.replace(" ", " " + prefix) if entry.text else ""
        self._connection.execute("INSERT INTO search_text (rowid, text) VALUES (?, ?)", (row, text))
        totals = (entry.terms, entry.body_terms, entry.sections)
        self._connection.execute(
            "INSERT INTO search_entry VALUES (?, ?, ?, ?, ?, ?, ?)",
            (row, put.revision, entry.digest, *totals, entry.layout),
        )
        return 1, *totals

    def _statistics(self, kb_number: int) -> Statistics | None:
        row = self._connection.execute(
            "SELECT articles, terms, body_terms, sections FROM search_statistics WHERE kb = ?",
            (kb_number,),
        ).fetchone()
        return Statistics(*row) if row and row[0] else None


def _named(row: int) -> str:
    kb_number = row >> KB_SHIFT
    number = article_number(row - rows(kb_number).start)
    return f"article {number} of knowledge base {kb_number}"
