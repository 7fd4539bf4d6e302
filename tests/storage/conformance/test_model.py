"""Whatever is done in whatever order, a store answers as a few dicts would."""

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pincite.domain.articles import Article, State
from pincite.domain.decide import Decision, decide
from pincite.domain.edits import (
    Create,
    Delete,
    DiscardDraft,
    Edit,
    Publish,
    Receipt,
    Request,
    SaveDraft,
    Status,
    Withdraw,
    Write,
)
from pincite.domain.events import ArticleEvent, Resource
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import CursorExpiredError, PinciteError
from pincite.ports import Committed, Outcome, Replayed, Reused, Stale, Store
from tests.storage.writing import ANNA, TEN_OCLOCK

IDS = ["a", "b", "c"]
KINDS = ["create", "publish at once", "edit", "draft", "discard", "publish", "withdraw", "delete"]
WORDS = st.sampled_from(["apple", "pear", "plum", "fig"])

numbers = count(1)


def wanted(kind: str, article: Article, word: str) -> Write | None:
    """A write of a kind that names the versions of an article as somebody saw it."""
    stamp, draft = article.updated_at, article.draft.updated_at if article.draft else None
    text = Text(f"On {word}", f"The {word}.\n")
    writes: dict[str, Write | None] = {
        "create": Create(text),
        "publish at once": Create(text, publish=True),
        "edit": Edit(stamp, text.content) if stamp else None,
        "draft": SaveDraft(draft, stamp, text),
        "discard": DiscardDraft(draft) if draft else None,
        "publish": Publish(stamp, draft),
        "withdraw": Withdraw(stamp) if stamp else None,
        "delete": Delete(stamp),
    }
    return writes[kind]


class Model(RuleBasedStateMachine):
    """A store beside dicts that hold what it should.

    Attributes:
        seen: Every state of every article that anybody may have read and still act upon.
    """

    requests: Bundle[tuple[Decision, Request]] = Bundle("requests")

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store = store
        self.base = KnowledgeBaseId(f"base-{next(numbers)}")
        self.log = Resource.of(self.base)
        self.now = TEN_OCLOCK
        self.articles = {name: Article.absent(self.base, ArticleId(name)) for name in IDS}
        self.seen = {name: [article] for name, article in self.articles.items()}
        self.events: list[ArticleEvent] = []
        self.compacted = 0
        self.receipts: dict[str, tuple[str, Receipt, Stamp]] = {}
        self.texts: dict[tuple[str, Stamp], Text | None] = {}
        self.drafts: set[tuple[str, Stamp]] = set()
        assert store.create_knowledge_base(self.base, "Model", "en")

    @rule(milliseconds=st.integers(-2, 5))
    def pass_time(self, milliseconds: int) -> None:
        self.now = Stamp(self.now.milliseconds + milliseconds)

    @rule(
        target=requests,
        name=st.sampled_from(IDS),
        kind=st.sampled_from(KINDS),
        word=WORDS,
        read=st.integers(0, 3),
    )
    def write(self, name: str, kind: str, word: str, read: int) -> tuple[Decision, Request]:
        """Writes on what was read last, or up to three states ago."""
        article = self.seen[name][-1 - min(read, len(self.seen[name]) - 1)]
        request = Request(ANNA, f"key-{next(numbers)}", "f")
        write = wanted(kind, article, word)
        decision = self.decided(article, write) if write else None
        if decision is None:
            decision = Decision(article.version, article, Status.UNCHANGED)
        self.commit(decision, request)
        return decision, request

    @rule(name=st.sampled_from(IDS), word=WORDS)
    def draft_discard_and_draft_again(self, name: str, word: str) -> None:
        for kind in ("draft", "discard", "draft"):
            self.write(name, kind, word, 0)

    def decided(self, article: Article, write: Write) -> Decision | None:
        try:
            return decide(article, write, self.now)
        except PinciteError:
            return None

    @rule(made=requests)
    def send_again(self, made: tuple[Decision, Request]) -> None:
        self.commit(*made)

    @rule(made=consumes(requests))
    def use_the_key_for_another_request(self, made: tuple[Decision, Request]) -> None:
        decision, request = made
        self.commit(decision, replace(request, fingerprint="g"))

    def commit(self, decision: Decision, request: Request) -> None:
        expected = self.expected(decision, request)
        assert self.store.commit(decision, request, self.now) == expected
        if not isinstance(expected, Committed):
            return
        assert request.key is not None
        self.receipts[request.key] = (request.fingerprint, expected.receipt, self.now)
        article = replace(decision.article, sequence=expected.receipt.sequence)
        if expected.receipt.status is Status.DRAFT:
            article = decision.article
        name = article.article_id
        self.articles[name] = article
        self.seen[name].append(article)
        draft = article.version.draft_updated_at
        if draft is not None and draft != decision.expected.draft_updated_at:
            assert (name, draft) not in self.drafts
            self.drafts.add((name, draft))
        if decision.event and article.updated_at:
            told = (decision.event, name, article.updated_at, decision.changed)
            self.events.append(ArticleEvent(len(self.events) + 1, *told))
        if decision.publishes and article.updated_at:
            self.texts[name, article.updated_at] = article.text

    def expected(self, decision: Decision, request: Request) -> Outcome:
        kept = self.receipts.get(request.key or "")
        if kept is not None:
            return Replayed(kept[1]) if kept[0] == request.fingerprint else Reused()
        article = decision.article
        if self.articles[article.article_id].version != decision.expected:
            return Stale()
        if decision.status is Status.DRAFT:
            return Committed(Receipt(Status.DRAFT, article.article_id))
        sequence = len(self.events) + 1 if decision.event else article.sequence
        return Committed(Receipt(decision.status, article.article_id, article.updated_at, sequence))

    @precondition(lambda self: self.events)
    @rule(share=st.floats(0, 1))
    def compact(self, share: float) -> None:
        through = max(self.compacted, round(share * len(self.events)))
        assert self.store.upkeep.compact(self.log, through) == through - self.compacted
        self.compacted = through

    @rule(milliseconds=st.integers(-3, 0))
    def drop_receipts(self, milliseconds: int) -> None:
        before = Stamp(self.now.milliseconds + milliseconds)
        old = [key for key, (_, _, at) in self.receipts.items() if at < before]
        self.store.upkeep.drop_receipts(before)
        for key in old:
            del self.receipts[key]

    @rule(milliseconds=st.integers(-3, 3))
    def drop_revisions(self, milliseconds: int) -> None:
        before = Stamp(self.now.milliseconds + milliseconds)
        dropped = [place for place in self.texts if self.is_replaced_before(*place, before)]
        assert self.store.upkeep.drop_revisions(self.base, before) == len(dropped)
        self.texts.update(dict.fromkeys(dropped))

    def is_replaced_before(self, name: str, stamp: Stamp, before: Stamp) -> bool:
        article = self.articles[name]
        later = [other for of, other in self.texts if of == name and other > stamp]
        if article.state is State.DELETED and article.updated_at:
            later.append(article.updated_at)
        return self.texts[name, stamp] is not None and bool(later) and min(later) < before

    @rule(name=st.sampled_from(IDS))
    def erase(self, name: str) -> None:
        article = self.articles[name]
        erasable = article.state in (State.WITHDRAWN, State.DELETED)
        erased = self.store.upkeep.erase(self.base, article.article_id, self.now)
        assert erased is erasable
        if erasable:
            gone = replace(article, state=State.DELETED, text=None, draft=None)
            self.articles[name] = gone
            self.seen[name].append(gone)
            self.texts.update({place: None for place in self.texts if place[0] == name})

    @invariant()
    def every_article_is_as_it_was_left(self) -> None:
        with self.store.view() as view:
            for name, article in self.articles.items():
                found = view.find_article(self.base, ArticleId(name))
                assert (found or Article.absent(self.base, ArticleId(name))) == article
            base = view.find_knowledge_base(self.base)
            assert base is not None
            assert base.latest_sequence == len(self.events)
            published = [a for a in self.articles.values() if a.state is State.PUBLISHED]
            assert base.article_count == len(published)
            hits = view.search(self.base, "apple pear plum fig", 10)
            assert {hit.article_id: hit.updated_at for hit in hits} == {
                article.article_id: article.updated_at for article in published
            }

    @invariant()
    def every_text_is_kept_until_it_is_dropped(self) -> None:
        with self.store.view() as view:
            for (name, stamp), text in self.texts.items():
                found = view.find_revision(self.base, ArticleId(name), stamp)
                assert (found and found.text) == text
                assert view.had_stamp(self.base, ArticleId(name), stamp)

    @invariant()
    def the_log_tells_every_event_from_every_cursor_that_holds(self) -> None:
        with self.store.view() as view:
            for after in range(self.compacted, len(self.events) + 1):
                page = view.list_events(self.log, after, 2)
                assert list(page.events) == self.events[after : after + 2]
            if self.compacted:
                with pytest.raises(CursorExpiredError):
                    view.list_events(self.log, self.compacted - 1, 2)

    def teardown(self) -> None:
        assert self.store.upkeep.check() == []


def assert_no_run_tells_them_apart(store: Store) -> None:
    """Lets Hypothesis look for a run in which the store and the dicts differ."""
    run_state_machine_as_test(
        lambda: Model(store),  # type: ignore[arg-type]  # any maker of machines does
        settings=settings(
            max_examples=40,
            stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.spec("CAS-1", "IDEM-1", "IDEM-2", "EV-1", "EV-2", "STAMP-2", "PUB-3")
def test_a_store_answers_as_a_few_dicts_would(store: Store) -> None:
    assert_no_run_tells_them_apart(store)
