"""Backups are whole; a restored log never makes an old cursor valid for other events."""

import threading
from pathlib import Path

import pytest

from pincite.domain.articles import ImportRecord
from pincite.domain.edits import Create, Edit, SaveDraft
from pincite.domain.events import EventPage, Gap, Resource, ResourceType
from pincite.domain.grants import Approval, Grant, Token
from pincite.domain.ids import ArticleId
from pincite.domain.stamps import Stamp, next_stamp
from pincite.domain.texts import Text
from pincite.errors import CursorExpiredError, InvalidInputError
from pincite.ports import Committed, Replayed, Store
from tests.storage.backends import Home
from tests.storage.dump import SESSION
from tests.storage.writing import ANNA, HANDBOOK, LOG, PAYROLL, TEN_OCLOCK, Author, events

LEAVE = ArticleId("leave")
SESSION_LOG = Resource(ResourceType.SESSION, SESSION)
NOON = Stamp.parse("2026-11-08T12:00:00.000Z")


@pytest.fixture
def backup(author: Author, tmp_path: Path) -> Path:
    """A backup of a store that holds one of everything; three events in its log."""
    store = author.store
    first = author.publish("leave", "Twelve weeks.\n")
    author.saved("leave", Edit(first, "Thirteen.\n"), author.request("k", "f", session=SESSION))
    author.saved("leave", SaveDraft(None, author.stamp("leave"), Text("Draft", "Draft.\n")))
    author.publish("sick-days")
    author.discard_a_draft("sick-days")
    store.save_token(Token("d1", "bot", {"handbook": Grant.READ}, Approval.DIRECT, TEN_OCLOCK))
    store.save_imports(HANDBOOK, [ImportRecord("a.md", LEAVE, "---\n", first, "Leave", {})])
    target = tmp_path / "backup"
    store.upkeep.backup(target)
    return target


@pytest.mark.spec("IDEM-5", "EV-6")
def test_a_restored_store_holds_all_that_the_backup_held(
    home: Home, author: Author, backup: Path
) -> None:
    restored = home.restore(backup, NOON)
    with author.store.view() as before, restored.view() as after:
        for name in ("leave", "sick-days"):
            article_id = ArticleId(name)
            assert after.find_article(HANDBOOK, article_id) == before.find_article(
                HANDBOOK, article_id
            )
            assert list(after.list_revisions(HANDBOOK, article_id)) == list(
                before.list_revisions(HANDBOOK, article_id)
            )
        assert after.list_tokens() == before.list_tokens()
        assert after.list_imports(HANDBOOK) == before.list_imports(HANDBOOK)
        assert after.find_receipt(LOG, ANNA, "k") == before.find_receipt(LOG, ANNA, "k")
        assert after.find_receipt(LOG, ANNA, "k") is not None
        assert [hit.article_id for hit in after.search(HANDBOOK, "thirteen", 5)] == ["leave"]
    assert events(restored) == events(author.store)
    assert restored.upkeep.check() == []


@pytest.mark.spec("EV-6")
def test_a_restored_log_goes_on_beyond_a_gap_under_a_new_epoch(
    home: Home, author: Author, backup: Path
) -> None:
    with author.store.view() as view:
        old = view.find_knowledge_base(HANDBOOK)
    restored = home.restore(backup, NOON)
    first = 1_794_139_200_000  # noon, in milliseconds
    with restored.view() as view:
        new = view.find_knowledge_base(HANDBOOK)
        page = view.list_events(LOG, 0, 100)
    assert old is not None
    assert new is not None
    assert new.epoch != old.epoch
    assert new.latest_sequence == first - 1
    assert page.gap == Gap(3, first)
    assert [event.sequence for event in page.events] == [1, 2, 3]
    assert (page.next_sequence, page.latest_sequence) == (first - 1, first - 1)
    receipt = author.at(restored).saved("new", Create(Text("A title", "x\n"), publish=True))
    assert receipt.sequence == first
    assert [event.sequence for event in events(restored)] == [1, 2, 3, first]
    assert [event.sequence for event in events(restored, after=3)] == [first]
    assert restored.upkeep.check() == []


@pytest.mark.spec("EV-6")
def test_a_cursor_from_events_that_the_backup_lacks_is_expired(
    home: Home, author: Author, backup: Path
) -> None:
    author.publish("lost-1")
    author.publish("lost-2")
    restored = home.restore(backup, NOON)
    author.at(restored).publish("new")
    for after in (4, 5, 1_000_000):
        with restored.view() as view, pytest.raises(CursorExpiredError):
            view.list_events(LOG, after, 100)
    with restored.view() as view:
        assert view.list_events(LOG, 3, 100).gap == Gap(3, 1_794_139_200_000)


@pytest.mark.spec("EV-6")
def test_every_log_is_broken_off_by_a_restore(home: Home, author: Author, backup: Path) -> None:
    assert len(events(author.store, SESSION_LOG)) == 1
    author.append(SESSION_LOG, "question.asked")
    restored = home.restore(backup, NOON)
    assert restored.head(SESSION_LOG) == 1_794_139_199_999
    with restored.view() as view, pytest.raises(CursorExpiredError):
        view.list_events(SESSION_LOG, 2, 100)


@pytest.mark.spec("EV-6")
@pytest.mark.parametrize("kind", [ResourceType.CHANNEL, ResourceType.SESSION])
def test_a_log_begun_after_the_backup_and_again_after_the_restore_takes_no_old_cursor(
    home: Home, author: Author, backup: Path, kind: ResourceType
) -> None:
    lost = Resource(kind, "token/anna/later")
    for _ in range(2):
        author.append(lost, "told")
    assert author.store.head(lost) == 2
    restored = home.restore(backup, NOON)
    for _ in range(3):
        author.at(restored).append(lost, "told")
    first = 1_794_139_200_000  # noon, in milliseconds
    for after in (1, 2, 3):
        with restored.view() as view, pytest.raises(CursorExpiredError):
            view.list_events(lost, after, 100)
    with restored.view() as view:
        page = view.list_events(lost, 0, 100)
    assert page.gap == Gap(0, first)
    assert [event.sequence for event in page.events] == [first, first + 1, first + 2]
    assert restored.upkeep.check() == []


@pytest.mark.spec("EV-6")
def test_a_knowledge_base_made_after_the_backup_and_again_after_the_restore_takes_no_old_cursor(
    home: Home, author: Author, backup: Path
) -> None:
    payroll = Resource.of(PAYROLL)
    author.store.create_knowledge_base(PAYROLL, "Payroll", "en")
    lost = Author(author.store, PAYROLL)
    for name in ("a", "b"):
        lost.publish(name)
    assert author.store.head(payroll) == 2
    restored = home.restore(backup, NOON)
    restored.create_knowledge_base(PAYROLL, "Payroll", "en")
    again = Author(restored, PAYROLL)
    with restored.view() as view:
        assert view.list_events(payroll, 0, 100).events == ()
    for name in ("c", "d", "e"):
        again.publish(name)
    with restored.view() as view, pytest.raises(CursorExpiredError):
        view.list_events(payroll, 2, 100)
    first = 1_794_139_200_000  # noon, in milliseconds
    with restored.view() as view:
        assert view.list_events(payroll, 0, 100).gap == Gap(0, first)
        assert view.list_events(payroll, first, 1).gap is None
    assert [event.sequence for event in events(restored, payroll)] == [first, first + 1, first + 2]
    assert restored.upkeep.check() == []


@pytest.mark.spec("EV-6")
def test_a_small_page_tells_the_gap_when_it_comes_to_it(
    home: Home, author: Author, backup: Path
) -> None:
    restored = home.restore(backup, NOON)
    with restored.view() as view:
        assert view.list_events(LOG, 0, 2).gap is None
        assert view.list_events(LOG, 2, 1) == EventPage(
            (events(restored)[2],), 3, 1_794_139_199_999
        )
        assert view.list_events(LOG, 3, 1).gap == Gap(3, 1_794_139_200_000)
        assert view.list_events(LOG, 1_794_139_199_999, 1).gap is None


@pytest.mark.spec("EV-6", "STAMP-2")
def test_two_restores_of_one_backup_give_out_different_numbers_and_epochs(
    home: Home, author: Author, backup: Path
) -> None:
    once = home.restore(backup, NOON)
    again = home.restore(backup, NOON.next())
    author.at(once).publish("new")
    assert once.head(LOG) == 1_794_139_200_000
    assert again.head(LOG) == 1_794_139_200_000
    with once.view() as first, again.view() as second:
        bases = first.find_knowledge_base(HANDBOOK), second.find_knowledge_base(HANDBOOK)
    epochs = {base.epoch for base in bases if base}
    assert len(epochs) == 2
    receipt = author.at(again).saved("new", Create(Text("A title", "x\n"), publish=True))
    assert receipt.sequence == 1_794_139_200_001


@pytest.mark.spec("STAMP-2")
def test_stamps_given_out_after_a_restore_are_later_than_all_before_it(
    home: Home, author: Author, tmp_path: Path
) -> None:
    author.later(7_200_001)
    stamp = author.publish("leave")
    author.store.upkeep.backup(tmp_path / "backup")
    with home.restore(tmp_path / "backup", NOON).view() as view:
        assert view.stamp_floor() == stamp
    with home.restore(tmp_path / "backup", stamp.next()).view() as view:
        assert view.stamp_floor() == stamp.next()
    with author.store.view() as view:
        assert view.stamp_floor() is None


@pytest.mark.spec("STAMP-2")
def test_a_draft_that_was_ahead_of_the_clock_raises_the_floor(
    home: Home, author: Author, tmp_path: Path
) -> None:
    author.later(9_000_000)
    author.saved("leave", Create(Text("A title", "x\n")))
    author.store.upkeep.backup(tmp_path / "backup")
    with home.restore(tmp_path / "backup", NOON).view() as view:
        assert view.stamp_floor() == next_stamp(author.now)


@pytest.mark.spec("STAMP-2")
def test_a_restore_by_a_clock_that_went_back_keeps_the_floor_of_the_one_before(
    home: Home, backup: Path, tmp_path: Path
) -> None:
    home.restore(backup, NOON).upkeep.backup(tmp_path / "second")
    with home.restore(tmp_path / "second", TEN_OCLOCK).view() as view:
        assert view.stamp_floor() == NOON


@pytest.mark.spec("EV-6")
def test_a_restored_store_can_be_backed_up_and_restored(
    home: Home, author: Author, backup: Path, tmp_path: Path
) -> None:
    restored = home.restore(backup, NOON)
    author.at(restored).publish("new")
    restored.upkeep.backup(tmp_path / "second")
    again = home.restore(tmp_path / "second", NOON)
    author.at(again).publish("newer")
    assert [event.sequence for event in events(again)] == [
        *(1, 2, 3),
        1_794_139_200_000,
        1_794_140_200_000,
    ]
    with again.view() as view:
        assert view.list_events(LOG, 0, 100).gap == Gap(3, 1_794_139_200_000)
        later = view.list_events(LOG, 1_794_139_200_000, 100)
    assert later.gap == Gap(1_794_139_200_000, 1_794_140_200_000)
    assert again.upkeep.check() == []


@pytest.mark.spec("IDEM-1")
def test_a_request_from_before_the_backup_is_replayed_after_the_restore(
    home: Home, author: Author, backup: Path
) -> None:
    restored = author.at(home.restore(backup, NOON))
    edit = Edit(restored.stamp("leave"), "Other.\n")
    assert isinstance(restored.write("leave", edit, author.request("k", "f")), Replayed)


def test_a_backup_never_overwrites_and_what_it_lies_beside_stays(
    store: Store, backup: Path
) -> None:
    before = backup.read_bytes()
    with pytest.raises(InvalidInputError):
        store.upkeep.backup(backup)
    assert backup.read_bytes() == before


def test_a_backup_made_while_others_write_is_one_moment(
    home: Home, author: Author, tmp_path: Path
) -> None:
    author.publish("leave", "0\n")
    writer = author.at(home.open())
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            writer.edit("leave", f"{number}\n")

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for number in range(3):
            seen = author.store.head(LOG)
            author.store.upkeep.backup(tmp_path / f"backup-{number}")
            restored = home.restore(tmp_path / f"backup-{number}", NOON)
            assert restored.upkeep.check() == []
            article = author.at(restored).find("leave")
            assert article.sequence is not None
            assert article.sequence >= seen
            assert article.text == Text("A title", f"{article.sequence - 1}\n")
    finally:
        over.set()
        writing.join(60)
    outcome = author.write("leave", Edit(author.stamp("leave"), "Last.\n"))
    assert isinstance(outcome, Committed)
