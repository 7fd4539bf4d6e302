"""The answer ledger in a PostgreSQL store.

What several answers cite is kept and judged once (``cited``); an answer keeps the rank of its
worst verdict, so that a page of the stale ones is one walk along an index. Whoever changes a
knowledge base's ledger holds its row, so that changes come one after another; and each
statement after that sees what the one before left.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.domain.answers import Answer, Cited, StaleAnswer, StalePage, Standing
from pincite.domain.edits import Receipt, Request, Status
from pincite.domain.events import Resource, ResourceType
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.ports import AnswerCounts, Committed, Outcome, Stale
from pincite.storage import answers, rows
from pincite.storage.postgres import logs
from pincite.storage.postgres.connections import Connection
from pincite.storage.postgres.snapshot import Snapshot, Values
from pincite.storage.postgres.writer import Writer

_REACH = """
SELECT coalesce(ledger.reach, log.latest)
FROM log LEFT JOIN ledger ON ledger.log = log.id WHERE log.id = %s
"""
_CITED = "SELECT article, stamp, quote, verdict, since FROM cited WHERE log = %s"
_STALE = """
SELECT no, id, question, answered_at, rank FROM answer
WHERE log = %s AND rank < 0 AND (rank, no) > (%s, %s) ORDER BY rank, no LIMIT %s
"""
_RESTS_ON = """
SELECT r.answer, r.citation, c.article, c.stamp, c.quote, c.verdict, c.since
FROM rests_on AS r JOIN cited AS c ON c.log = r.log AND c.no = r.cited
WHERE r.log = %s AND r.answer = ANY(%s) ORDER BY r.answer, r.citation, r.quote
"""
_ANSWERS_OF = """
SELECT r.answer FROM rests_on AS r JOIN cited AS c ON c.log = r.log AND c.no = r.cited
WHERE c.log = %s AND c.article = %s AND c.stamp = %s AND c.digest = %s
"""

_OPEN = "INSERT INTO ledger (log, reach) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_HOLD = "SELECT reach FROM ledger WHERE log = %s FOR UPDATE"

_CITE = """
INSERT INTO cited (log, article, stamp, quote, digest, no, updated_at, verdict)
SELECT %(log)s, %(article)s, %(stamp)s, %(quote)s, %(digest)s,
    coalesce(max(no), 0) + 1, %(updated_at)s, %(verdict)s
FROM cited WHERE log = %(log)s
ON CONFLICT (log, article, stamp, digest) DO NOTHING
"""
_ANSWER = """
INSERT INTO answer (log, no, id, question, text, answered_at, by, rank)
SELECT %s, coalesce(max(no), 0) + 1, %s, %s, %s, %s::bigint, %s, 0
FROM answer WHERE log = %s RETURNING no
"""
_REST_ON = """
INSERT INTO rests_on (log, answer, citation, quote, cited)
SELECT log, %s, %s, %s, no FROM cited
WHERE log = %s AND article = %s AND stamp = %s AND digest = %s
"""
_MOVE = """
UPDATE cited SET verdict = moved.verdict, since = moved.since
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[])
    AS moved (article, stamp, digest, verdict, since)
WHERE log = %s AND cited.article = moved.article AND cited.stamp = moved.stamp
AND cited.digest = moved.digest RETURNING no
"""

_RANKED = f"UPDATE answer SET rank = {answers.RANK_OF_WORST} WHERE log = %s"

_EMPTY_ANSWERS = """
UPDATE answer SET text = '' WHERE log = %(log)s AND no IN (
    SELECT r.answer FROM rests_on AS r JOIN cited AS c ON c.log = r.log AND c.no = r.cited
    WHERE c.log = %(log)s AND c.article = %(article)s)
"""
# The quotes stay apart, so the answers that rest on them do.
_EMPTY_QUOTES = """
UPDATE cited SET quote = format('["", "%%s", ""]', no), digest = 'erased ' || no
WHERE log = %(log)s AND article = %(article)s AND quote <> 'null'
"""


class PostgresLedgerView:
    """See :class:`pincite.ports.LedgerView`."""

    __slots__ = ("_snapshot",)

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def reach(self, knowledge_base_id: KnowledgeBaseId) -> int:
        """The event up to which the verdicts are true: the newest one while nothing is cited."""
        found = self._snapshot.rows(_REACH, (knowledge_base_id,))
        return found[0][0] if found else 0

    def list_standings(
        self, knowledge_base_id: KnowledgeBaseId, article_ids: Iterable[ArticleId] | None
    ) -> Sequence[Standing]:
        """What is cited of some articles, or of all, with the verdicts kept."""
        if article_ids is None:
            found = self._snapshot.rows(f"{_CITED} ORDER BY no", (knowledge_base_id,))
        else:
            found = self._snapshot.rows(
                f"{_CITED} AND article = ANY(%s) ORDER BY no",
                (knowledge_base_id, list(article_ids)),
            )
        return [answers.standing_from(row) for row in found]

    def list_stale(
        self, knowledge_base_id: KnowledgeBaseId, after: str | None, limit: int
    ) -> StalePage:
        """Answers whose verdicts are not all ``current``, worst and then oldest first."""
        rank, number = answers.place_from(after)
        found = self._snapshot.rows(_STALE, (knowledge_base_id, rank, number, limit + 1))
        page = self._answers(knowledge_base_id, found[:limit])
        last = found[limit - 1] if len(found) > limit else None
        return StalePage(page, answers.place_to_text(last[4], last[0]) if last else None)

    def count_answers(
        self, knowledge_base_id: KnowledgeBaseId, cited: Sequence[Cited]
    ) -> AnswerCounts:
        """How many answers rest on these."""
        each = [
            {answer for (answer,) in self._snapshot.rows(_ANSWERS_OF, values)}
            for values in ((knowledge_base_id, *_identity(one)) for one in cited)
        ]
        return AnswerCounts(len(set().union(*each)), [len(some) for some in each])

    def _answers(
        self, knowledge_base_id: KnowledgeBaseId, found: Sequence[rows.Row]
    ) -> tuple[StaleAnswer, ...]:
        numbers = [row[0] for row in found]
        cited: dict[int, list[rows.Row]] = {number: [] for number in numbers}
        for number, *row in self._snapshot.rows(_RESTS_ON, (knowledge_base_id, numbers)):
            cited[number].append(row)
        return tuple(
            answers.stale_answer_from(knowledge_base_id, answer, cited[number])
            for number, *answer, _ in found
        )


class PostgresLedger:
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
        recording = _Recording(knowledge_base_id, answer, standings, request, sequence)
        return self._writer.run(recording.save)

    def advance(
        self,
        knowledge_base_id: KnowledgeBaseId,
        reach: int,
        through: int,
        standings: Sequence[Standing],
    ) -> bool:
        """Moves the kept verdicts from one event on to another; False if they had moved."""

        def work(connection: Connection) -> bool:
            with connection.transaction():
                held = connection.execute(
                    "UPDATE ledger SET reach = %s WHERE log = %s AND reach = %s",
                    (through, knowledge_base_id, reach),
                )
                if held.rowcount:
                    _move(connection, knowledge_base_id, standings)
                return held.rowcount > 0

        return self._writer.run(work)


@dataclass(frozen=True, slots=True)
class _Recording:
    """An answer that is ready to be kept."""

    knowledge_base_id: KnowledgeBaseId
    answer: Answer
    standings: Sequence[Standing]
    request: Request
    sequence: int

    def save(self, connection: Connection) -> Outcome:
        """Compares, then writes.

        Raises:
            NotFoundError: There is no such knowledge base.
            DeniedError: It moved to another store.
        """
        log = self.knowledge_base_id
        with connection.transaction():
            connection.execute(_OPEN, (log, self.sequence))
            (reach,) = connection.execute(_HOLD, (log,)).fetchall()[0]
            earlier = logs.earlier(connection, log, self.request)
            if earlier is not None:
                return earlier
            if reach > self.sequence:
                return Stale()
            self._save_answer(connection)
            self._leave_out_erased(connection)
            name = ArticleId(self.answer.answer_id)
            receipt = Receipt(Status.RECORDED, name, sequence=self.sequence)
            logs.keep_receipt(connection, log, self.request, receipt, self.answer.answered_at)
            self._tell_session(connection)
            return Committed(receipt)

    def _save_answer(self, connection: Connection) -> None:
        log, answer = self.knowledge_base_id, self.answer
        many = connection.cursor()
        many.executemany(_CITE, [self._cited(standing) for standing in self.standings])
        values = (log, *answers.answer_to_row(answer), log)
        (number,) = connection.execute(_ANSWER, values).fetchall()[0]
        many.executemany(
            _REST_ON,
            [
                (number, citation, quote, log, *_identity(cited))
                for citation, quote, cited in answers.places_of(answer)
            ],
        )
        connection.execute(f"{_RANKED} AND no = %s", (log, number))

    def _leave_out_erased(self, connection: Connection) -> None:
        """A cited article may have been erased, perhaps since it was read: its words stay out."""
        cited = {standing.cited.article_id for standing in self.standings}
        query = "SELECT id FROM article WHERE log = %s AND id = ANY(%s) AND erased_at IS NOT NULL"
        erased = connection.execute(query, (self.knowledge_base_id, list(cited))).fetchall()
        for (article_id,) in erased:
            forget_quotes(connection, self.knowledge_base_id, article_id)

    def _cited(self, standing: Standing) -> Values:
        article, stamp, quote = answers.cited_to_row(standing.cited)
        return {
            "log": self.knowledge_base_id,
            "article": article,
            "stamp": stamp,
            "quote": quote,
            "digest": _digest(quote),
            "updated_at": rows.exact_milliseconds(standing.cited.updated_at),
            "verdict": standing.verdict,
        }

    def _tell_session(self, connection: Connection) -> None:
        if self.request.session is None:
            return
        session = Resource(ResourceType.SESSION, self.request.session)
        told = answers.session_entry(self.knowledge_base_id, self.answer)
        unkeyed = Request(self.request.principal)
        logs.append(connection, session, told, unkeyed, self.answer.answered_at)


def forget_quotes(connection: Connection, log: str, article_id: ArticleId) -> None:
    """Removes an erased article's words from what cites it: its quotes, and those answers' text."""
    connection.execute(_EMPTY_ANSWERS, {"log": log, "article": article_id})
    connection.execute(_EMPTY_QUOTES, {"log": log, "article": article_id})


def hold(connection: Connection, log: str) -> None:
    """Keeps the ledger as it is until the transaction ends."""
    connection.execute(_HOLD, (log,))


def _move(connection: Connection, log: str, standings: Sequence[Standing]) -> None:
    articles, stamps, digests = [], [], []
    for standing in standings:
        article, stamp, digest = _identity(standing.cited)
        articles.append(article)
        stamps.append(stamp)
        digests.append(digest)
    verdicts = [standing.verdict.value for standing in standings]
    since = [standing.since for standing in standings]
    moved = connection.execute(_MOVE, (articles, stamps, digests, verdicts, since, log)).fetchall()
    numbers = [number for (number,) in moved]
    connection.execute(
        f"{_RANKED} AND no IN (SELECT answer FROM rests_on WHERE log = %s AND cited = ANY(%s))",
        (log, log, numbers),
    )


def _identity(cited: Cited) -> tuple[str, str, str]:
    article, stamp, quote = answers.cited_to_row(cited)
    return article, stamp, _digest(quote)


def _digest(quote: str) -> str:
    return hashlib.sha256(quote.encode()).hexdigest()
