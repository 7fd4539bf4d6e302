"""A service on a store in memory, a clock that the test turns, and ids that count."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pincite.domain.edits import Context, Create, Edit, Withdraw
from pincite.domain.events import Event, Resource
from pincite.domain.grants import Approval, Bearer, Credential, Grant, LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import Store
from pincite.service.access import digest_of
from pincite.service.editing import Saved
from pincite.service.environment import Limits
from pincite.service.knowledge_base import Service

KB = KnowledgeBaseId("kb")
OTHER = KnowledgeBaseId("other")
A = ArticleId("a")
OWNER = LocalUser()


class TurnedClock:
    """Stands still until the test turns it."""

    def __init__(self, milliseconds: int = 1000) -> None:
        self.milliseconds = milliseconds

    def now(self) -> Stamp:
        return Stamp(self.milliseconds)


class CountedIds:
    """Counts, so that a test can name what comes."""

    def __init__(self) -> None:
        self.count = 0

    def new_id(self) -> str:
        self.count += 1
        return f"id-{self.count}"

    def new_secret(self) -> str:
        self.count += 1
        return f"secret-{self.count}"


@dataclass
class World:
    """One database with the knowledge base ``kb``, and another that nobody is granted."""

    store: Store
    clock: TurnedClock = field(default_factory=TurnedClock)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self.service = Service(self.store, self.clock, CountedIds(), self.limits)
        for knowledge_base_id in (KB, OTHER):
            self.service.create_knowledge_base(OWNER, knowledge_base_id, "Title", "en")

    def publish(self, content: str, article_id: str = "a", title: str = "Title") -> Stamp:
        """Publishes a new article; returns its stamp."""
        write = Create(Text(title, content), publish=True)
        saved = self.service.write(OWNER, KB, ArticleId(article_id), write)
        assert saved.receipt.updated_at
        return saved.receipt.updated_at

    def edit(self, expected: Stamp, content: str, key: str | None = None) -> Saved:
        """Edits the article ``a``."""
        return self.service.write(OWNER, KB, A, Edit(expected, content), Context(key))

    def withdraw(self, expected: Stamp) -> Stamp:
        """Withdraws the article ``a``; returns the stamp of that."""
        saved = self.service.write(OWNER, KB, A, Withdraw(expected))
        assert saved.receipt.updated_at
        return saved.receipt.updated_at

    def agent(
        self, grant: Grant, name: str = "agent", approval: Approval = Approval.DIRECT
    ) -> Credential:
        """A token with one grant on ``kb``."""
        made = self.service.create_token(OWNER, name, {KB: grant}, approval=approval)
        return Bearer(digest_of(made.secret))

    def log(self) -> tuple[Event, ...]:
        """The whole log of ``kb``."""
        return self.service.poll(OWNER, Resource.of(KB)).events

    def told(self) -> list[tuple[int, str]]:
        """Sequence and type of each event in the log of ``kb``."""
        return pairs(self.log())


def pairs(events: Iterable[Event]) -> list[tuple[int, str]]:
    """Sequence and type of each event."""
    return [(event.sequence, str(event.type)) for event in events]
