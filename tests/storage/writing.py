"""How the tests write to a store: as the service does, with a clock of their own."""

from collections.abc import Sequence
from copy import copy
from itertools import count

from pincite.domain.articles import Article
from pincite.domain.decide import decide
from pincite.domain.edits import (
    Create,
    Delete,
    DiscardDraft,
    Edit,
    Publish,
    Receipt,
    Request,
    SaveDraft,
    Withdraw,
    Write,
)
from pincite.domain.events import Event, Occurrence, Resource
from pincite.domain.ids import ArticleId, KnowledgeBaseId, Principal
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.ports import Committed, Outcome, Store

HANDBOOK = KnowledgeBaseId("handbook")
PAYROLL = KnowledgeBaseId("payroll")
LOG = Resource.of(HANDBOOK)
ANNA = Principal("token/anna")
BEN = Principal("token/ben")
TEN_OCLOCK = Stamp.parse("2026-11-08T10:00:00.000Z")


class Author:
    """Reads, decides and commits, at times that a test sets.

    Attributes:
        now: What the clock says; it moves only when a test moves it.
    """

    def __init__(
        self,
        store: Store,
        knowledge_base_id: KnowledgeBaseId = HANDBOOK,
        principal: Principal = ANNA,
    ) -> None:
        self.store = store
        self.now = TEN_OCLOCK
        self.knowledge_base_id = knowledge_base_id
        self.principal = principal
        self._keys = count(1)

    def at(self, store: Store) -> "Author":
        """The same author at another store, who still uses no key twice."""
        author = copy(self)
        author.store = store
        return author

    def request(self, key: str | None = None, fingerprint: str = "same", **more: str) -> Request:
        """A request of this author; without a key it gets one that is new."""
        key = key or f"{self.principal}-{next(self._keys)}"
        return Request(self.principal, key, fingerprint, **more)

    def after(self, milliseconds: int) -> Stamp:
        """The time that it will be then."""
        return Stamp(self.now.milliseconds + milliseconds)

    def later(self, milliseconds: int = 1000) -> None:
        """Moves the clock."""
        self.now = self.after(milliseconds)

    def find(self, article_id: str) -> Article:
        """The article as it stands; absent if there is none."""
        name = ArticleId(article_id)
        with self.store.view() as view:
            found = view.find_article(self.knowledge_base_id, name)
        return found or Article.absent(self.knowledge_base_id, name)

    def write(self, article_id: str, write: Write, request: Request | None = None) -> Outcome:
        """Decides on the article as it stands and commits."""
        decision = decide(self.find(article_id), write, self.now)
        return self.store.commit(decision, request or self.request(), self.now)

    def saved(self, article_id: str, write: Write, request: Request | None = None) -> Receipt:
        """A write that is saved."""
        outcome = self.write(article_id, write, request)
        assert isinstance(outcome, Committed)
        return outcome.receipt

    def publish(
        self, article_id: str, content: str = "First text.\n", title: str = "A title"
    ) -> Stamp:
        """A new article, published; its stamp."""
        return stamp_of(self.saved(article_id, Create(Text(title, content), publish=True)))

    def edit(self, article_id: str, content: str, title: str | None = None) -> Stamp:
        """A new text of the published article; its stamp."""
        expected = self.stamp(article_id)
        return stamp_of(self.saved(article_id, Edit(expected, content, title)))

    def withdraw(self, article_id: str) -> Stamp:
        """Takes the article back; the stamp of that."""
        return stamp_of(self.saved(article_id, Withdraw(self.stamp(article_id))))

    def discard_a_draft(self, article_id: str) -> Stamp:
        """A draft that was saved beside the published text and is gone again; its stamp."""
        text = Text("A title", "Discarded.\n")
        self.saved(article_id, SaveDraft(None, self.stamp(article_id), text))
        draft = self.find(article_id).draft
        assert draft is not None
        self.saved(article_id, DiscardDraft(draft.updated_at))
        return draft.updated_at

    def republish(self, article_id: str) -> Stamp:
        """Publishes what is there; its stamp."""
        article = self.find(article_id)
        draft = article.draft.updated_at if article.draft else None
        return stamp_of(self.saved(article_id, Publish(article.updated_at, draft)))

    def delete(self, article_id: str) -> Receipt:
        """Leaves a tombstone."""
        return self.saved(article_id, Delete(self.find(article_id).updated_at))

    def stamp(self, article_id: str) -> Stamp:
        """The article's latest stamp."""
        updated_at = self.find(article_id).updated_at
        assert updated_at is not None
        return updated_at

    def append(self, resource: Resource, kind: str, data: str = "{}") -> Outcome:
        """Tells in another resource's log."""
        return self.store.append(resource, Occurrence(kind, data), self.request(), self.now)


def stamp_of(receipt: Receipt) -> Stamp:
    """The stamp of a receipt that has one."""
    assert receipt.updated_at is not None
    return receipt.updated_at


def events(store: Store, resource: Resource = LOG, after: int = 0) -> Sequence[Event]:
    """What a log tells behind a cursor, in pages of the largest size."""
    found: list[Event] = []
    while True:
        with store.view() as view:
            page = view.list_events(resource, after, 100)
        found += page.events
        if not page.has_more:
            return found
        after = page.next_sequence
