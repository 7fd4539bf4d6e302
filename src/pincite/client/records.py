"""The ledger's file: answers, what they cite, how that fares, and a cursor for each log.

One SQLite database, through Python's own ``sqlite3``: an agent needs nothing else for it.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from typing import Any

from pincite.domain.citations import Citation, Verdict
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Anchor, Quote
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError

_APPLICATION_ID = 0x504C4447  # PLDG in the file's header
_SCHEMA = """
CREATE TABLE IF NOT EXISTS cursor (
    kb TEXT PRIMARY KEY,
    sequence INTEGER  -- NULL until the log's end is known
);
CREATE TABLE IF NOT EXISTS answer (
    id INTEGER PRIMARY KEY,
    question TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS cited (
    id INTEGER PRIMARY KEY,
    kb TEXT NOT NULL,
    article TEXT NOT NULL,
    stamp TEXT NOT NULL,
    quotes TEXT NOT NULL,
    anchors TEXT,       -- NULL if a quote does not stand in the version cited
    verdict TEXT,       -- NULL until it is judged
    size INTEGER,       -- of the version cited; NULL if it was read in part
    UNIQUE (kb, article, stamp, quotes)
);
CREATE TABLE IF NOT EXISTS rests_on (
    answer INTEGER NOT NULL REFERENCES answer (id),
    cited INTEGER NOT NULL REFERENCES cited (id),
    PRIMARY KEY (answer, cited)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rests_on_cited ON rests_on (cited);
CREATE INDEX IF NOT EXISTS cited_by_verdict ON cited (verdict) WHERE verdict IS NOT 'current';
"""
# The values in the order of the fields, as ``dataclasses.astuple`` gives them thirty times slower.
_QUOTE = attrgetter(*(field.name for field in fields(Quote)))
_ANCHOR = attrgetter(*(field.name for field in fields(Anchor)))
_CITED = "SELECT id, kb, article, stamp, quotes, anchors, size, verdict FROM cited"
_ALL_CITED = f"{_CITED} WHERE kb = ?"
_CITED_OF_ARTICLE = f"{_ALL_CITED} AND article = ?"
_UNJUDGED = f"{_ALL_CITED} AND verdict IS NULL"
_CITED_BY_ANSWER = f"{_CITED} JOIN rests_on ON cited = id WHERE answer = ?"


@dataclass(frozen=True, slots=True)
class Pinned:
    """A citation with what was seen of the version cited.

    Attributes:
        anchors: Where its quotes stood; None if one of them did not.
        size: Bytes of that version's content in UTF-8; None if it was read in part, so that
            nobody can say here what else stood in it.
        late: Whether the log was followed beyond that read, so that the next check judges it.
    """

    citation: Citation
    anchors: Sequence[Anchor] | None
    size: int | None
    late: bool = False

    @property
    def verdict(self) -> Verdict | None:
        """What is known of it before any check."""
        if self.late:
            return None
        return Verdict.UNFOUNDED if self.anchors is None else Verdict.CURRENT


@dataclass(frozen=True, slots=True)
class Kept:
    """A citation in the ledger; the same one of several answers is kept once.

    Attributes:
        anchors: As in ``Pinned``.
        size: As in ``Pinned``.
        verdict: How it fared at the last check; None before the first.
    """

    number: int
    citation: Citation
    anchors: tuple[Anchor, ...] | None
    size: int | None
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer in the ledger."""

    number: int
    question: str
    text: str
    citations: tuple[Kept, ...]


class Records:
    """One ledger file; used by one thread at a time.

    Raises:
        InvalidInputError: There is another kind of file.
    """

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file)
        if not self._is_ledger():
            self._connection.close()
            raise InvalidInputError(
                f"{file} is no ledger of an agent's answers.", field="file", limit="a ledger"
            )
        self._connection.executescript(f"PRAGMA application_id = {_APPLICATION_ID};{_SCHEMA}")
        columns = self._connection.execute("SELECT name FROM pragma_table_info('cited')")
        if ("size",) not in columns.fetchall():  # a file of before it was kept
            self._connection.execute("ALTER TABLE cited ADD COLUMN size INTEGER")

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    def add(self, question: str, text: str, cited: Iterable[Pinned]) -> int:
        """Keeps an answer; returns its number."""
        with self._connection:
            number = self._insert(
                "INSERT INTO answer (question, text) VALUES (?, ?)", question, text
            )
            for one in cited:
                self._connection.execute(
                    "INSERT OR IGNORE INTO rests_on VALUES (?, ?)", (number, self._cited(one))
                )
        return number

    def cursors(self) -> Sequence[tuple[KnowledgeBaseId, int | None]]:
        """Every knowledge base that is cited, with its cursor."""
        rows = self._connection.execute("SELECT kb, sequence FROM cursor ORDER BY kb").fetchall()
        return [(KnowledgeBaseId(kb), sequence) for kb, sequence in rows]

    def begin(self, knowledge_base_id: KnowledgeBaseId, sequence: int | None) -> None:
        """Sets a cursor where there is none."""
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO cursor VALUES (?, ?)", (knowledge_base_id, sequence)
            )

    def list_cited(
        self, knowledge_base_id: KnowledgeBaseId, article_ids: Iterable[ArticleId] | None = None
    ) -> Sequence[Kept]:
        """What is cited of some articles, or of all."""
        if article_ids is None:
            return [
                _kept(row) for row in self._connection.execute(_ALL_CITED, (knowledge_base_id,))
            ]
        return [
            _kept(row)
            for article_id in article_ids
            for row in self._connection.execute(_CITED_OF_ARTICLE, (knowledge_base_id, article_id))
        ]

    def list_unjudged(self, knowledge_base_id: KnowledgeBaseId) -> Sequence[Kept]:
        """What was cited late, and not judged since."""
        rows = self._connection.execute(_UNJUDGED, (knowledge_base_id,))
        return [_kept(row) for row in rows]

    def settle(
        self,
        knowledge_base_id: KnowledgeBaseId,
        cursor: int,
        verdicts: Iterable[tuple[int, Verdict]],
    ) -> None:
        """Keeps verdicts and the cursor up to which they are true, together or not at all."""
        with self._connection:
            self._connection.executemany(
                "UPDATE cited SET verdict = ? WHERE id = ?",
                ((verdict.value, number) for number, verdict in verdicts),
            )
            self._connection.execute(
                "INSERT OR REPLACE INTO cursor VALUES (?, ?)", (knowledge_base_id, cursor)
            )

    def list_stale(self) -> Sequence[KeptAnswer]:
        """Answers with a citation that is no longer current, in the order they were given."""
        rows = self._connection.execute(
            "SELECT DISTINCT answer FROM rests_on JOIN cited ON cited.id = cited"
            " WHERE verdict IS NOT 'current' AND verdict IS NOT NULL ORDER BY answer"
        ).fetchall()
        return [self._answer(number) for (number,) in rows]

    def count(self) -> tuple[int, int]:
        """How many answers there are, and how many different citations."""
        answers = self._connection.execute("SELECT count(*) FROM answer").fetchone()
        cited = self._connection.execute("SELECT count(*) FROM cited").fetchone()
        return answers[0], cited[0]

    def _is_ledger(self) -> bool:
        """Whether the file is one, or will be: it is empty."""
        try:
            (known,) = self._connection.execute("PRAGMA application_id").fetchone()
            tables = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.DatabaseError:
            return False
        return bool(known == _APPLICATION_ID or tables == (0,))

    def _answer(self, number: int) -> KeptAnswer:
        question, text = self._connection.execute(
            "SELECT question, text FROM answer WHERE id = ?", (number,)
        ).fetchone()
        rows = self._connection.execute(_CITED_BY_ANSWER, (number,))
        return KeptAnswer(number, question, text, tuple(_kept(row) for row in rows))

    def _cited(self, pinned: Pinned) -> int:
        citation, anchors = pinned.citation, pinned.anchors
        identity = (
            citation.knowledge_base_id,
            citation.article_id,
            str(citation.updated_at),
            json.dumps([_QUOTE(quote) for quote in citation.quotes], ensure_ascii=False),
        )
        row = self._connection.execute(
            "SELECT id FROM cited WHERE kb = ? AND article = ? AND stamp = ? AND quotes = ?",
            identity,
        ).fetchone()
        if row is not None:  # its verdict is kept up with the log, however late this read was
            return int(row[0])
        return self._insert(
            "INSERT INTO cited (kb, article, stamp, quotes, anchors, verdict, size)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            *identity,
            None if anchors is None else json.dumps([_ANCHOR(one) for one in anchors]),
            pinned.verdict,
            pinned.size,
        )

    def _insert(self, sql: str, *values: str | int | None) -> int:
        with closing(self._connection.execute(sql, values)) as done:
            return done.lastrowid or 0


def _kept(row: Sequence[Any]) -> Kept:
    number, kb, article, stamp, quotes, anchors, size, verdict = row
    return Kept(
        int(number),
        Citation(
            KnowledgeBaseId(kb),
            ArticleId(article),
            Stamp.parse(stamp),
            tuple(Quote(*parts) for parts in json.loads(quotes)),
        ),
        None if anchors is None else tuple(Anchor(*parts) for parts in json.loads(anchors)),
        size,
        None if verdict is None else Verdict(verdict),
    )
