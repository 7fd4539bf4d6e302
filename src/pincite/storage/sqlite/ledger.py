"""The answer ledger in a SQLite store.

What several answers cite is kept and judged once (``cited``); an answer keeps the rank of its
worst verdict, so that a page of the stale ones is one walk along an index.
"""

from collections.abc import Iterable, Sequence

import apsw

from pincite.domain.answers import Answer, Cited, StaleAnswer, StalePage, Standing
from pincite.domain.edits import Receipt, Request, Status
from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.errors import NotFoundError
from pincite.ports import AnswerCounts, Committed, Outcome, Stale
from pincite.storage import answers, rows
from pincite.storage.sqlite.logs import Log
from pincite.storage.sqlite.writer import Transaction, Writer

_OF = f"log = (SELECT no FROM log WHERE type = '{ResourceType.KNOWLEDGE_BASE}' AND id = ?)"

_REACH = f"SELECT reach FROM ledger WHERE {_OF}"
_LATEST = f"SELECT latest FROM log WHERE type = '{ResourceType.KNOWLEDGE_BASE}' AND id = ?"
_CITED = "SELECT article, stamp, quote, verdict, since FROM cited"
_STANDINGS = f"{_CITED} WHERE {_OF} ORDER BY no"
_STANDINGS_OF = f"{_CITED} WHERE {_OF} AND article = ? ORDER BY no"
_STALE = f"""
SELECT log, no, id, question, answered_at, rank FROM answer
WHERE {_OF} AND rank < 0 AND (rank, no) > (?, ?) ORDER BY rank, no LIMIT ?
"""
_RESTS_ON = """
SELECT r.citation, c.article, c.stamp, c.quote, c.verdict, c.since
FROM rests_on AS r JOIN cited AS c ON c.log = r.log AND c.no = r.cited
WHERE r.log = ? AND r.answer = ? ORDER BY r.citation, r.quote
"""
_FIND_CITED = f"SELECT no FROM cited WHERE {_OF} AND article = ? AND stamp = ? AND quote = ?"
_ANSWERS_OF = f"SELECT answer FROM rests_on WHERE {_OF} AND cited = ?"


class SqliteLedgerView:
    """See :class:`pincite.ports.LedgerView`."""

    __slots__ = ("_connection",)

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def reach(self, knowledge_base_id: KnowledgeBaseId) -> int:
        """The event up to which the verdicts are true: the newest one while nothing is cited."""
        found: int | None = self._connection.execute(_REACH, (knowledge_base_id,)).get
        if found is None:
            found = self._connection.execute(_LATEST, (knowledge_base_id,)).get
        return found or 0

    def list_standings(
        self, knowledge_base_id: KnowledgeBaseId, article_ids: Iterable[ArticleId] | None
    ) -> Sequence[Standing]:
        """What is cited of some articles, or of all, with the verdicts kept."""
        if article_ids is None:
            found = self._connection.execute(_STANDINGS, (knowledge_base_id,)).fetchall()
            return [answers.standing_from(row) for row in found]
        return [
            answers.standing_from(row)
            for article_id in article_ids
            for row in self._connection.execute(_STANDINGS_OF, (knowledge_base_id, article_id))
        ]

    def list_stale(
        self, knowledge_base_id: KnowledgeBaseId, after: str | None, limit: int
    ) -> StalePage:
        """Answers whose verdicts are not all ``current``, worst and then oldest first."""
        found: Sequence[rows.Row] = self._connection.execute(
            _STALE, (knowledge_base_id, *answers.place_from(after), limit + 1)
        ).fetchall()
        page = [self._answer(knowledge_base_id, row) for row in found[:limit]]
        last = found[limit - 1] if len(found) > limit else None
        return StalePage(tuple(page), answers.place_to_text(last[5], last[1]) if last else None)

    def count_answers(
        self, knowledge_base_id: KnowledgeBaseId, cited: Sequence[Cited]
    ) -> AnswerCounts:
        """How many answers rest on these."""
        each = [self._resting_on(knowledge_base_id, one) for one in cited]
        return AnswerCounts(len(set().union(*each)), [len(some) for some in each])

    def _answer(self, knowledge_base_id: KnowledgeBaseId, row: rows.Row) -> StaleAnswer:
        log, number, *answer, _ = row
        cited = self._connection.execute(_RESTS_ON, (log, number)).fetchall()
        return answers.stale_answer_from(knowledge_base_id, answer, cited)

    def _resting_on(self, knowledge_base_id: KnowledgeBaseId, cited: Cited) -> set[int]:
        number = self._connection.execute(
            _FIND_CITED, (knowledge_base_id, *answers.cited_to_row(cited))
        ).get
        found: Sequence[rows.Row] = self._connection.execute(
            _ANSWERS_OF, (knowledge_base_id, number)
        ).fetchall()
        return {row[0] for row in found}


class SqliteLedger:
    """See :class:`pincite.ports.Ledger`."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def record(
        self,
        knowledge_base_id: KnowledgeBaseId,
        answer: Answer,
        standings: Sequence[Standing],
        request: Request,
        sequence: int,
    ) -> Outcome:
        """Keeps an answer, its receipt and its session's event, or nothing."""

        def work(transaction: Transaction) -> Outcome:
            connection = transaction.connection
            log = Log.find(connection, Resource.of(knowledge_base_id))
            if log is None:
                raise NotFoundError("There is no such knowledge base.")
            earlier = log.find_earlier(request)
            if earlier is not None:
                return earlier
            log.refuse_if_sealed()
            if not _opened(log, sequence):
                return Stale()
            _save_answer(log, answer, {one.cited: _cited(log, one) for one in standings})
            for article_id in _erased(log, standings):
                forget_quotes(connection, log.no, article_id)
            receipt = Receipt(Status.RECORDED, ArticleId(answer.answer_id), sequence=sequence)
            log.keep_receipt(request, receipt, answer.answered_at)
            if request.session is not None:
                session = Resource(ResourceType.SESSION, request.session)
                told = answers.session_entry(knowledge_base_id, answer)
                Log.of(connection, session).append(told, answer.answered_at)
            return Committed(receipt)

        return self._writer.run(work)

    def advance(
        self,
        knowledge_base_id: KnowledgeBaseId,
        reach: int,
        through: int,
        standings: Sequence[Standing],
    ) -> bool:
        """Moves the kept verdicts from one event on to another; False if they had moved."""

        def work(transaction: Transaction) -> bool:
            log = Log.find(transaction.connection, Resource.of(knowledge_base_id))
            if log is None:
                return False
            log.connection.execute(
                "UPDATE ledger SET reach = ? WHERE log = ? AND reach = ?", (through, log.no, reach)
            )
            if not log.connection.changes():
                return False
            for standing in standings:
                _move(log, standing)
            return True

        return self._writer.run(work)


def forget_quotes(connection: apsw.Connection, log: int, article_id: ArticleId) -> None:
    """Removes an erased article's words from what cites it: its quotes, and those answers' text."""
    of_article = (log, article_id)
    connection.execute(
        "UPDATE answer SET text = '' WHERE log = ?1 AND no IN (SELECT r.answer FROM rests_on AS r"
        " JOIN cited AS c ON c.log = r.log AND c.no = r.cited WHERE c.log = ?1 AND c.article = ?2)",
        of_article,
    )
    connection.execute(
        'UPDATE cited SET quote = printf(\'["", "%d", ""]\', no)'
        " WHERE log = ? AND article = ? AND quote != 'null'",
        of_article,
    )


def _erased(log: Log, standings: Sequence[Standing]) -> Sequence[ArticleId]:
    """Cited articles that were erased, perhaps since they were read: their words stay out."""
    cited = dict.fromkeys(one.cited.article_id for one in standings)
    query = "SELECT 1 FROM article WHERE log = ? AND id = ? AND erased_at IS NOT NULL"
    return [name for name in cited if log.connection.execute(query, (log.no, name)).get]


def _opened(log: Log, sequence: int) -> bool:
    """Begins the ledger if need be; False if its verdicts are newer than those of the answer."""
    log.connection.execute(
        "INSERT INTO ledger (log, reach) VALUES (?, ?) ON CONFLICT DO NOTHING", (log.no, sequence)
    )
    reach: int = log.connection.execute("SELECT reach FROM ledger WHERE log = ?", (log.no,)).get
    return reach <= sequence


def _cited(log: Log, standing: Standing) -> int:
    """The number of what is cited; kept now, if it was not."""
    identity = (log.no, *answers.cited_to_row(standing.cited))
    number: int | None = log.connection.execute(
        "SELECT no FROM cited WHERE log = ? AND article = ? AND stamp = ? AND quote = ?", identity
    ).get
    if number is None:
        number = _next(log, "cited")
        log.connection.execute(
            "INSERT INTO cited (log, article, stamp, quote, no, updated_at, verdict)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *identity,
                number,
                rows.exact_milliseconds(standing.cited.updated_at),
                standing.verdict,
            ),
        )
    return number


def _save_answer(log: Log, answer: Answer, numbers: dict[Cited, int]) -> None:
    number = _next(log, "answer")
    log.connection.execute(
        "INSERT INTO answer (log, no, id, question, text, answered_at, by, rank)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 0)",
        (log.no, number, *answers.answer_to_row(answer)),
    )
    log.connection.executemany(
        "INSERT INTO rests_on (log, answer, citation, quote, cited) VALUES (?, ?, ?, ?, ?)",
        [
            (log.no, number, citation, quote, numbers[cited])
            for citation, quote, cited in answers.places_of(answer)
        ],
    )
    log.connection.execute(
        f"UPDATE answer SET rank = {answers.RANK_OF_WORST} WHERE log = ? AND no = ?",
        (log.no, number),
    )


def _move(log: Log, standing: Standing) -> None:
    cited = answers.cited_to_row(standing.cited)
    number: int | None = log.connection.execute(
        "UPDATE cited SET verdict = ?, since = ?"
        " WHERE log = ? AND article = ? AND stamp = ? AND quote = ? RETURNING no",
        (standing.verdict, standing.since, log.no, *cited),
    ).get
    log.connection.execute(
        f"UPDATE answer SET rank = {answers.RANK_OF_WORST} WHERE log = ?1 AND no IN"
        " (SELECT answer FROM rests_on WHERE log = ?1 AND cited = ?2)",
        (log.no, number),
    )


def _next(log: Log, table: str) -> int:
    number: int = log.connection.execute(
        f"SELECT coalesce(max(no), 0) + 1 FROM {table} WHERE log = ?", (log.no,)
    ).get
    return number
