"""Access: judged anew at every call, and silent about what is not granted."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pincite.domain.edits import Context, Create, Edit
from pincite.domain.events import Occurrence, Resource, ResourceType
from pincite.domain.grants import Bearer, Credential, Grant
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import (
    DeniedError,
    InvalidInputError,
    NotFoundError,
    PinciteError,
    RateLimitedError,
    UnauthenticatedError,
)
from pincite.service.access import digest_of
from pincite.service.environment import Limits
from pincite.service.knowledge_base import Service
from tests.service.world import KB, OTHER, OWNER, A, CountedIds, World

NONE = KnowledgeBaseId("none")
CHANNEL = Resource(ResourceType.CHANNEL, "c")

CALLS: dict[str, Callable[[Service, Credential, KnowledgeBaseId], object]] = {
    "search": lambda service, who, kb: service.search(who, kb, "anything"),
    "read": lambda service, who, kb: service.read(who, kb, A),
    "edit": lambda service, who, kb: service.write(who, kb, A, Edit(Stamp(1), "x"), Context("k")),
    "draft": lambda service, who, kb: service.draft(who, kb, Text("t", "c"), Context("k")),
    "poll": lambda service, who, kb: service.poll(who, Resource.of(kb)),
    "list": lambda service, who, kb: service.list_articles(who, kb),
    "history": lambda service, who, kb: service.list_revisions(who, kb, A),
    "version": lambda service, who, kb: service.get_revision(who, kb, A, Stamp(1)),
    "article": lambda service, who, kb: service.get_article(who, kb, A),
    "erase": lambda service, who, kb: service.erase(who, kb, A),
    "rename": lambda service, who, kb: service.access.rename_knowledge_base(who, kb, "t"),
}


class CountedStore:
    """The real store; counts what is asked of it and of its views."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        self.calls[name] += 1
        return getattr(self._store, name)

    @contextmanager
    def view(self) -> Iterator[Any]:
        self.calls["view"] += 1
        with self._store.view() as view:
            counted = CountedStore(view)
            counted.calls = self.calls
            yield counted


def refusal(call: Callable[[], object]) -> PinciteError:
    with pytest.raises(PinciteError) as caught:
        call()
    return caught.value


@pytest.mark.spec("ACC-1")
@pytest.mark.parametrize("name", CALLS)
def test_what_is_not_granted_answers_as_what_is_not_there_after_the_same_work(
    world: World, name: str
) -> None:
    world.service.write(OWNER, OTHER, A, Create(Text("Hidden", "hidden"), publish=True))
    agent = world.agent(Grant.ADMIN)
    answers = []
    for kb in (OTHER, NONE):
        store = CountedStore(world.store)
        service = Service(store, world.clock, CountedIds())
        error = refusal(lambda kb=kb, service=service: CALLS[name](service, agent, kb))  # type: ignore[misc]
        answers.append((type(error), str(error), dict(error.details), store.calls))
    assert answers[0] == answers[1]
    assert answers[0][0] is NotFoundError
    assert answers[0][3]["view"] == 1


@pytest.mark.spec("ACC-1")
def test_a_list_of_knowledge_bases_holds_the_granted_ones_only(world: World) -> None:
    agent = world.agent(Grant.READ)
    found = world.service.list_knowledge_bases(agent)
    assert [(one.knowledge_base.knowledge_base_id, one.grant) for one in found] == [
        ("kb", Grant.READ)
    ]
    assert len(world.service.list_knowledge_bases(OWNER)) == 2


@pytest.mark.spec("ACC-2")
@pytest.mark.parametrize("name", CALLS)
def test_a_revoked_token_is_refused_at_the_next_call_by_every_server(
    world: World, name: str
) -> None:
    agent = world.agent(Grant.ADMIN)
    elsewhere = World(world.store, world.clock).service
    assert list(elsewhere.list_articles(agent, KB)) == []
    world.service.revoke_token(OWNER, "agent")
    assert isinstance(refusal(lambda: CALLS[name](elsewhere, agent, KB)), UnauthenticatedError)


@pytest.mark.spec("ACC-2")
def test_a_token_ends_at_its_time_and_a_made_up_one_never_holds(world: World) -> None:
    made = world.service.create_token(OWNER, "t", {"kb": Grant.READ}, expires_at=Stamp(2000))
    agent = Bearer(digest_of(made.secret))
    assert list(world.service.list_articles(agent, KB)) == []
    world.clock.milliseconds = 2000
    with pytest.raises(UnauthenticatedError):
        world.service.list_articles(agent, KB)
    with pytest.raises(UnauthenticatedError):
        world.service.list_articles(Bearer(digest_of("guess")), KB)


@pytest.mark.spec("ACC-3")
def test_the_secret_of_a_token_is_in_the_answer_and_nowhere_else(world: World) -> None:
    made = world.service.create_token(OWNER, "t", {"kb": Grant.READ})
    assert made.secret == "secret-1"
    assert made.token.digest == ("f7e7c36e458e80e6b6a2c67d0a9ec09bd718dadd7bfa8d6bf6e7ad526e46c2f7")
    assert "secret-1" not in repr(world.service.list_tokens(OWNER))


def test_only_an_administrator_of_everything_makes_tokens_and_knowledge_bases(
    world: World,
) -> None:
    agent = world.agent(Grant.ADMIN)
    for call in (
        lambda: world.service.create_token(agent, "t", {}),
        lambda: world.service.list_tokens(agent),
        lambda: world.service.revoke_token(agent, "agent"),
        lambda: world.service.create_knowledge_base(agent, NONE, "t"),
    ):
        with pytest.raises(DeniedError, match="Only an administrator"):
            call()


@pytest.mark.parametrize("title", ["", "\udcff", "x" * 301])
def test_a_knowledge_base_is_renamed_by_its_administrators_to_what_a_title_may_be(
    world: World, title: str
) -> None:
    writer = world.agent(Grant.PUBLISH)
    with pytest.raises(DeniedError, match="but not rename: that takes the grant admin"):
        world.service.access.rename_knowledge_base(writer, KB, "New")
    head = world.agent(Grant.ADMIN, "head")
    with pytest.raises(InvalidInputError) as refused:
        world.service.access.rename_knowledge_base(head, KB, title)
    assert refused.value.details["field"] == "title"
    world.service.access.rename_knowledge_base(head, KB, "New")
    titles = [one.knowledge_base.title for one in world.service.list_knowledge_bases(OWNER)]
    assert titles == ["New", "Title"]


@pytest.mark.parametrize("name", ["", "a/b", "a b", "x" * 61])
def test_a_token_has_a_short_plain_name(world: World, name: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        world.service.create_token(OWNER, name, {})
    assert caught.value.details["field"] == "name"


def test_a_name_is_taken_until_its_token_is_revoked(world: World) -> None:
    world.agent(Grant.READ)
    with pytest.raises(InvalidInputError, match="revoke it first"):
        world.agent(Grant.READ)
    world.service.revoke_token(OWNER, "agent")
    world.agent(Grant.READ)
    assert [token.name for token in world.service.list_tokens(OWNER)] == ["agent", "agent"]
    world.service.revoke_token(OWNER, "agent")
    with pytest.raises(NotFoundError, match="no valid token named agent"):
        world.service.revoke_token(OWNER, "agent")


def test_what_a_sessions_log_is_told_after_an_answer_counts_as_no_call(world: World) -> None:
    slow = World(world.store, world.clock, Limits(calls_per_minute=1))
    agent = slow.agent(Grant.READ)
    for _ in range(3):
        slow.service.log_session(agent, "s", Occurrence("article.read", "{}"))
    slow.service.list_articles(agent, KB)
    with pytest.raises(RateLimitedError):
        slow.service.list_articles(agent, KB)


def test_calls_beyond_the_pace_are_refused_and_say_when_to_come_again(world: World) -> None:
    slow = World(world.store, world.clock, Limits(calls_per_minute=2))
    agent = slow.agent(Grant.READ)
    slow.service.list_articles(agent, KB)
    slow.service.list_articles(agent, KB)
    with pytest.raises(RateLimitedError) as caught:
        slow.service.list_articles(agent, KB)
    assert caught.value.details == {"retry_after": 30.0}
    world.clock.milliseconds += 30_000
    slow.service.list_articles(agent, KB)
    slow.service.list_articles(OWNER, KB)


@pytest.mark.spec("ACC-1")
def test_a_channel_takes_a_grant_of_its_own(world: World) -> None:
    agent = world.agent(Grant.ADMIN)
    context = Context("k")
    with pytest.raises(NotFoundError, match="no such channel"):
        world.service.poll(agent, CHANNEL)
    with pytest.raises(NotFoundError, match="no such channel"):
        world.service.append_event(agent, CHANNEL, Occurrence("said", "{}"), context)
    made = world.service.create_token(OWNER, "host", {"channel:c": Grant.READ})
    host = Bearer(digest_of(made.secret))
    assert world.service.poll(host, CHANNEL).events == ()
    with pytest.raises(DeniedError, match="not append"):
        world.service.append_event(host, CHANNEL, Occurrence("said", "{}"), context)


def test_ids_that_were_never_given_are_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.service.read(OWNER, KB, ArticleId("none"))


@pytest.mark.spec("FT-3")
@pytest.mark.parametrize("language", ["", "e", "\udcff", "e\0", "x" * 36])
def test_a_language_that_can_be_none_is_refused(world: World, language: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        world.service.create_knowledge_base(OWNER, NONE, "Title", language)
    assert refused.value.details["field"] == "language"
    assert len(world.service.list_knowledge_bases(OWNER)) == 2
