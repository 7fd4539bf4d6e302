"""Erasure: no text is left; ids, stamps and events are."""

from pathlib import Path

import pytest

from pincite.domain.articles import ImportRecord, State
from pincite.domain.edits import Create, Edit, Publish, SaveDraft, Withdraw
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.texts import Text
from pincite.errors import GoneError, InvalidInputError
from pincite.ports import Store
from tests.storage.backends import Home
from tests.storage.dump import dump
from tests.storage.writing import HANDBOOK, TEN_OCLOCK, Author, events

LEAVE = ArticleId("leave")
SECRET = "Zyxomma"


@pytest.fixture
def withdrawn(author: Author) -> Author:
    """An article with a secret in each of its texts, withdrawn, with a draft beside it."""
    text = Text(f"{SECRET} title", f"{SECRET} one.\n")
    author.saved("leave", Create(text, publish=True), author.request(note=f"{SECRET} note"))
    author.edit("leave", f"{SECRET} two, and {SECRET.upper()} three.\n")
    stamp = author.stamp("leave")
    author.saved("leave", SaveDraft(None, stamp, Text(SECRET, f"{SECRET} draft.\n")))
    author.saved("leave", Withdraw(stamp))
    author.store.save_imports(
        HANDBOOK, [ImportRecord("a.md", LEAVE, f"---\ntitle: {SECRET}\n", stamp, SECRET, {})]
    )
    author.publish("sick-days", "Stays.\n")
    return author


@pytest.mark.spec("PUB-5")
def test_nothing_that_a_view_shows_holds_an_erased_text(withdrawn: Author) -> None:
    assert SECRET in repr(dump(withdrawn.store))
    assert withdrawn.store.upkeep.erase(HANDBOOK, LEAVE, withdrawn.now) is True
    assert SECRET not in repr(dump(withdrawn.store))
    with withdrawn.store.view() as view:
        (record,) = view.list_imports(HANDBOOK)
    assert (record.path, record.article_id) == ("a.md", "leave")
    assert withdrawn.store.upkeep.check() == []


@pytest.mark.spec("PUB-5")
def test_id_stamps_and_events_of_an_erased_article_stay(withdrawn: Author) -> None:
    store = withdrawn.store
    told = events(store)
    stamp = withdrawn.stamp("leave")
    with store.view() as view:
        stamps = [revision.updated_at for revision in view.list_revisions(HANDBOOK, LEAVE)]
    store.upkeep.erase(HANDBOOK, LEAVE, withdrawn.now)
    article = withdrawn.find("leave")
    assert (article.state, article.updated_at, article.sequence) == (State.DELETED, stamp, 3)
    assert (article.text, article.draft) == (None, None)
    assert events(store) == told
    assert len(stamps) == 2
    with store.view() as view:
        assert [view.had_stamp(HANDBOOK, LEAVE, stamp) for stamp in stamps] == [True, True]
        assert list(view.list_revisions(HANDBOOK, LEAVE)) == []
    with pytest.raises(InvalidInputError):
        withdrawn.write("leave", Create(Text("A title", "Again.\n")))
    with pytest.raises(GoneError):
        withdrawn.write("leave", Publish(stamp, None))


@pytest.mark.spec("PUB-5")
def test_a_new_backup_holds_no_byte_of_an_erased_text(
    home: Home, withdrawn: Author, tmp_path: Path
) -> None:
    store = withdrawn.store
    store.upkeep.backup(tmp_path / "before")
    assert SECRET.lower().encode() in (tmp_path / "before").read_bytes().lower()
    store.upkeep.erase(HANDBOOK, LEAVE, withdrawn.now)
    store.upkeep.backup(tmp_path / "after")
    assert SECRET.lower().encode() not in (tmp_path / "after").read_bytes().lower()
    assert home.restore(tmp_path / "after", withdrawn.now).upkeep.check() == []


@pytest.mark.spec("PUB-5")
def test_a_deleted_article_is_erased_too(author: Author) -> None:
    author.publish("leave", f"{SECRET}.\n")
    author.delete("leave")
    assert SECRET in repr(dump(author.store))
    assert author.store.upkeep.erase(HANDBOOK, LEAVE, author.now) is True
    assert SECRET not in repr(dump(author.store))


def test_an_article_that_is_published_or_a_draft_or_nowhere_is_not_erased(
    store: Store, author: Author
) -> None:
    author.publish("leave")
    author.saved("secret", Create(Text("A title", "Draft.\n")))
    before = dump(store)
    for name in ("leave", "secret", "never"):
        assert store.upkeep.erase(HANDBOOK, ArticleId(name), author.now) is False
    assert store.upkeep.erase(KnowledgeBaseId("nowhere"), LEAVE, author.now) is False
    assert dump(store) == before


def test_articles_beside_an_erased_one_are_untouched(withdrawn: Author) -> None:
    before = withdrawn.find("sick-days")
    withdrawn.store.upkeep.erase(HANDBOOK, LEAVE, withdrawn.now)
    assert withdrawn.find("sick-days") == before
    withdrawn.saved("sick-days", Edit(withdrawn.stamp("sick-days"), "Edited.\n"))
    with withdrawn.store.view() as view:
        assert [hit.article_id for hit in view.search(HANDBOOK, "edited", 5)] == ["sick-days"]
    assert withdrawn.stamp("sick-days") == TEN_OCLOCK.next()
