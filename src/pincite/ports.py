"""What the service asks of the world: a store, a clock, a source of ids.

A store answers in *views*, each one snapshot, and saves *decisions*, each whole or not at
all. Both engines keep these promises; ``tests/storage/conformance`` is their definition.
Every method may raise ``StoreBusyError`` or ``StoreUnavailableError``, and then has
changed nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from pincite.domain.answers import Answer, Cited, StalePage, Standing
from pincite.domain.articles import Article, ImportRecord, KnowledgeBase, Revision, State
from pincite.domain.decide import Decision
from pincite.domain.edits import KeptReceipt, Receipt, Request
from pincite.domain.events import EventPage, Occurrence, Resource
from pincite.domain.grants import Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.passages import Passage
from pincite.domain.stamps import Stamp


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> Stamp:
        """The present time, in whole milliseconds; it may stand still or step back."""


class IdSource(Protocol):
    """Makes what must not repeat."""

    def new_id(self) -> str:
        """A short identifier that never came before."""

    def new_secret(self) -> str:
        """At least 128 bits that nobody can guess, in letters and digits."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One article that answers a query.

    Attributes:
        title: Its published title.
        snippet: The text around the words that matched, as it stands but for white space.
        matches: Where these words stand in it, in code points, in order and apart.
        passage: The passage that matched best; None if only the title did.
        score: Higher is better; comparable within one search only.
    """

    article_id: ArticleId
    title: str
    updated_at: Stamp
    snippet: str
    matches: Sequence[tuple[int, int]]
    passage: Passage | None
    score: float


@dataclass(frozen=True, slots=True)
class ArticleSummary:
    """One line in a list of articles."""

    article_id: ArticleId
    title: str
    state: State
    updated_at: Stamp | None
    has_draft: bool


@dataclass(frozen=True, slots=True)
class Committed:
    """The write is saved and durable."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Replayed:
    """The same request was saved before; nothing was written."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Stale:
    """The article is no longer as the decision expected; nothing was written."""


@dataclass(frozen=True, slots=True)
class Reused:
    """The key belongs to another request; nothing was written."""


Outcome: TypeAlias = Committed | Replayed | Stale | Reused


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """How many answers rest on any of some things cited, and on each."""

    all: int
    each: Sequence[int]


class LedgerView(Protocol):
    """What one snapshot knows of recorded answers."""

    def reach(self, knowledge_base_id: KnowledgeBaseId) -> int:
        """The event up to which the kept verdicts are true; 0 at first."""

    def list_standings(
        self, knowledge_base_id: KnowledgeBaseId, article_ids: Iterable[ArticleId] | None
    ) -> Sequence[Standing]:
        """What is cited of some articles, or of all, with the verdicts kept."""

    def list_stale(
        self, knowledge_base_id: KnowledgeBaseId, after: str | None, limit: int
    ) -> StalePage:
        """Answers whose kept verdicts are not all ``current``, worst and then oldest first.

        Raises:
            InvalidInputError: ``after`` is not what an earlier page called ``next``.
        """

    def count_answers(
        self, knowledge_base_id: KnowledgeBaseId, cited: Sequence[Cited]
    ) -> AnswerCounts:
        """How many answers rest on these."""


class Ledger(Protocol):
    """Remembers answers and what became of their citations."""

    def record(
        self,
        knowledge_base_id: KnowledgeBaseId,
        answer: Answer,
        standings: Sequence[Standing],
        request: Request,
        sequence: int,
    ) -> Outcome:
        """Keeps an answer, its receipt and its session's event, or nothing.

        Args:
            knowledge_base_id: Where it belongs.
            answer: What to keep.
            standings: A verdict for each thing that it cites.
            request: Who records it, and under which key.
            sequence: The log's end when the verdicts were made; the receipt tells it. What
                was cited before keeps the verdict that it has.
        """

    def advance(
        self,
        knowledge_base_id: KnowledgeBaseId,
        reach: int,
        through: int,
        standings: Sequence[Standing],
    ) -> bool:
        """Moves the kept verdicts from one event on to another.

        Returns:
            False if they were not at ``reach`` any more; then nothing changed.
        """


class ReadView(Protocol):
    """One snapshot: all that one view answers was true at one moment."""

    def find_knowledge_base(self, knowledge_base_id: KnowledgeBaseId) -> KnowledgeBase | None:
        """The knowledge base, with its log's end in this snapshot."""

    def list_knowledge_bases(self) -> Sequence[KnowledgeBase]:
        """Every knowledge base, by id."""

    def find_article(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Article | None:
        """The article in whatever state; None if the id was never used."""

    def list_articles(
        self,
        knowledge_base_id: KnowledgeBaseId,
        *,
        state: State | None = None,
        after: ArticleId | None = None,
        limit: int = 100,
    ) -> Sequence[ArticleSummary]:
        """Articles by id, from behind ``after``; ``state`` None means all states."""

    def find_revision(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> Revision | None:
        """The text published under a stamp; None if there was none or it is not kept."""

    def list_revisions(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId
    ) -> Sequence[Revision]:
        """The kept revisions of an article, newest first."""

    def list_passages(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> tuple[Passage, ...]:
        """The passages of a kept revision, as they were cut when it was saved; else none."""

    def had_stamp(
        self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, updated_at: Stamp
    ) -> bool:
        """Whether a text was ever published under the stamp, kept or not."""

    def list_events(self, resource: Resource, after: int, limit: int) -> EventPage:
        """The page of a log behind a cursor; empty for a resource that has no log yet.

        Raises:
            CursorAheadError: The cursor is beyond the log's end.
            CursorExpiredError: Events behind it are no longer kept.
        """

    def find_receipt(
        self, resource: Resource, principal: Principal, key: str
    ) -> KeptReceipt | None:
        """What a key earned in this resource, if it is still kept."""

    def find_appended(
        self, resource: Resource, principal: Principal, key: str
    ) -> tuple[str, int] | None:
        """Fingerprint and sequence of what ``append`` saved under a key, if it is still kept."""

    def search(
        self, knowledge_base_id: KnowledgeBaseId, query: str, limit: int
    ) -> Sequence[SearchHit]:
        """Published articles that answer the query, best first; no text is engine syntax."""

    def find_token(self, digest: str) -> Token | None:
        """The token with this hash, whether or not it still holds."""

    def list_tokens(self) -> Sequence[Token]:
        """Every token, by name."""

    def list_imports(self, knowledge_base_id: KnowledgeBaseId) -> Sequence[ImportRecord]:
        """What importers remember of this knowledge base, by path."""

    @property
    def ledger(self) -> LedgerView:
        """The recorded answers, in this snapshot."""

    def stamp_floor(self) -> Stamp | None:
        """The time of the last restore; no stamp given out after it may be earlier."""


class Upkeep(Protocol):
    """What an operator does with a store, beside its daily work."""

    def compact(self, resource: Resource, through: int) -> int:
        """Drops a log's events up to and including ``through``; returns how many."""

    def drop_receipts(self, before: Stamp) -> int:
        """Drops receipts earned before a time; returns how many."""

    def drop_revisions(self, knowledge_base_id: KnowledgeBaseId, before: Stamp) -> int:
        """Drops texts replaced before a time; returns how many. Their stamps stay known."""

    def drop_sessions(self, before: Stamp) -> int:
        """Drops the logs of sessions whose last event is older; returns how many."""

    def erase(self, knowledge_base_id: KnowledgeBaseId, article_id: ArticleId, at: Stamp) -> bool:
        """Removes every text of a withdrawn or deleted article for good; False if there is none."""

    def backup(self, target: Path) -> None:
        """Writes a whole copy while others go on writing."""

    def check(self) -> Sequence[str]:
        """What disagrees between text, revision, event, receipt and search entry; or nothing."""

    def describe(self) -> Mapping[str, str]:
        """What people want to know of the store: engine, version, place, schema."""


class Store(Protocol):
    """Remembers everything, in one engine."""

    def view(self) -> AbstractContextManager[ReadView]:
        """Opens a snapshot; what was acknowledged before is in it."""

    def create_knowledge_base(
        self, knowledge_base_id: KnowledgeBaseId, title: str, language: str
    ) -> bool:
        """Makes a knowledge base with an empty log; False if it is there already."""

    def rename_knowledge_base(self, knowledge_base_id: KnowledgeBaseId, title: str) -> bool:
        """Gives a knowledge base another title; False if there is none of that id.

        Raises:
            DeniedError: It moved to another store.
        """

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        """Saves text, revision, event, receipt and search entry, or nothing.

        Compares ``decision.expected`` with the article, and the request's key with the
        receipts, inside the write. Returns once the write is durable.

        Raises:
            NotFoundError: There is no such knowledge base.
        """

    def append(
        self, resource: Resource, occurrence: Occurrence, request: Request, at: Stamp
    ) -> Outcome:
        """Appends a host event to a resource's log, which begins with its first event.

        The receipt's ``article_id`` is empty, its ``sequence`` the event's.
        """

    def save_token(self, token: Token) -> bool:
        """Keeps a new token; False if its name is taken by a token that still holds."""

    def revoke_token(self, name: str, at: Stamp) -> bool:
        """Ends a token at once; False if none of that name holds."""

    def save_imports(
        self, knowledge_base_id: KnowledgeBaseId, records: Sequence[ImportRecord]
    ) -> None:
        """Replaces what importers remember of these paths.

        Raises:
            NotFoundError: There is no such knowledge base.
            DeniedError: It moved to another store.
        """

    def wait(self, seen: int, timeout: float) -> int:
        """Waits until anything was committed since ``seen``, by whichever process.

        Args:
            seen: What an earlier call returned; 0 at first.
            timeout: The longest wait, in seconds.

        Returns:
            A number that moved if anything was committed. It may move without cause, and
            is never the truth about a log: only a poll is.
        """

    def head(self, resource: Resource) -> int:
        """The log's latest sequence, as cheaply as can be; 0 for a log not begun."""

    @property
    def ledger(self) -> Ledger:
        """Where answers are recorded."""

    @property
    def upkeep(self) -> Upkeep:
        """What an operator does with this store."""

    def find_clock(self) -> Stamp | None:
        """The clock that all servers on this store share; None if that is the machine's."""

    def figures(self) -> Mapping[str, int]:
        """How connections fare, for metrics, by name; empty where there is no pool of them."""

    def close(self) -> None:
        """Waits for writes under way and lets go of everything."""
