"""Keeps the answer ledger: what was answered, and which answers went stale.

Verdicts are kept beside the answers and follow the log, event by event, outside the edit's own
transaction. Before a list is given out it has caught up with all that its caller can have
seen: the log's end when the call began.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pincite.domain.answers import (
    Answer,
    Cited,
    Impact,
    StalePage,
    Standing,
    check_answer,
    check_citations,
    cited_by,
)
from pincite.domain.citations import Citation, Gone, PresentState, Published, Verdict, judge
from pincite.domain.edits import Context, fingerprint
from pincite.domain.events import ArticleEvent, ArticleEventType, EventPage, Resource
from pincite.domain.grants import Caller, Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Folded
from pincite.domain.stamps import Stamp
from pincite.domain.texts import checked_key
from pincite.errors import (
    CursorExpiredError,
    IdempotencyKeyReusedError,
    InvalidInputError,
    StoreBusyError,
)
from pincite.ports import Committed, ReadView, Replayed, Reused, Stale
from pincite.service.access import Access
from pincite.service.citing import Versions, refuse_too_much
from pincite.service.editing import Saved, find_kept, request_of
from pincite.service.environment import Environment

STALE_LIMIT = 50
_EVENTS = 100
_ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to record."""

    question: str
    text: str
    citations: tuple[Citation, ...]


class Answering:
    """Records answers and tells which went stale."""

    def __init__(self, environment: Environment, access: Access) -> None:
        self._environment = environment
        self._access = access

    def record(
        self, credential: Credential, kb: KnowledgeBaseId, answered: Answered, context: Context
    ) -> Saved:
        """Keeps an answer, once; see :meth:`Service.record_answer`."""
        _check(kb, answered)
        checked_key(context.key or "")
        digest = fingerprint("record_answer", _values(answered))
        store = self._environment.store
        for _ in range(_ATTEMPTS):
            with store.view() as view:
                caller, found = self._access.knowledge_base(
                    view, credential, kb, Grant.READ, "record answers"
                )
                request = request_of(caller, context, digest)
                if kept := find_kept(view, Resource.of(kb), request):
                    return Saved(kept.receipt, replayed=True)
                standings = _standings(view, kb, answered.citations)
                answer = self._answer(view, caller, answered)
            match store.ledger.record(kb, answer, standings, request, found.latest_sequence):
                case Committed(receipt):
                    return Saved(receipt, replayed=False)
                case Replayed(receipt):
                    return Saved(receipt, replayed=True)
                case Reused():
                    raise IdempotencyKeyReusedError
                case Stale():
                    continue  # The kept verdicts went on meanwhile: judge anew.
        raise StoreBusyError("Many articles are changing at once; try again.")

    def list_stale(
        self, credential: Credential, kb: KnowledgeBaseId, after: str | None, limit: int
    ) -> StalePage:
        """Answers that are no longer current; see :meth:`Service.list_stale_answers`."""
        if not 1 <= limit <= STALE_LIMIT:
            raise InvalidInputError(
                f"limit must be 1–{STALE_LIMIT}.", field="limit", limit=f"1–{STALE_LIMIT}"
            )
        with self._caught_up(credential, kb, Grant.READ, "list stale answers") as view:
            return view.ledger.list_stale(kb, after, limit)

    def keep_up(self) -> None:
        """Brings the kept verdicts of every knowledge base up to the newest event."""
        with self._environment.store.view() as view:
            heads = [
                (found.knowledge_base_id, found.latest_sequence)
                for found in view.list_knowledge_bases()
                if view.ledger.reach(found.knowledge_base_id) < found.latest_sequence
            ]
        for kb, head in heads:
            self.catch_up(kb, head)

    def catch_up(self, kb: KnowledgeBaseId, head: int) -> None:
        """Brings the kept verdicts up to an event, or further."""
        store = self._environment.store
        while True:
            with store.view() as view:
                reach = view.ledger.reach(kb)
                if reach >= head:
                    return
                through, standings = _follow(view, kb, reach)
            store.ledger.advance(kb, reach, through, standings)

    @contextmanager
    def _caught_up(
        self, credential: Credential, kb: KnowledgeBaseId, grant: Grant, action: str
    ) -> Iterator[ReadView]:
        """A view whose kept verdicts are not behind what the caller could see when it asked."""
        with self._environment.store.view() as view:
            _, found = self._access.knowledge_base(view, credential, kb, grant, action)
        self.catch_up(kb, found.latest_sequence)
        with self._environment.store.view() as view:
            self._access.knowledge_base(view, credential, kb, grant, action)
            yield view

    def _answer(self, view: ReadView, caller: Caller, answered: Answered) -> Answer:
        return Answer(
            self._environment.ids.new_id(),
            answered.question,
            answered.text,
            answered.citations,
            self._environment.now(view),
            caller.principal,
        )

    def impact(
        self, credential: Credential, kb: KnowledgeBaseId, article_id: ArticleId, content: str
    ) -> Impact:
        """What publishing ``content`` would do to recorded answers; see :meth:`Service.impact`."""
        with self._caught_up(credential, kb, Grant.EDIT, "see what rests on this") as view:
            versions = Versions(view)
            present = Published(Folded.of(content), Stamp(-1))
            broken = [
                standing.cited
                for standing in view.ledger.list_standings(kb, [article_id])
                if standing.verdict in (Verdict.CURRENT, Verdict.INTACT)
                and _verdict(versions, kb, standing.cited, present) is Verdict.CHANGED
            ]
            counts = view.ledger.count_answers(kb, broken)
            return Impact(counts.all, tuple(zip(broken, counts.each, strict=True)))


def _follow(view: ReadView, kb: KnowledgeBaseId, reach: int) -> tuple[int, Sequence[Standing]]:
    """What the events behind ``reach`` did to what is cited: how far, and what changed."""
    try:
        page = view.list_events(Resource.of(kb), reach, _EVENTS)
    except CursorExpiredError:
        return _afresh(view, kb)
    articles = {event.article_id for event in _of_articles(page)}
    standings = {standing.cited: standing for standing in view.ledger.list_standings(kb, articles)}
    before = dict(standings)
    versions = Versions(view)
    for event in _of_articles(page):
        present = _present_after(versions, kb, event)
        for cited, standing in standings.items():
            if cited.article_id == event.article_id:
                verdict = _verdict(versions, kb, cited, present)
                if verdict is not standing.verdict:
                    standings[cited] = Standing(cited, verdict, event.sequence)
    changed = [standing for cited, standing in standings.items() if standing != before[cited]]
    return page.next_sequence, changed


def _afresh(view: ReadView, kb: KnowledgeBaseId) -> tuple[int, Sequence[Standing]]:
    """Judges everything cited anew, when the events behind the verdicts are no longer kept."""
    found = view.find_knowledge_base(kb)
    head = found.latest_sequence if found else 0
    versions = Versions(view)
    changed = []
    for standing in view.ledger.list_standings(kb, None):
        verdict = versions.judge(_citation(kb, standing.cited), explain=False).verdict
        if verdict is not standing.verdict:
            changed.append(Standing(standing.cited, verdict, head))
    return head, changed


def _of_articles(page: EventPage) -> Iterable[ArticleEvent]:
    return (event for event in page.events if isinstance(event, ArticleEvent))


def _present_after(versions: Versions, kb: KnowledgeBaseId, event: ArticleEvent) -> PresentState:
    """The article as an event left it or, if that version is not kept, as it is now."""
    if event.type in (ArticleEventType.UNPUBLISHED, ArticleEventType.DELETED):
        return Gone()
    text = versions.text_at(kb, event.article_id, event.updated_at)
    if text is not None:
        return Published(text, event.updated_at)
    return versions.present(Citation(kb, event.article_id, event.updated_at))


def _verdict(
    versions: Versions, kb: KnowledgeBaseId, cited: Cited, present: PresentState
) -> Verdict:
    citation = _citation(kb, cited)
    return judge(citation, versions.cited(citation), present, explain=False).verdict


def _citation(kb: KnowledgeBaseId, cited: Cited) -> Citation:
    quotes = () if cited.quote is None else (cited.quote,)
    return Citation(kb, cited.article_id, cited.updated_at, quotes)


def _standings(
    view: ReadView, kb: KnowledgeBaseId, citations: Sequence[Citation]
) -> Sequence[Standing]:
    versions = Versions(view)
    refuse_too_much(versions, citations, {kb})
    return [
        Standing(cited, versions.judge(_citation(kb, cited), explain=False).verdict)
        for cited in _distinct(citations)
    ]


def _distinct(citations: Iterable[Citation]) -> Iterable[Cited]:
    return dict.fromkeys(cited for citation in citations for cited in cited_by(citation))


def _check(kb: KnowledgeBaseId, answered: Answered) -> None:
    check_answer(answered.question, answered.text)
    check_citations(answered.citations)
    for number, citation in enumerate(answered.citations):
        if citation.knowledge_base_id != kb:
            field = f"citations[{number}].knowledge_base_id"
            raise InvalidInputError(
                "An answer cites only the knowledge base that it belongs to.",
                field=field,
                limit=kb,
            )


def _values(answered: Answered) -> dict[str, object]:
    return {
        "question": answered.question,
        "answer": answered.text,
        "citations": [
            [
                citation.article_id,
                str(citation.updated_at),
                [[quote.exact, quote.prefix, quote.suffix] for quote in citation.quotes],
            ]
            for citation in answered.citations
        ],
    }
