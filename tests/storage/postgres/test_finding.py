"""Search beside PostgreSQL: each host's index follows the logs and can be lost at any time."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import psycopg
import pytest

from pincite.domain.ids import ArticleId
from pincite.errors import StoreUnavailableError
from pincite.ports import Store
from pincite.storage import create_store
from tests.postgres_cluster import Cluster
from tests.storage.writing import HANDBOOK, LOG, Author

Host = Callable[[str], Store]

SEARCH = """
import sys
from pathlib import Path
from pincite.domain.ids import KnowledgeBaseId
from pincite.storage import open_store
store = open_store(sys.argv[1], index_folder=Path(sys.argv[2]))
for line in sys.stdin:
    with store.view() as view:
        hits = view.search(KnowledgeBaseId("handbook"), line.strip(), 20)
    print(*sorted(hit.article_id for hit in hits), flush=True)
store.close()
"""


@pytest.fixture
def url(postgres: Cluster) -> str:
    return postgres.new_place()


@pytest.fixture
def host(url: str, tmp_path: Path) -> Iterator[Host]:
    """Opens the store as a server on a host of some name does."""
    opened: list[Store] = []

    def open_on(name: str) -> Store:
        opened.append(create_store(url, index_folder=tmp_path / name))
        return opened[-1]

    yield open_on
    for store in opened:
        store.close()


@pytest.fixture
def author(host: Host) -> Author:
    store = host("first")
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    return Author(store)


def found(store: Store, query: str) -> list[str]:
    with store.view() as view:
        return [hit.article_id for hit in view.search(HANDBOOK, query, 10)]


def index_file(folder: Path) -> Path:
    (file,) = folder.glob("*.db")
    return file


@pytest.mark.spec("PUB-2")
def test_what_one_host_saves_or_withdraws_the_next_search_on_another_knows(
    host: Host, author: Author
) -> None:
    second = host("second")
    author.publish("leave", "Twelve weeks.\n")
    assert (found(author.store, "twelve"), found(second, "twelve")) == (["leave"], ["leave"])
    author.edit("leave", "Thirteen weeks.\n")
    assert (found(second, "twelve"), found(second, "thirteen")) == ([], ["leave"])
    author.withdraw("leave")
    assert (found(author.store, "thirteen"), found(second, "thirteen")) == ([], [])


def test_an_index_that_begins_late_holds_what_was_published_before_and_nothing_else(
    host: Host, author: Author
) -> None:
    for number in range(230):  # more than one batch
        author.publish(f"article-{number}", f"Common words, number {number}x.\n")
    author.withdraw("article-7")
    author.delete("article-8")
    late = host("late")
    assert found(late, "229x") == ["article-229"]
    assert found(late, "7x") == found(late, "8x") == []
    assert len(found(late, "common")) == 10


def test_an_index_that_is_deleted_or_damaged_is_made_anew(
    host: Host, author: Author, tmp_path: Path
) -> None:
    author.publish("leave", "Twelve weeks.\n")
    assert found(author.store, "twelve") == ["leave"]
    file = index_file(tmp_path / "first")
    for damage in (Path.unlink, lambda path: path.write_bytes(b"no database " * 1000)):
        for beside in file.parent.glob(f"{file.name}-*"):
            beside.unlink()
        damage(file)
        assert found(host("first"), "twelve") == ["leave"]


def test_an_index_behind_events_that_were_dropped_is_made_anew(host: Host, author: Author) -> None:
    author.publish("leave", "Twelve weeks.\n")
    second = host("second")
    assert found(second, "twelve") == ["leave"]
    second.close()
    author.withdraw("leave")
    author.publish("sick-days", "Tell your lead.\n")
    author.store.upkeep.compact(LOG, 3)
    second = host("second")
    assert (found(second, "twelve"), found(second, "lead")) == ([], ["sick-days"])


@pytest.mark.spec("EV-6")
def test_an_index_of_an_epoch_that_ended_is_made_anew(host: Host, author: Author, url: str) -> None:
    author.publish("leave", "Twelve weeks.\n")
    assert found(author.store, "twelve") == ["leave"]
    with psycopg.connect(url) as connection:
        # As after a failover that lost an event which this host's index had followed.
        connection.execute("UPDATE revision SET content = 'Thirteen weeks.'")
        connection.execute("UPDATE log SET epoch = 'another', latest = 1")
    assert (found(author.store, "twelve"), found(author.store, "thirteen")) == ([], ["leave"])


@pytest.mark.spec("PUB-5")
def test_an_erased_text_leaves_no_byte_in_any_hosts_index(
    host: Host, author: Author, tmp_path: Path
) -> None:
    second = host("second")
    author.publish("leave", "Xylophonist.\n")
    author.publish("sick-days", "Tell your lead.\n")
    assert found(author.store, "xylophonist") == found(second, "xylophonist") == ["leave"]
    author.withdraw("leave")
    author.store.upkeep.erase(HANDBOOK, ArticleId("leave"), author.now)
    for store, name in ((author.store, "first"), (second, "second")):
        assert found(store, "lead") == ["sick-days"]
        store.close()  # the last connection writes the file's log into it
        assert b"xylophonist" not in index_file(tmp_path / name).read_bytes()


def test_a_view_finds_what_it_reads_though_the_index_is_ahead(host: Host, author: Author) -> None:
    author.publish("leave", "Ask your lead.\n\nTwelve weeks.\n")
    author.publish("gone", "Twelve days.\n")
    assert found(author.store, "twelve") == ["gone", "leave"]
    other = host("first")
    with author.store.view() as old:
        assert old.find_knowledge_base(HANDBOOK) is not None
        author.edit("leave", "Thirteen months.\n")
        author.withdraw("gone")
        author.publish("new", "Twelve years.\n")
        assert (found(other, "twelve"), found(other, "thirteen")) == (["new"], ["leave"])
        hits = {hit.article_id: hit for hit in old.search(HANDBOOK, "twelve", 10)}
        assert old.search(HANDBOOK, "thirteen", 10) == []
        passages = old.list_passages(
            HANDBOOK, ArticleId("leave"), hits[ArticleId("leave")].updated_at
        )
    assert sorted(hits) == ["gone", "leave"]
    assert hits[ArticleId("leave")].passage == passages[1]
    assert (found(other, "twelve"), found(other, "thirteen")) == (["new"], ["leave"])


def test_the_proof_looks_at_this_hosts_index(author: Author, tmp_path: Path) -> None:
    author.publish("leave", "Twelve weeks.\n")
    author.publish("sick-days", "Tell your lead.\n")
    check = author.store.upkeep.check
    assert check() == []
    assert not list((tmp_path / "first").glob("*.db"))  # the proof makes no index
    assert found(author.store, "twelve") == ["leave"]
    assert check() == []
    with apsw.Connection(str(index_file(tmp_path / "first"))) as file:
        file.execute(
            "UPDATE search_entry SET digest = x'00' WHERE id IN (SELECT min(id) FROM search_entry)"
        )
    assert check() == ["Article number 1 of handbook is indexed with another text."]


def test_an_index_folder_that_cannot_be_written_says_so(
    url: str, author: Author, tmp_path: Path
) -> None:
    author.publish("leave", "Twelve weeks.\n")
    (tmp_path / "file").write_text("in the way")
    store = create_store(url, index_folder=tmp_path / "file")
    with pytest.raises(StoreUnavailableError, match="search index"):
        found(store, "twelve")
    store.close()


def test_processes_of_one_host_share_an_index_and_answer_alike(
    url: str, author: Author, tmp_path: Path
) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SEARCH, url, str(tmp_path / "shared")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    expected: list[str] = []
    for number in range(10):
        author.publish(f"article-{number}", "Common words.\n")
        expected = sorted([*expected, f"article-{number}"])
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("common\n")
            process.stdin.flush()
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline().split() == expected
    for process in processes:
        process.communicate()
    assert len(list((tmp_path / "shared").glob("*.db"))) == 1
