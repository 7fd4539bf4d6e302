"""Erasure, down to the bytes of the files."""

from pathlib import Path

import pytest

from pincite.domain.articles import State
from pincite.domain.edits import Create
from pincite.domain.texts import Text
from pincite.errors import StoreBusyError
from pincite.storage import open_store
from pincite.storage.sqlite import connections
from tests.storage.sqlite.filling import filled
from tests.storage.writing import HANDBOOK


@pytest.mark.spec("PUB-5")
def test_no_byte_of_an_erased_text_is_left_in_any_file(path: Path) -> None:
    author = filled(path)
    text = Text("Zyxomma", "Zyxomma flies at dusk. " * 400)
    author.saved("secret", Create(text, publish=True), author.request(note="zyxomma note"))
    for number in range(20):
        author.edit("secret", f"Zyxomma {number}. " * (number * 60 + 1))
        author.publish(f"other-{number}", f"Text {number}.\n" * 50)
    author.store.close()  # what was in the write-ahead log is in the database now
    author = author.at(open_store(str(path)))
    author.edit("secret", "Zyxomma, the last.\n")
    author.withdraw("secret")

    def holds() -> list[str]:
        files = sorted(path.parent.iterdir())
        return [file.name for file in files if b"zyxomma" in file.read_bytes().lower()]

    assert holds() == ["store.db", "store.db-wal"]
    assert author.store.upkeep.erase(HANDBOOK, author.find("secret").article_id, author.now)
    assert holds() == []
    author.publish("after", "Something else.\n")
    author.store.close()
    assert holds() == []


@pytest.mark.spec("PUB-5")
def test_an_erasure_that_a_long_view_holds_up_is_finished_by_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.05)
    author = filled(path)
    author.publish("secret", "Zyxomma.\n")
    author.withdraw("secret")
    name = author.find("secret").article_id
    with author.store.view() as view:
        view.list_knowledge_bases()
        with pytest.raises(StoreBusyError):
            author.store.upkeep.erase(HANDBOOK, name, author.now)
        assert author.find("secret").state is State.DELETED
    assert author.store.upkeep.erase(HANDBOOK, name, author.now) is True
    assert all(b"yxomma" not in file.read_bytes() for file in path.parent.iterdir())
    author.store.close()
