"""The agent's ledger on a server that checks: it asks or reads, and comes to the same verdicts."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pincite.client.aio import AsyncClient
from pincite.client.calls import Steps, T, ToolCall, advance, read
from pincite.client.ledger import Ledger, Rest
from pincite.domain.articles import State
from pincite.domain.citations import Citation, Verdict
from pincite.domain.edits import Create, Delete, Edit, Publish, Withdraw, Write
from pincite.domain.events import Resource
from pincite.domain.ids import ArticleId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import GoneError, NotFoundError
from pincite.storage import open_store, restore_store
from tests.mcp_server.clients import connected, endpoint_of
from tests.service.world import KB, OWNER, World

A, B = ArticleId("a"), ArticleId("b")
CHECKING = frozenset({"check_citations"})
LINES = [f"Line {number} of the page." for number in range(40)]
POLL, CHECK, READ = "poll_resource_events", "check_citations", "read_knowledge_article"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


async def counted(client: AsyncClient, steps: Steps[T], calls: list[str]) -> T:
    """Makes the calls of some steps and notes their names."""
    call = advance(steps)
    while isinstance(call, ToolCall):
        calls.append(call.name)
        call = advance(steps, await client.ask(call))
    return call.value


async def run(world: World, steps: Steps[T]) -> tuple[T, list[str]]:
    """Makes the calls of some steps; what they came to, and the calls' names."""
    calls: list[str] = []
    async with connected(endpoint_of(world), "auto") as connection:
        return await counted(AsyncClient(connection, CHECKING), steps, calls), calls


async def record(world: World, ledger: Ledger, article: ArticleId, *lines: str) -> None:
    """Records an answer for each line."""
    found, _ = await run(world, read(KB, article))
    for line in lines:
        ledger.record("Q?", "A.", [Rest(found, (Quote(line),))])


def publish(world: World, article: ArticleId) -> None:
    write = Create(Text("T", "\n\n".join(LINES)), publish=True)
    world.service.write(OWNER, KB, article, write)


def edit(world: World, article: ArticleId, line: int) -> None:
    """Changes one line."""
    present = world.service.read(OWNER, KB, article)
    content = present.text.content.replace(LINES[line], f"Row {line}.")
    world.service.write(OWNER, KB, article, Edit(present.updated_at, content))


def verdicts(ledger: Ledger) -> list[str]:
    """The verdict of each stale answer, each of which cites one thing, in the order recorded."""
    return [str(answer.citations[0].verdict) for answer in ledger.list_stale()]


@pytest.mark.anyio
async def test_an_article_is_read_for_many_citations_and_asked_about_for_few(
    world: World, ledger: Ledger
) -> None:
    for article, lines in ((A, LINES), (B, LINES[:2])):
        publish(world, article)
        await record(world, ledger, article, *lines)
        edit(world, article, 1)
    changes, calls = await run(world, ledger.check(CHECKING))
    assert calls == [POLL, CHECK, READ]
    assert len(changes) == 42
    assert verdicts(ledger) == ["intact", "changed", *["intact"] * 38, "intact", "changed"]


@pytest.mark.anyio
async def test_a_long_article_is_asked_about_where_a_short_one_would_be_read(
    world: World, ledger: Ledger
) -> None:
    long = "\n\n".join([*LINES, "More. " * 5_000])
    world.service.write(OWNER, KB, A, Create(Text("T", long), publish=True))
    await record(world, ledger, A, *LINES)
    edit(world, A, 1)
    assert (await run(world, ledger.check(CHECKING)))[1] == [POLL, CHECK]


@pytest.mark.anyio
async def test_what_was_read_in_part_is_never_judged_by_that_part(
    world: World, ledger: Ledger
) -> None:
    publish(world, A)
    found, _ = await run(world, read(KB, A))
    part = replace(found, content="\n\n".join(LINES[:30]), complete=False)
    for line in [*LINES[:30], "Never said."]:
        ledger.record("Q?", "A.", [Rest(part, (Quote(line),))])
    edit(world, A, 1)
    _, calls = await run(world, ledger.check(CHECKING))
    assert calls == [POLL, CHECK]
    assert verdicts(ledger) == ["intact", "changed", *["intact"] * 28, "unfounded"]


@pytest.mark.anyio
@pytest.mark.spec("CITE-5")
async def test_after_an_expired_cursor_everything_is_asked_about(
    world: World, ledger: Ledger
) -> None:
    publish(world, A)
    await record(world, ledger, A, *LINES)
    edit(world, A, 1)
    edit(world, A, 2)
    log = Resource.of(KB)
    world.store.upkeep.compact(log, world.store.head(log))
    _, calls = await run(world, ledger.check(CHECKING))
    assert calls == [POLL, POLL, CHECK]
    assert verdicts(ledger) == ["intact", "changed", "changed", *["intact"] * 37]


@pytest.mark.anyio
@pytest.mark.spec("CITE-1", "CITE-5")
async def test_a_version_that_a_restore_lost_is_unfounded_though_the_cursor_stays_good(
    tmp_path: Path, world: World, ledger: Ledger
) -> None:
    publish(world, A)
    publish(world, B)
    await record(world, ledger, B, LINES[0])
    world.store.upkeep.backup(tmp_path / "backup")
    edit(world, A, 1)
    await record(world, ledger, A, *LINES[2:])
    restore_store(str(tmp_path / "restored.db"), tmp_path / "backup", world.clock.now())
    restored = open_store(str(tmp_path / "restored.db"))
    again = World(restored, world.clock)
    edit(again, B, 3)
    await run(again, ledger.check(CHECKING))
    restored.close()
    assert verdicts(ledger) == ["intact", *["unfounded"] * 38]


@pytest.mark.anyio
@pytest.mark.spec("CITE-4")
async def test_a_version_no_longer_kept_is_judged_by_what_the_ledger_remembers_either_way(
    tmp_path: Path, world: World
) -> None:
    twice = "\n\n".join([*LINES, LINES[0]])
    world.service.write(OWNER, KB, A, Create(Text("T", twice), publish=True))
    with Ledger(tmp_path / "few.db") as few, Ledger(tmp_path / "many.db") as many:
        await record(world, few, A, LINES[0])
        await record(world, many, A, *LINES)
        present = world.service.read(OWNER, KB, A)
        once = Edit(present.updated_at, "\n\n".join(LINES))
        world.service.write(OWNER, KB, A, once)
        world.store.upkeep.drop_revisions(KB, Stamp(9000))
        assert (await run(world, few.check(CHECKING)))[1] == [POLL, CHECK, READ]
        assert (await run(world, many.check(CHECKING)))[1] == [POLL, READ]
        # It stood twice in the version cited, which only the ledger remembers.
        assert verdicts(few) == ["changed"]
        assert verdicts(many) == ["changed", *["intact"] * 39]


@dataclass
class Checker:
    """Two ledgers of the same answers, one that reads and one that has the server check.

    Attributes:
        recorded: What the answers cite, one thing each.
        calls: What the ledger that has the server check called, by the tools' names.
    """

    world: World
    reading: Ledger
    checking: Ledger
    chance: random.Random
    recorded: list[Citation] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    async def assert_all_agree_for(self, steps: int) -> None:
        """Lets people and an agent do something, and checks that all three ways agree."""
        async with connected(endpoint_of(self.world), "auto") as connection:
            asked = AsyncClient(connection, frozenset({"check_citations"}))
            for _ in range(steps):
                # Much is cited of one article, and little of the others.
                article = ArticleId(self.chance.choice(["a1", "a1", "a1", "b2", "c1", "d2"]))
                happen(self.world, article, self.chance)
                if self.chance.random() < 0.1:
                    log, upkeep = Resource.of(KB), self.world.store.upkeep
                    upkeep.compact(log, self.chance.randint(1, self.world.store.head(log)))
                with suppress(GoneError):
                    found = await asked.run(read(KB, article))
                    for words in self.chance.sample(WORDS, 2):
                        rest = Rest(found, (Quote(words),))
                        self.reading.record("Q?", "A.", [rest])
                        self.checking.record("Q?", "A.", [rest])
                        self.recorded.append(replace(found.citation, quotes=rest.quotes))
                await asked.run(self.reading.check())
                await counted(asked, self.checking.check(asked.tools), self.calls)
                assert verdicts(self.reading) == verdicts(self.checking) == self.judged()

    def judged(self) -> list[str]:
        """The verdicts by looking at every version and every article."""
        service = self.world.service
        found = [service.check_citations(OWNER, [one]).judgements[0][1] for one in self.recorded]
        return [str(one.verdict) for one in found if one.verdict is not Verdict.CURRENT]


@pytest.mark.anyio
@pytest.mark.spec("CITE-4", "CITE-5")
@pytest.mark.parametrize("seed", range(3))
async def test_polling_checking_and_reading_again_agree_at_every_step_and_after_a_restore(
    tmp_path: Path, world: World, seed: int
) -> None:
    chance = random.Random(seed)
    with Ledger(tmp_path / "read.db") as reading, Ledger(tmp_path / "check.db") as checking:
        checker = Checker(world, reading, checking, chance)
        await checker.assert_all_agree_for(25)
        world.store.upkeep.backup(tmp_path / "backup")
        for _ in range(5):  # what the restore loses
            happen(world, ArticleId(chance.choice(["a1", "b2", "c1"])), chance)
        restore_store(str(tmp_path / "restored.db"), tmp_path / "backup", world.clock.now())
        restored = open_store(str(tmp_path / "restored.db"))
        checker.world = World(restored, world.clock)
        await checker.assert_all_agree_for(25)
        restored.close()
        assert {"check_citations", "read_knowledge_article"} <= set(checker.calls)


WORDS = ["Thirty days.", "No reason needed.", "Gift cards.", "Ask us."]


def happen(world: World, article: ArticleId, chance: random.Random) -> None:
    """Something that a person does to an article."""
    content = "\n\n".join(chance.sample(WORDS, chance.randint(1, 4)))
    try:
        present = world.service.get_article(OWNER, KB, article)
    except NotFoundError:
        write: Write = Create(Text("T", content), publish=True)
        world.service.write(OWNER, KB, article, write)
        return
    if present.updated_at and present.state in {"published", "withdrawn"}:
        write = chance.choice(possible(present.state, present.updated_at, content))
        world.service.write(OWNER, KB, article, write)


def possible(state: State, stamp: Stamp, content: str) -> list[Write]:
    """Mostly edits; a withdrawal, a deletion or a new publication now and then."""
    if state is State.WITHDRAWN:
        return [Publish(stamp, None), Publish(stamp, None), Delete(stamp)]
    return [*[Edit(stamp, content)] * 8, Withdraw(stamp), Delete(stamp)]
