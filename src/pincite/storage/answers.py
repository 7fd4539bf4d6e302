"""The ledger's rows to domain values and back, for both engines; see ``rows``."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from pincite.domain.answers import SEVERITY, Answer, Cited, StaleAnswer, Standing, cited_by, worst
from pincite.domain.citations import Citation, Verdict
from pincite.domain.events import Occurrence
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.storage.rows import Row

SESSION_ANSWER = "answer.recorded"
"""The type of the event by which a session's log tells of a recorded answer."""


RANK_OF_WORST = """
(SELECT min(CASE c.verdict {} END)
 FROM rests_on AS r JOIN cited AS c ON c.log = r.log AND c.no = r.cited
 WHERE r.log = answer.log AND r.answer = answer.no)
""".format(" ".join(f"WHEN '{verdict}' THEN {-worth}" for verdict, worth in SEVERITY.items()))
"""Of an answer's row, in the SQL of both engines: the rank of its worst verdict."""


def cited_to_row(cited: Cited) -> tuple[str, str, str]:
    """Article, stamp and quote, by which what is cited is known."""
    quote = cited.quote
    parts = None if quote is None else [quote.exact, quote.prefix, quote.suffix]
    return cited.article_id, str(cited.updated_at), json.dumps(parts, ensure_ascii=False)


def cited_from(row: Row) -> Cited:
    """Of article, stamp, quote."""
    article, stamp, quote = row
    parts = json.loads(quote)
    return Cited(
        ArticleId(article), Stamp.parse(stamp), None if parts is None else Quote(*map(str, parts))
    )


def standing_from(row: Row) -> Standing:
    """Of article, stamp, quote, verdict, since."""
    *cited, verdict, since = row
    return Standing(cited_from(cited), Verdict(verdict), since)


def answer_to_row(answer: Answer) -> Row:
    """Id, question, text, time and principal."""
    return (
        answer.answer_id,
        answer.question,
        answer.text,
        answer.answered_at.milliseconds,
        answer.by,
    )


def places_of(answer: Answer) -> Iterator[tuple[int, int, Cited]]:
    """What an answer rests on, with its citation's place and its own within that."""
    for place, citation in enumerate(answer.citations):
        for quote, cited in enumerate(cited_by(citation)):
            yield place, quote, cited


def stale_answer_from(knowledge_base_id: KnowledgeBaseId, answer: Row, cited: Row) -> StaleAnswer:
    """Of id, question and time; and of what it rests on: citation's place, and a standing.

    Args:
        knowledge_base_id: Where it belongs.
        answer: Its columns.
        cited: The rows of what it rests on, in the order of its citations and their quotes.
    """
    answer_id, question, answered_at = answer
    standings = [(row[0], standing_from(row[1:])) for row in cited]
    citations = tuple(
        _citation(knowledge_base_id, [standing for _, standing in group])
        for _, group in groupby(standings, key=lambda one: one[0])
    )
    worst_verdict = worst(verdict for _, verdict in citations)
    since = [one.since for _, one in standings if one.verdict is worst_verdict]
    known = [sequence for sequence in since if sequence is not None]
    return StaleAnswer(
        answer_id,
        question,
        Stamp(answered_at),
        worst_verdict,
        min(known) if len(known) == len(since) else None,
        citations,
    )


def place_to_text(rank: int, number: int) -> str:
    """Where a page of stale answers ended, as its reader hands it back."""
    return f"{-rank}.{number}"


def place_from(text: str | None) -> tuple[int, int]:
    """Rank and number behind which a page begins.

    Raises:
        InvalidInputError: ``text`` is nothing that ``place_to_text`` made.
    """
    if text is None:
        return -1 - max(SEVERITY.values()), 0
    severity, dot, number = text.partition(".")
    if not (dot and _is_number(severity) and _is_number(number)):
        raise InvalidInputError(
            "after must be what an earlier page called next.", field="after", limit="a page's next"
        )
    return -int(severity), int(number)


def session_entry(knowledge_base_id: KnowledgeBaseId, answer: Answer) -> Occurrence:
    """What the log of a session tells of an answer that was recorded in it."""
    told = {"knowledge_base_id": knowledge_base_id, "answer_id": answer.answer_id}
    return Occurrence(SESSION_ANSWER, json.dumps(told, ensure_ascii=False))


def _citation(
    knowledge_base_id: KnowledgeBaseId, standings: Sequence[Standing]
) -> tuple[Citation, Verdict]:
    first = standings[0].cited
    # An erased article's quotes are kept apart, but empty.
    quotes = tuple(q for q in (one.cited.quote for one in standings) if q and q.exact)
    citation = Citation(knowledge_base_id, first.article_id, first.updated_at, quotes)
    return citation, worst(one.verdict for one in standings)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
