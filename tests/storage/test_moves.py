"""A knowledge base moves between engines, both ways, and nothing about it changes."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.domain.answers import Answer, Standing, cited_by
from pincite.domain.articles import ImportRecord
from pincite.domain.citations import Citation, Verdict
from pincite.domain.edits import Create, Edit, Request, SaveDraft
from pincite.domain.grants import Approval, Grant, Token
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.quotes import Quote
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import CursorExpiredError, DeniedError, InvalidInputError, NotFoundError
from pincite.ports import Committed, Replayed, Store
from pincite.storage import create_store, move_knowledge_base, open_store, restore_store
from tests.postgres_cluster import Cluster
from tests.storage.dump import dump
from tests.storage.writing import ANNA, HANDBOOK, LOG, PAYROLL, TEN_OCLOCK, Author, events

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite to postgresql", "postgresql to sqlite", "postgresql", "sqlite"])
def addresses(request: pytest.FixtureRequest, postgres: Cluster, tmp_path: Path) -> tuple[str, str]:
    """Where a store is, and where another shall be."""
    here, _, there = request.param.partition(" to ")

    def address(engine: str, name: str) -> str:
        return str(tmp_path / name) if engine == "sqlite" else postgres.new_place()

    return address(here, "here.db"), address(there or here, "there.db")


@pytest.fixture
def here(addresses: tuple[str, str], tmp_path: Path) -> Iterator[Store]:
    store = create_store(addresses[0], index_folder=tmp_path)
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    yield store
    store.close()


@pytest.fixture
def author(here: Store) -> Author:
    """Anna, whose store holds one of everything that belongs to a knowledge base."""
    author = Author(here)
    first = author.publish("leave", "Twelve weeks.\n\nAsk your lead.\n", "Leave \N{SEEDLING}")
    author.saved("leave", Edit(first, "Thirteen weeks.\r\n\nAsk your lead.  \n"))
    author.saved("leave", SaveDraft(None, author.stamp("leave"), Text("Draft", "Draft.\n")))
    author.saved("plan", Create(Text("Plan", "Not yet.\n")))
    author.publish("sick-days", "Tell your lead.\n")
    author.discard_a_draft("sick-days")
    author.withdraw("sick-days")
    author.publish("old")
    author.delete("old")
    author.publish("secret", "Nobody may know.\n")
    author.delete("secret")
    here.upkeep.erase(HANDBOOK, ArticleId("secret"), author.now)
    record = ImportRecord("a.md", ArticleId("leave"), "---\na: 1\n---\n", first, "Leave", {"a": 1})
    here.save_imports(HANDBOOK, [record])
    citation = Citation(HANDBOOK, ArticleId("leave"), first, (Quote("Twelve weeks."),))
    answer = Answer("a-1", "How long?", "Twelve.", (citation,), TEN_OCLOCK, ANNA)
    standings = [Standing(cited, Verdict.CHANGED) for cited in cited_by(citation)]
    here.ledger.record(HANDBOOK, answer, standings, author.request("answer"), 8)
    return author


def stale(store: Store) -> object:
    with store.view() as view:
        return view.ledger.reach(HANDBOOK), view.ledger.list_stale(HANDBOOK, None, 10)


@pytest.mark.spec("EV-2", "EV-6", "IDEM-5")
def test_what_moved_is_read_searched_and_checked_as_before(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    before, answers = dump(here), stale(here)
    move_knowledge_base(*addresses, HANDBOOK)
    there = open_store(addresses[1], index_folder=tmp_path / "there")
    assert dump(there) == before
    assert stale(there) == answers
    assert there.upkeep.check() == here.upkeep.check() == []
    there.close()


@pytest.mark.spec("EV-5")
def test_events_that_were_dropped_stay_dropped(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    here.upkeep.compact(LOG, 2)
    move_knowledge_base(*addresses, HANDBOOK)
    there = open_store(addresses[1], index_folder=tmp_path / "there")
    assert [event.sequence for event in events(there, after=2)] == [3, 4, 5, 6, 7, 8]
    with there.view() as view, pytest.raises(CursorExpiredError):
        view.list_events(LOG, 1, 100)
    there.close()


@pytest.mark.spec("STAMP-2")
def test_a_store_that_was_restored_passes_its_earliest_stamp_on(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    noon = Stamp.parse("2126-11-08T12:00:00.000Z")
    here.upkeep.backup(tmp_path / "backup")
    restored = str(tmp_path / "restored.db")
    restore_store(restored, tmp_path / "backup", noon)
    move_knowledge_base(restored, addresses[1], HANDBOOK)
    there = open_store(addresses[1], index_folder=tmp_path / "there")
    with there.view() as view:
        assert view.stamp_floor() == noon
    there.close()


@pytest.mark.spec("ACC-2")
def test_a_restore_can_end_every_token_that_still_holds(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    for name in ("anna", "ben"):
        grants = {"handbook": Grant.READ}
        here.save_token(Token(f"digest-{name}", name, grants, Approval.DIRECT, TEN_OCLOCK))
    ended = TEN_OCLOCK.next()
    here.revoke_token("anna", ended)
    here.upkeep.backup(tmp_path / "backup")
    noon = Stamp.parse("2026-11-08T12:00:00.000Z")
    restore_store(addresses[1], tmp_path / "backup", noon, revoke_tokens=True)
    there = open_store(addresses[1], index_folder=tmp_path / "there")
    with here.view() as before, there.view() as after:
        kept = [replace(token, revoked_at=ended) for token in before.list_tokens()]
        assert [token.revoked_at for token in after.list_tokens()] == [ended, noon]
        assert [replace(token, revoked_at=ended) for token in after.list_tokens()] == kept
    there.close()


@pytest.mark.spec("IDEM-1", "STAMP-2")
def test_a_moved_log_goes_on_and_its_keys_still_count(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    request = author.request("k")
    receipt = author.saved("leave", Edit(author.stamp("leave"), "Once.\n"), request)
    move_knowledge_base(*addresses, HANDBOOK)
    there = open_store(addresses[1], index_folder=tmp_path / "there")
    moved = Author(there)
    assert moved.write("leave", Edit(moved.stamp("leave"), "Twice.\n"), request) == Replayed(
        receipt
    )
    assert receipt.updated_at is not None
    assert receipt.sequence is not None
    again = moved.saved("leave", Edit(receipt.updated_at, "More.\n"), Request(ANNA, "new"))
    assert again.sequence == receipt.sequence + 1
    assert again.updated_at == Stamp(receipt.updated_at.milliseconds + 1)
    there.close()


def test_the_source_keeps_what_it_has_and_takes_no_more_writes(
    addresses: tuple[str, str], here: Store, author: Author
) -> None:
    move_knowledge_base(*addresses, HANDBOOK)
    before = dump(here)
    with pytest.raises(DeniedError, match="moved to another database"):
        author.edit("leave", "Too late.\n")
    with pytest.raises(DeniedError):
        author.saved("new", Create(Text("New", "Too late.\n")))
    with pytest.raises(DeniedError):
        author.saved("plan", SaveDraft(author.find("plan").version.draft_updated_at, None, LATE))
    with pytest.raises(DeniedError, match="moved to another database"):
        here.rename_knowledge_base(HANDBOOK, "Late")
    with pytest.raises(DeniedError):
        here.save_imports(HANDBOOK, [ImportRecord("b.md", LEAVE, "", None, "Late", {})])
    assert dump(here) == before
    with here.view() as view:
        found = view.find_knowledge_base(HANDBOOK)
    assert found is not None
    assert found.sealed


LEAVE = ArticleId("leave")
LATE = Text("Late", "Too late.\n")


def test_a_move_onto_what_is_there_is_refused_and_changes_nothing(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    there = create_store(addresses[1], index_folder=tmp_path / "there")
    there.create_knowledge_base(HANDBOOK, "Another", "de")
    before = dump(here), dump(there)
    with pytest.raises(InvalidInputError, match="already"):
        move_knowledge_base(*addresses, HANDBOOK)
    assert (dump(here), dump(there)) == before
    author.edit("leave", "Still open.\n")
    there.close()


def test_a_move_of_what_is_not_there_is_refused(addresses: tuple[str, str], here: Store) -> None:
    with pytest.raises(NotFoundError):
        move_knowledge_base(*addresses, KnowledgeBaseId("nowhere"))


def test_what_else_the_target_holds_stays_as_it_is(
    addresses: tuple[str, str], here: Store, author: Author, tmp_path: Path
) -> None:
    there = create_store(addresses[1], index_folder=tmp_path / "there")
    there.create_knowledge_base(PAYROLL, "Payroll", "de")
    payroll = Author(there, PAYROLL)
    stamp = payroll.publish("wages", "Every month.\n")
    move_knowledge_base(*addresses, HANDBOOK)
    assert payroll.stamp("wages") == stamp
    assert Author(there).find("leave") == author.find("leave")
    with there.view() as view:
        assert [one.knowledge_base_id for one in view.list_knowledge_bases()] == [HANDBOOK, PAYROLL]
        assert [hit.article_id for hit in view.search(PAYROLL, "monat month", 5)] == ["wages"]
    there.close()


@pytest.mark.spec("FT-1", "EV-2")
def test_a_write_is_either_moved_or_refused_while_others_write(
    addresses: tuple[str, str], here: Store, tmp_path: Path
) -> None:
    saved: list[str] = []
    begun = threading.Event()

    def write(number: int) -> None:
        author = Author(here)
        for edit in range(200):
            name = f"article-{number}-{edit}"
            request = Request(ANNA, name)
            try:
                outcome = author.write(name, Create(Text("A title", "Text.\n")), request)
            except DeniedError:
                return
            assert isinstance(outcome, Committed)
            saved.append(name)
            begun.set()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    begun.wait(30)
    move_knowledge_base(*addresses, HANDBOOK)
    for writer in writers:
        writer.join()
    there = open_store(addresses[1], index_folder=tmp_path / "there")
    with there.view() as view:
        moved = [one.article_id for one in view.list_articles(HANDBOOK, limit=1000)]
    assert sorted(moved) == sorted(saved)
    assert len(events(there)) == 0
    there.close()


def pincite(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pincite", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_handbook_that_went_to_postgresql_and_back_is_exported_alike(
    postgres: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first, second, third = (
        str(tmp_path / "first.db"),
        postgres.new_place(),
        str(tmp_path / "third.db"),
    )
    pincite("init", "--db", first, "--kb", "acorn", "--title", "Acorn", "--language", "en")
    folder = str(REPOSITORY / "examples" / "acorn-support")
    pincite("import", folder, "--db", first, "--kb", "acorn", "--publish")
    pincite("export", str(tmp_path / "before"), "--db", first, "--kb", "acorn")
    move_knowledge_base(first, second, KnowledgeBaseId("acorn"))
    pincite("export", str(tmp_path / "between"), "--db", second, "--kb", "acorn")
    pincite("doctor", "--db", second)
    move_knowledge_base(second, third, KnowledgeBaseId("acorn"))
    pincite("export", str(tmp_path / "after"), "--db", third, "--kb", "acorn")
    pincite("doctor", "--db", third)
    assert len(tree(tmp_path / "before")) >= 40
    assert tree(tmp_path / "before") == tree(tmp_path / "between") == tree(tmp_path / "after")
