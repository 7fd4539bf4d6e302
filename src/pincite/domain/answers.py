"""Answers that were given, and what their citations are worth now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.domain.citations import Citation, Verdict
from pincite.domain.ids import ArticleId, Principal
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import checked_text
from pincite.errors import InvalidInputError

CITATION_LIMIT = 200
QUOTE_LIMIT = 20
"""Most quotes of one citation."""
QUOTE_LONGEST = 2_000
QUESTION_LIMIT = 2_000
ANSWER_LIMIT = 100_000

SEVERITY = {
    Verdict.CURRENT: 0,
    Verdict.INTACT: 1,
    Verdict.CHANGED: 2,
    Verdict.GONE: 3,
    Verdict.UNFOUNDED: 4,
}
"""How bad a verdict is for an answer that rests on it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question's answer with what it rests on, all of it in one knowledge base."""

    answer_id: str
    question: str
    text: str
    citations: tuple[Citation, ...]
    answered_at: Stamp
    by: Principal


@dataclass(frozen=True, slots=True)
class Cited:
    """What is judged once, however many answers rest on it: a quote, or a version without one."""

    article_id: ArticleId
    updated_at: Stamp
    quote: Quote | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How something cited fares.

    Attributes:
        since: The number of the event that made the verdict what it is; None if it was so
            when the answer was recorded.
    """

    cited: Cited
    verdict: Verdict
    since: int | None = None


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """An answer with a citation that is no longer current.

    Attributes:
        worst: The worst verdict among its citations.
        since: The number of the event that made it so; None if it was so from the start.
    """

    answer_id: str
    question: str
    answered_at: Stamp
    worst: Verdict
    since: int | None
    citations: tuple[tuple[Citation, Verdict], ...]


@dataclass(frozen=True, slots=True)
class StalePage:
    """Stale answers, worst first; ``next`` leads to those behind them, None at the end."""

    answers: tuple[StaleAnswer, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of an article would do to the answers that rest on it.

    Attributes:
        answers: How many answers would rest on a changed quote.
        broken: The quotes that would no longer stand, each with the number of its answers.
    """

    answers: int
    broken: tuple[tuple[Cited, int], ...]


def cited_by(citation: Citation) -> tuple[Cited, ...]:
    """What a citation rests on, one by one."""
    quotes: Sequence[Quote | None] = citation.quotes or (None,)
    return tuple(Cited(citation.article_id, citation.updated_at, quote) for quote in quotes)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several verdicts.

    On the quotes of one citation it is the verdict on the citation: ``gone`` and ``current``
    hold for all of them, and a citation is founded and intact only if every quote is.
    """
    return max(verdicts, key=SEVERITY.__getitem__, default=Verdict.CURRENT)


def check_citations(citations: Sequence[Citation]) -> None:
    """Checks how many citations there are, and their quotes.

    Raises:
        InvalidInputError: Naming the field and its limit.
    """
    if not 1 <= len(citations) <= CITATION_LIMIT:
        limit = f"1–{CITATION_LIMIT}"
        raise InvalidInputError(f"citations must be {limit}.", field="citations", limit=limit)
    for number, citation in enumerate(citations):
        field = f"citations[{number}].quotes"
        if len(citation.quotes) > QUOTE_LIMIT:
            raise InvalidInputError(
                f"{field} must be at most {QUOTE_LIMIT}.", field=field, limit=f"≤ {QUOTE_LIMIT}"
            )
        for place, quote in enumerate(citation.quotes):
            _check_quote(quote, f"{field}[{place}]")


def check_answer(question: str, text: str) -> None:
    """A question has 1–2,000 characters, an answer 1–100,000.

    Raises:
        InvalidInputError: Naming the field and its limit.
    """
    checked_text(question, "question", shortest=1, longest=QUESTION_LIMIT)
    checked_text(text, "answer", shortest=1, longest=ANSWER_LIMIT)


def _check_quote(quote: Quote, field: str) -> None:
    checked_text(quote.exact, f"{field}.exact", shortest=1, longest=QUOTE_LONGEST)
    if not quote.exact.strip():
        raise InvalidInputError(
            f"{field}.exact must not be blank.", field=f"{field}.exact", limit="not blank"
        )
    checked_text(quote.prefix, f"{field}.prefix", shortest=0, longest=QUOTE_LONGEST)
    checked_text(quote.suffix, f"{field}.suffix", shortest=0, longest=QUOTE_LONGEST)
