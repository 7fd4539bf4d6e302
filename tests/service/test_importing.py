from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from pincite.domain.articles import ImportRecord, State
from pincite.domain.decide import Decision
from pincite.domain.documents import Document, Finding, Source
from pincite.domain.edits import Create, Delete, Edit, Publish, Request, Withdraw
from pincite.domain.grants import Bearer, Grant, LocalUser
from pincite.domain.ids import ArticleId, KnowledgeBaseId
from pincite.domain.imports import ImportStatus
from pincite.domain.stamps import Stamp
from pincite.domain.texts import Text
from pincite.errors import DeniedError, NotFoundError
from pincite.importers.folder import read_folder, write_folder
from pincite.ports import Outcome, Store
from pincite.service.access import digest_of
from pincite.service.environment import Limits
from pincite.service.importing import ImportOptions, ImportReport
from pincite.service.knowledge_base import Service
from pincite.storage import open_store

KB = KnowledgeBaseId("kb")
PERSON = LocalUser()
PUBLISH = ImportOptions(publish=True)
OLD, FILE = "one\n\ntwo\n\nthree\n", "one\n\ntwo\n\nthree, says the file\n"
HERE, BOTH = (
    "one, says a person\n\ntwo\n\nthree\n",
    "one, says a person\n\ntwo\n\nthree, says the file\n",
)


class Ticking:
    """A clock that moves on at every look, and a source of ids in order."""

    def __init__(self) -> None:
        self._ticks = count(1)

    def now(self) -> Stamp:
        return Stamp(next(self._ticks))

    def new_id(self) -> str:
        return f"id-{next(self._ticks)}"

    def new_secret(self) -> str:
        return f"secret-{next(self._ticks)}"


class Desk:
    """A knowledge base and the folder that it is imported from."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.service = Service(store, Ticking(), Ticking())
        self.service.create_knowledge_base(PERSON, KB, "KB", "en")

    def write(self, files: dict[str, bytes | str]) -> None:
        for name, data in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def run(self, options: ImportOptions = PUBLISH) -> ImportReport:
        return self.service.import_documents(PERSON, KB, read_folder(self.folder), options)

    def fared(self, options: ImportOptions = PUBLISH) -> dict[str, str]:
        return {entry.path: entry.status.value for entry in self.run(options).entries}

    def read(self, article_id: str) -> tuple[State, str | None, str | None]:
        article = self.service.get_article(PERSON, KB, ArticleId(article_id))
        return (
            article.state,
            article.text.content if article.text else None,
            article.draft.text.content if article.draft else None,
        )

    def edit(self, article_id: str, content: str, title: str | None = None) -> None:
        found = self.service.read(PERSON, KB, ArticleId(article_id))
        self.service.write(
            PERSON, KB, ArticleId(article_id), Edit(found.updated_at, content, title)
        )

    def end(self) -> int:
        return self.service.list_knowledge_bases(PERSON)[0].knowledge_base.latest_sequence

    def records(self) -> list[ImportRecord]:
        with self.store.view() as view:
            return list(view.list_imports(KB))

    def exported(self, target: Path, *, drafts: bool = False) -> dict[str, bytes]:
        articles = [
            article
            for article in self.service.export_articles(PERSON, KB)
            if drafts or not article.draft
        ]
        write_folder(target, articles)
        files = (path for path in target.rglob("*") if path.is_file())
        return {path.relative_to(target).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Desk]:
    store = open_store(":memory:")
    folder = tmp_path / "folder"
    folder.mkdir()
    yield Desk(store, folder)
    store.close()


AWKWARD: dict[str, bytes | str] = {
    "crlf.md": b"---\r\ntitle: Invoices\r\n---\r\n# Other\r\nline  \r\n",
    "sub/bom.md": b"\xef\xbb\xbf# Marked\n",
    "sub/bom front.md": b"\xef\xbb\xbf---\ntitle: Both\n---\n\n\ntext",
    "broken.md": b"---\ntitle: a: b\nx: [\n---\ntext {{ x }} <Tab/>\n:::tip\n",
    "no-end.md": "日本語 🙂 no line end".encode(),
    "breaks.md": b"---\nA line.\n---\ntext\n",
    "space.mdx": b"   \n",
}


@pytest.mark.spec("TEXT-1")
def test_what_is_imported_and_exported_is_the_same_bytes(kb: Desk, tmp_path: Path) -> None:
    kb.write(AWKWARD)
    assert set(kb.fared().values()) == {"new"}
    assert kb.exported(tmp_path / "out") == AWKWARD


def test_importing_twice_changes_nothing(kb: Desk) -> None:
    kb.write(AWKWARD)
    kb.run()
    before = (kb.end(), kb.records())
    assert set(kb.fared().values()) == {"unchanged"}
    assert (kb.end(), kb.records()) == before
    assert kb.end() == len(AWKWARD)


def test_importing_what_was_exported_changes_nothing(kb: Desk, tmp_path: Path) -> None:
    kb.write(AWKWARD)
    kb.run()
    kb.service.write(PERSON, KB, ArticleId("here/only"), Create(Text("By hand", "text"), True))
    kb.edit("crlf", "# Other\r\nnew words\r\n", 'A "new" title')
    kb.folder = tmp_path / "again"
    files = kb.exported(kb.folder)
    assert files["here/only.md"] == b'---\ntitle: "By hand"\n---\ntext'
    assert files["crlf.md"].startswith(b'---\r\ntitle: "A \\"new\\" title"\r\n---\r\n')
    before = kb.end()
    assert set(kb.fared().values()) == {"unchanged"}
    assert kb.end() == before


@pytest.mark.spec("TEXT-1")
def test_new_front_matter_alone_moves_no_stamp_and_is_exported(kb: Desk, tmp_path: Path) -> None:
    kb.write({"a.md": "---\ntitle: T\nreviewed: 2025-01-01\n---\ntext"})
    kb.run()
    stamp = kb.service.read(PERSON, KB, ArticleId("a")).updated_at
    newer = "---\ntitle: T\nreviewed: 2026-01-01\n---\ntext"
    kb.write({"a.md": newer})
    assert kb.fared() == {"a.md": "unchanged"}
    assert kb.service.read(PERSON, KB, ArticleId("a")).updated_at == stamp
    assert kb.end() == 1
    assert kb.exported(tmp_path / "out") == {"a.md": newer.encode()}


def test_only_the_files_that_changed_are_written(kb: Desk) -> None:
    kb.write({"a.md": "a", "b.md": "b"})
    kb.run()
    kb.write({"b.md": "# New title\n", "c.md": "c"})
    assert kb.fared() == {"a.md": "unchanged", "b.md": "changed", "c.md": "new"}
    assert kb.end() == 4
    assert kb.service.read(PERSON, KB, ArticleId("b")).text == Text("New title", "# New title\n")


def test_a_dry_run_tells_what_the_import_would_do_and_writes_nothing(kb: Desk) -> None:
    kb.write({"a.md": OLD, "b.md": "b", "gone.md": "gone", "kept.md": OLD, "clash.md": OLD})
    kb.run()
    kb.edit("a", HERE)
    kb.edit("kept", HERE)
    kb.edit("clash", OLD + "here")
    kb.write({"a.md": FILE, "b.md": "new b", "new.md": "new", "clash.md": OLD + "file"})
    (kb.folder / "gone.md").unlink()
    options = ImportOptions(publish=True, withdraw_removed=True)
    before = (kb.end(), kb.records())
    told = kb.fared(replace(options, dry_run=True))
    assert (kb.end(), kb.records()) == before
    assert told == {
        "a.md": "merged",
        "b.md": "changed",
        "clash.md": "conflict",
        "gone.md": "withdrawn",
        "kept.md": "kept",
        "new.md": "new",
    }
    assert kb.fared(options) == told


@pytest.mark.spec("CAS-5")
def test_an_article_that_a_person_changed_is_merged_or_reported_never_overwritten(
    kb: Desk,
) -> None:
    kb.write({"merge.md": OLD, "clash.md": OLD})
    kb.run()
    kb.edit("merge", HERE)
    kb.edit("clash", "one\n\ntwo\n\nthree, says a person\n")
    kb.write({"merge.md": FILE, "clash.md": FILE})
    for merge, clash in (("merged", "conflict"), ("kept", "conflict")):
        assert kb.fared() == {"merge.md": merge, "clash.md": clash}
        assert kb.read("merge")[1] == BOTH
        assert kb.read("clash")[1] == "one\n\ntwo\n\nthree, says a person\n"
    kb.write({"merge.md": FILE + "\nfour\n"})
    assert kb.fared()["merge.md"] == "merged"
    assert kb.read("merge")[1] == BOTH + "\nfour\n"


@pytest.mark.spec("CAS-5")
def test_a_conflict_ends_when_the_article_and_its_file_agree(kb: Desk, tmp_path: Path) -> None:
    kb.write({"a.md": OLD})
    kb.run()
    kb.edit("a", "a person's")
    kb.write({"a.md": "the file's"})
    assert kb.fared() == {"a.md": "conflict"}
    write_folder(kb.folder, kb.service.export_articles(PERSON, KB), replace=True)
    assert kb.fared() == {"a.md": "unchanged"}
    kb.write({"a.md": "the file's, later"})
    assert kb.fared() == {"a.md": "changed"}


class Meddling:
    """A store to which somebody else writes right before the first edit of ours."""

    def __init__(self, store: Store, other: Service) -> None:
        self._store = store
        self._other = other
        self.meddled = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def commit(self, decision: Decision, request: Request, at: Stamp) -> Outcome:
        if not self.meddled:
            self.meddled = True
            found = self._other.read(PERSON, KB, ArticleId("a"))
            self._other.write(PERSON, KB, ArticleId("a"), Edit(found.updated_at, HERE))
        return self._store.commit(decision, request, at)


@pytest.mark.spec("CAS-5")
def test_an_edit_that_comes_between_plan_and_write_is_merged_too(kb: Desk) -> None:
    kb.write({"a.md": OLD})
    kb.run()
    kb.write({"a.md": FILE})
    meddling = Meddling(kb.store, kb.service)
    service = Service(meddling, Ticking(), Ticking())  # type: ignore[arg-type]
    report = service.import_documents(PERSON, KB, read_folder(kb.folder), PUBLISH)
    assert meddling.meddled
    assert [entry.status for entry in report.entries] == [ImportStatus.MERGED]
    assert kb.read("a")[1] == BOTH


def test_a_draft_stays_a_draft_until_its_file_and_the_import_say_publish(kb: Desk) -> None:
    kb.write({"plain.md": "text", "wip.md": "---\nstatus: draft\n---\ntext"})
    assert kb.fared(ImportOptions()) == {"plain.md": "new", "wip.md": "new"}
    assert kb.end() == 0
    assert kb.fared() == {"plain.md": "published", "wip.md": "unchanged"}
    assert kb.read("plain") == (State.PUBLISHED, "text", None)
    assert kb.read("wip") == (State.DRAFT, None, "text")
    kb.write({"wip.md": "text, ready"})
    assert kb.fared() == {"plain.md": "unchanged", "wip.md": "changed"}
    assert kb.read("wip") == (State.PUBLISHED, "text, ready", None)


def test_without_publish_a_published_text_stays_as_it_is(kb: Desk) -> None:
    kb.write({"a.md": OLD})
    kb.run()
    kb.write({"a.md": FILE})
    assert kb.fared(ImportOptions()) == {"a.md": "changed"}
    assert kb.read("a") == (State.PUBLISHED, OLD, FILE)
    assert kb.fared(ImportOptions()) == {"a.md": "unchanged"}
    assert kb.fared() == {"a.md": "published"}
    assert kb.read("a") == (State.PUBLISHED, FILE, None)


def test_an_article_whose_file_is_gone_stays_unless_it_is_to_be_withdrawn(kb: Desk) -> None:
    kb.write({"a.md": "a", "b.md": "b"})
    kb.run()
    (kb.folder / "b.md").unlink()
    assert kb.fared() == {"a.md": "unchanged", "b.md": "removed"}
    assert kb.read("b")[0] is State.PUBLISHED
    withdraw = ImportOptions(publish=True, withdraw_removed=True)
    assert kb.fared(withdraw) == {"a.md": "unchanged", "b.md": "withdrawn"}
    assert kb.read("b")[0] is State.WITHDRAWN
    assert kb.fared(withdraw) == {"a.md": "unchanged"}
    kb.write({"b.md": "b again"})
    assert kb.fared(withdraw) == {"a.md": "unchanged", "b.md": "changed"}
    assert kb.read("b") == (State.PUBLISHED, "b again", None)


def test_what_a_person_withdrew_or_deleted_is_left_alone(kb: Desk) -> None:
    kb.write({"a.md": "a", "b.md": "b"})
    kb.run()
    for article_id, move in (("a", Withdraw), ("b", Delete)):
        found = kb.service.read(PERSON, KB, ArticleId(article_id))
        kb.service.write(PERSON, KB, ArticleId(article_id), move(found.updated_at))
    assert kb.fared() == {"a.md": "kept", "b.md": "kept"}
    kb.write({"a.md": "new a", "b.md": "new b"})
    assert kb.fared() == {"a.md": "conflict", "b.md": "conflict"}
    assert (kb.read("a")[0], kb.read("b")[0]) == (State.WITHDRAWN, State.DELETED)


def test_an_article_withdrawn_and_published_again_by_people_is_in_step_again(kb: Desk) -> None:
    kb.write({"a.md": "a"})
    kb.run()
    first = kb.service.read(PERSON, KB, ArticleId("a")).updated_at
    gone = kb.service.write(PERSON, KB, ArticleId("a"), Withdraw(first)).receipt.updated_at
    kb.service.write(PERSON, KB, ArticleId("a"), Publish(gone, None))
    kb.write({"a.md": "new a"})
    assert kb.fared() == {"a.md": "changed"}


def test_a_file_that_names_its_id_may_move(kb: Desk, tmp_path: Path) -> None:
    text = "---\nid: stable\ntitle: T\n---\ntext"
    kb.write({"old/a.md": text})
    kb.run()
    (kb.folder / "old/a.md").unlink()
    kb.write({"new/b.md": text})
    withdraw = ImportOptions(publish=True, withdraw_removed=True)
    assert kb.fared(withdraw) == {"new/b.md": "unchanged"}
    assert kb.fared(withdraw) == {"new/b.md": "unchanged"}
    assert kb.exported(tmp_path / "out") == {"new/b.md": text.encode()}
    kb.write({"old/a.md": "another"})
    assert kb.fared(withdraw) == {"new/b.md": "unchanged", "old/a.md": "new"}


def test_what_a_killed_import_wrote_but_did_not_remember_is_recognised(kb: Desk) -> None:
    for article_id in ("a", "b"):
        create = Create(Text(article_id, OLD), publish=True)
        kb.service.write(PERSON, KB, ArticleId(article_id), create)
    kb.edit("b", HERE)
    kb.write({"a.md": OLD, "b.md": OLD})
    assert kb.fared() == {"a.md": "unchanged", "b.md": "kept"}
    kb.write({"a.md": FILE, "b.md": FILE})
    assert kb.fared() == {"a.md": "changed", "b.md": "merged"}


def doc(path: str, content: str) -> Document:
    stem = path.removesuffix(".md")
    return Document(path, ArticleId(stem), False, stem, "", content, False)


def test_a_document_beyond_the_servers_limit_is_told_and_the_rest_goes_on(kb: Desk) -> None:
    service = Service(kb.store, Ticking(), Ticking(), Limits(content=10))
    source = Source((doc("big.md", "x" * 11), doc("small.md", "x")))
    report = service.import_documents(PERSON, KB, source, PUBLISH)
    assert [(entry.path, entry.status) for entry in report.entries] == [
        ("small.md", ImportStatus.NEW)
    ]
    assert report.skipped == (Finding("big.md", "content has 11 bytes; the limit is 10."),)


def test_many_documents_are_told_one_by_one_as_they_are_done(kb: Desk) -> None:
    source = Source(tuple(doc(f"{number:03}.md", "x") for number in range(200)))
    steps: list[None] = []
    report = kb.service.import_documents(PERSON, KB, source, PUBLISH, lambda: steps.append(None))
    assert len(steps) == 200
    assert [entry.path for entry in report.entries] == [one.path for one in source.documents]
    assert kb.end() == 200
    assert len(kb.records()) == 200


def test_an_import_takes_the_grant_that_its_writes_take(kb: Desk) -> None:
    token = kb.service.create_token(PERSON, "reader", {KB: Grant.EDIT})
    writer = Bearer(digest_of(token.secret))
    source = Source((doc("a.md", "x"),))
    with pytest.raises(DeniedError):
        kb.service.import_documents(writer, KB, source, PUBLISH)
    report = kb.service.import_documents(writer, KB, source, ImportOptions())
    assert [entry.status for entry in report.entries] == [ImportStatus.NEW]
    with pytest.raises(NotFoundError):
        kb.service.import_documents(PERSON, KnowledgeBaseId("none"), source, PUBLISH)


def test_an_export_holds_drafts_for_editors_only(kb: Desk, tmp_path: Path) -> None:
    kb.write({"a.md": OLD, "only.md": "---\ndraft: true\n---\ndraft"})
    kb.run()
    kb.write({"a.md": FILE})
    kb.run(ImportOptions())
    assert kb.exported(tmp_path / "drafts", drafts=True) == {
        "a.md": OLD.encode(),
        "a.draft.md": FILE.encode(),
        "only.md": b"---\ndraft: true\n---\ndraft",
    }
    token = kb.service.create_token(PERSON, "reader", {KB: Grant.READ})
    articles = kb.service.export_articles(Bearer(digest_of(token.secret)), KB)
    assert [(article.article_id, article.draft) for article in articles] == [("a", False)]
