"""The proof finds each way in which a store can disagree with itself."""

from pathlib import Path

import apsw
import pytest

from pincite.domain.edits import Create, SaveDraft
from pincite.domain.events import Resource, ResourceType
from pincite.domain.texts import Text
from pincite.storage import create_store, open_store
from tests.storage.writing import HANDBOOK, LOG, TEN_OCLOCK, Author

UNLIKE = " does not agree with event "
MOMENT = TEN_OCLOCK.milliseconds


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with an article of each state, a channel, and a restore behind it."""
    path = tmp_path / "store.db"
    store = create_store(str(path))
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    author = Author(store)
    author.publish("leave", "One.\n")
    author.edit("leave", "Two.\n")
    author.publish("withdrawn")
    author.withdraw("withdrawn")
    author.publish("deleted")
    author.delete("deleted")
    author.saved("draft", Create(Text("A title", "Draft.\n")))
    author.saved("leave", SaveDraft(None, author.stamp("leave"), Text("A title", "Draft.\n")))
    author.append(Resource(ResourceType.CHANNEL, "support"), "message.posted")
    author.later(60_000)
    store.upkeep.compact(LOG, 1)
    store.close()
    return path


def found(path: Path, *damage: str) -> list[str]:
    """What the proof says after some rows were changed behind the store's back."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = off")
    for sql in damage:
        connection.execute(sql)
        assert connection.changes() > 0
    connection.close()
    store = open_store(str(path))
    try:
        return list(store.upkeep.check())
    finally:
        store.close()


@pytest.mark.spec("FT-1")
def test_a_store_that_is_well_has_nothing_to_say(path: Path) -> None:
    assert found(path) == []


@pytest.mark.spec("FT-1")
@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (
            "DELETE FROM event WHERE sequence = 4",
            "Log knowledge_base/handbook ends at 6 and should hold 5 events after 1; it holds 4.",
        ),
        (
            "UPDATE log SET latest = 7 WHERE type = 'knowledge_base'",
            "Log knowledge_base/handbook ends at 7 and should hold 6 events after 1; it holds 5.",
        ),
        (
            "UPDATE event SET sequence = 2 WHERE data IS NOT NULL",
            "Log channel/support ends at 1 and should hold 1 events after 0; it holds 1.",
        ),
        (
            "INSERT INTO gap VALUES (1, 3, 6)",
            "Log knowledge_base/handbook ends at 6 and should hold 3 events after 1; it holds 5.",
        ),
        (
            "UPDATE knowledge_base SET published = 2",
            "Knowledge base handbook counts 2 published articles; it has 1.",
        ),
        (
            "UPDATE article SET revision = NULL WHERE id = 'withdrawn'",
            "Article handbook/withdrawn is withdrawn and has no text.",
        ),
        (
            "UPDATE revision SET content = NULL WHERE article = 'withdrawn'",
            "Article handbook/withdrawn is withdrawn and has no text.",
        ),
        (
            f"UPDATE article SET revision = {MOMENT} WHERE id = 'deleted'",
            "Article handbook/deleted is deleted and has a text.",
        ),
        (
            f"UPDATE article SET revision = {MOMENT} WHERE id = 'leave'",
            "Article handbook/leave is published, but its text is the one of another stamp.",
        ),
        (
            "DELETE FROM draft WHERE article = 'draft'",
            "Article handbook/draft is draft and has no draft.",
        ),
        (
            "UPDATE draft SET article = 'deleted' WHERE article = 'leave'",
            "Article handbook/deleted is deleted and has a draft.",
        ),
        (
            "UPDATE article SET drafted_at = drafted_at + 1 WHERE id = 'draft'",
            "Article handbook/draft has a draft that is not the last one it had.",
        ),
        (
            "UPDATE article SET updated_at = 5 WHERE id = 'withdrawn'",
            "Article handbook/withdrawn does not agree with its event 4.",
        ),
        (
            "UPDATE event SET type = 'article.deleted' WHERE sequence = 2",
            "Article handbook/leave does not agree with its event 2.",
        ),
        (
            "UPDATE article SET sequence = NULL WHERE id = 'leave'",
            f"Article handbook/leave has {MOMENT + 1}, and no number of an event.",
        ),
        (
            "UPDATE article SET sequence = 3 WHERE id = 'withdrawn'",
            "Event 4 of handbook is the latest of article withdrawn, which does not know it.",
        ),
        (
            "UPDATE revision SET sequence = 4 WHERE article = 'withdrawn'",
            f"Revision handbook/withdrawn at {MOMENT} does not agree with its event 4.",
        ),
        (
            "DELETE FROM revision WHERE article = 'withdrawn'",
            "Event 3 of handbook tells of a text of withdrawn that was never there.",
        ),
        (
            f"UPDATE event SET at = {MOMENT + 1} WHERE sequence = 3",
            "Event 4 of handbook has a stamp of withdrawn that is not later than the one before.",
        ),
        (
            "UPDATE receipt SET sequence = 3 WHERE sequence = 4",
            "Receipt token/anna-4 of token/anna in knowledge_base/handbook" + UNLIKE + "3.",
        ),
        (
            "UPDATE receipt SET sequence = 9 WHERE status = 'appended'",
            "Receipt token/anna-9 of token/anna in channel/support does not agree with event 9.",
        ),
        ("DELETE FROM search_entry", "Article handbook/leave is not in the index."),
        (
            "UPDATE search_entry SET digest = x'00'",
            "Article handbook/leave is indexed with another text.",
        ),
        (
            "UPDATE search_entry SET revision = 5",
            "Article handbook/leave is indexed with another text.",
        ),
        (
            "UPDATE search_entry SET id = id + (1 << 8)",
            "The index holds article number 2 of log 1, which is not published.",
        ),
        (
            "UPDATE article SET log = 9 WHERE id = 'draft'",
            "A row of article points at a row of knowledge_base that is not there.",
        ),
    ],
)
def test_each_disagreement_is_found(path: Path, damage: str, finding: str) -> None:
    assert finding in found(path, damage)


@pytest.mark.spec("FT-1")
def test_a_damaged_page_is_found(path: Path) -> None:
    connection = apsw.Connection(str(path))
    page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'imported'").get
    connection.close()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 + 3 : (page - 1) * 4096 + 5] = b"\x00\x09"
    path.write_bytes(content)
    store = open_store(str(path))
    findings = store.upkeep.check()
    store.close()
    assert any(finding.startswith("The file is damaged: ") for finding in findings)
