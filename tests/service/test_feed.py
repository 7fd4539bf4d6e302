"""Feeds: all five resource types are polled alike; hosts and sessions write theirs."""

import json

import pytest

from pincite.domain.edits import Context, Edit
from pincite.domain.events import HostEvent, Occurrence, Resource, ResourceType
from pincite.domain.grants import Grant
from pincite.domain.stamps import Stamp
from pincite.errors import (
    CursorAheadError,
    CursorExpiredError,
    IdempotencyKeyReusedError,
    InvalidInputError,
)
from tests.service.world import KB, OWNER, A, World, pairs

SESSION = Resource(ResourceType.SESSION, "s")


@pytest.mark.parametrize("kind", ["channel", "note", "record"])
@pytest.mark.spec("EV-2", "IDEM-1")
def test_a_host_appends_to_logs_of_its_own_once_per_key(world: World, kind: str) -> None:
    log = Resource(ResourceType(kind), "x")
    first = world.service.append_event(OWNER, log, Occurrence("said", '{"n": 1}'), Context("1"))
    world.service.append_event(OWNER, log, Occurrence("said", '{"n": 2}'), Context("2"))
    again = world.service.append_event(OWNER, log, Occurrence("said", '{"n":1}'), Context("1"))
    assert (again.receipt, again.replayed) == (first.receipt, True)
    page = world.service.poll(OWNER, log)
    assert page.events == (
        HostEvent(1, "said", Stamp(1000), '{"n": 1}'),
        HostEvent(2, "said", Stamp(1000), '{"n": 2}'),
    )
    with pytest.raises(IdempotencyKeyReusedError):
        world.service.append_event(OWNER, log, Occurrence("said", "{}"), Context("1"))


@pytest.mark.parametrize("kind", ["knowledge_base", "session"])
def test_what_writes_its_own_log_takes_no_events_from_a_host(world: World, kind: str) -> None:
    log = Resource(ResourceType(kind), "kb")
    with pytest.raises(InvalidInputError) as refusal:
        world.service.append_event(OWNER, log, Occurrence("said", "{}"), Context("k"))
    assert refusal.value.details["limit"] == "channel, note or record"


@pytest.mark.parametrize(
    ("occurrence", "key", "field"),
    [
        (Occurrence("", "{}"), "k", "type"),
        (Occurrence("t" * 101, "{}"), "k", "type"),
        (Occurrence("t", "[]"), "k", "data"),
        (Occurrence("t", "{"), "k", "data"),
        (Occurrence("t", "[" * 50_000), "k", "data"),
        (Occurrence("t", json.dumps({"a": "x" * 65_536})), "k", "data"),
        (Occurrence("t", "{}"), "", "idempotency_key"),
    ],
)
def test_a_bad_event_is_refused_by_field(
    world: World, occurrence: Occurrence, key: str, field: str
) -> None:
    log = Resource(ResourceType.NOTE, "x")
    with pytest.raises(InvalidInputError) as refusal:
        world.service.append_event(OWNER, log, occurrence, Context(key))
    assert refusal.value.details["field"] == field
    assert world.service.poll(OWNER, log).events == ()


@pytest.mark.spec("EV-5")
def test_cursors_that_lead_nowhere_are_refused_never_an_empty_page(world: World) -> None:
    stamp = world.publish("one")
    world.edit(stamp, "two")
    log = Resource.of(KB)
    assert world.service.poll(OWNER, log, 2).events == ()
    with pytest.raises(CursorAheadError):
        world.service.poll(OWNER, log, 3)
    world.store.upkeep.compact(log, 1)
    with pytest.raises(CursorExpiredError) as refusal:
        world.service.poll(OWNER, log, 0)
    assert refusal.value.details == {"oldest_sequence": 2, "latest_sequence": 2}
    assert pairs(world.service.poll(OWNER, log, 1).events) == [(2, "article.updated")]


@pytest.mark.parametrize(
    ("after", "limit", "field"), [(-1, 1, "after_sequence"), (0, 0, "limit"), (0, 101, "limit")]
)
def test_cursor_and_limit_have_limits(world: World, after: int, limit: int, field: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        world.service.poll(OWNER, Resource.of(KB), after, limit)
    assert refusal.value.details["field"] == field


def test_a_session_logs_its_saves_and_what_it_did_beside(world: World) -> None:
    stamp = world.publish("one")
    agent = world.agent(Grant.EDIT)
    world.service.log_session(agent, "s", Occurrence("searched", '{"query": "one"}'))
    context = Context("k", session="s")
    world.service.write(agent, KB, A, Edit(stamp, "two"), context)
    world.service.write(agent, KB, A, Edit(stamp, "two"), context)
    events = world.service.poll(agent, SESSION).events
    assert [event.sequence for event in events] == [1, 2]
    assert events[0].type == "searched"
    assert isinstance(events[1], HostEvent)
    assert json.loads(events[1].data)["article_id"] == "a"


@pytest.mark.spec("ACC-1")
def test_a_session_belongs_to_its_principal_and_is_open_to_administrators(
    world: World,
) -> None:
    agent, other = world.agent(Grant.EDIT), world.agent(Grant.EDIT, "other")
    world.service.log_session(agent, "s", Occurrence("read", "{}"))
    assert world.service.poll(other, SESSION).events == ()
    named = Resource(ResourceType.SESSION, "token/agent/s")
    assert world.service.poll(other, named).events == ()
    assert len(world.service.poll(OWNER, named).events) == 1
    assert len(world.service.poll(agent, named).events) == 1
