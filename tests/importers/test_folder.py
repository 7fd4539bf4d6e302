import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.documents import ExportedArticle, Finding
from pincite.domain.ids import ArticleId
from pincite.errors import InvalidInputError
from pincite.importers.folder import read_folder, write_folder
from tests.unprivileged import as_ordinary_user


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def exported(article_id: str, content: str, path: str | None = None) -> ExportedArticle:
    return ExportedArticle(ArticleId(article_id), path, "T", "T", "", content)


def test_every_markdown_file_is_a_document_in_the_order_of_paths(tmp_path: Path) -> None:
    fill(tmp_path, {"b.md": b"b", "a/z.MDX": b"z", "a/y.markdown": b"y", "c.mkd": b"c"})
    source = read_folder(tmp_path)
    assert [document.path for document in source.documents] == [
        "a/y.markdown",
        "a/z.MDX",
        "b.md",
        "c.mkd",
    ]
    assert (source.skipped, source.repaired, source.unresolved) == ((), (), ())


def test_nothing_is_dropped_without_a_word(tmp_path: Path) -> None:
    fill(
        tmp_path,
        {
            "good.md": b"[x](gone.md) [i](img/a.png)",
            "img/a.png": b"\x89PNG",
            "latin.md": b"caf\xe9",
            "empty.md": b"",
            "large.md": b"x" * 101,
            "huge.md": b"x" * 70_000,
            "nul.md": b"a\x00b",
            "null.md": b"---\ntitle: a\x00b\n---\ntext",
            "broken.md": b"---\ntitle: a: b\n---\ntext",
            ".git/config": b"",
            ".hidden.md": b"text",
        },
    )
    source = read_folder(tmp_path, content_limit=100)
    assert [document.path for document in source.documents] == ["broken.md", "good.md"]
    assert source.skipped == (
        Finding(".git", "hidden"),
        Finding(".hidden.md", "hidden"),
        Finding("empty.md", "content must not be empty."),
        Finding("huge.md", "the file has 70000 bytes; the limit is 100."),
        Finding("img/a.png", "not a Markdown file; left out for now"),
        Finding("large.md", "content has 101 bytes; the limit is 100."),
        Finding("latin.md", "not UTF-8: byte 3 is 0xe9"),
        Finding("nul.md", "content must not hold NUL or a lone surrogate."),
        Finding("null.md", "front matter must not hold NUL or a lone surrogate."),
    )
    assert [finding.path for finding in source.repaired] == ["broken.md"]
    assert source.unresolved == (Finding("good.md", "gone.md"),)


def test_symbolic_links_are_told_and_not_followed(tmp_path: Path) -> None:
    outside = fill(tmp_path / "outside", {"secret.md": b"secret"})
    folder = fill(tmp_path / "folder", {"sub/a.md": b"a"})
    (folder / "sub/loop").symlink_to(folder)
    (folder / "self").symlink_to("self")
    (folder / "out").symlink_to(outside)
    (folder / "secret.md").symlink_to(outside / "secret.md")
    (folder / "dangling.md").symlink_to("nowhere")
    source = read_folder(folder)
    assert [document.path for document in source.documents] == ["sub/a.md"]
    why = "a symbolic link; links are not followed"
    assert source.skipped == tuple(
        Finding(path, why) for path in ("dangling.md", "out", "secret.md", "self", "sub/loop")
    )


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert read_folder(tmp_path).skipped == (Finding("pipe.md", "neither a file nor a folder"),)


def test_a_name_that_is_not_utf_8_is_told_in_print(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"text")
    assert read_folder(tmp_path).skipped == (Finding("caf\\xe9.md", "the name is not UTF-8"),)


def test_files_and_folders_that_may_not_be_read_are_told() -> None:
    with as_ordinary_user() as folder:
        fill(folder, {"a.md": b"a", "locked.md": b"b", "shut/c.md": b"c"})
        (folder / "locked.md").chmod(0)
        (folder / "shut").chmod(0)
        source = read_folder(folder)
        (folder / "shut").chmod(0o700)
    assert [document.path for document in source.documents] == ["a.md"]
    assert source.skipped == (
        Finding("locked.md", "cannot be read: Permission denied"),
        Finding("shut", "cannot be listed: Permission denied"),
    )


def test_a_folder_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    fill(tmp_path, {"file.md": b"x"})
    for path, why in (("none", "No such file or directory"), ("file.md", "Not a directory")):
        with pytest.raises(InvalidInputError, match=f"{path} cannot be read as a folder: {why}"):
            read_folder(tmp_path / path)


@given(
    st.lists(
        st.sampled_from(["---\n", "\r\n", "\n", "\ufeff", "# T\n", "title: x\n", "é 🙂  ", "\t"]),
        min_size=1,
        max_size=12,
    ).map("".join)
)
@pytest.mark.spec("TEXT-1")
def test_what_is_read_and_written_back_is_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    data = text.encode()
    folder = fill(tmp_path_factory.mktemp("in"), {"sub/Page one.md": data})
    for document in read_folder(folder).documents:
        article = ExportedArticle(
            article_id=document.article_id,
            path=document.path,
            title=document.title,
            file_title=document.title,
            front_matter=document.front_matter,
            content=document.content,
        )
        target = tmp_path_factory.mktemp("out")
        assert write_folder(target, [article]).written == ["sub/Page one.md"]
        assert (target / "sub/Page one.md").read_bytes() == data


def test_an_article_of_no_file_goes_to_its_id_and_keeps_its_title(tmp_path: Path) -> None:
    articles = [
        ExportedArticle(ArticleId("guide/one"), None, "Same", None, "", "# Same\n"),
        ExportedArticle(ArticleId("two"), None, 'A "title"', None, "", "text\r\n"),
    ]
    assert write_folder(tmp_path, articles).written == ["guide/one.md", "two.md"]
    assert (tmp_path / "guide/one.md").read_bytes() == b"# Same\n"
    assert (tmp_path / "two.md").read_bytes() == b'---\ntitle: "A \\"title\\""\n---\ntext\r\n'


def test_a_title_that_a_person_changed_is_written_into_the_front_matter(tmp_path: Path) -> None:
    front_matter = "---\ntitle: Old\ntags: [a]\n---\n"
    article = ExportedArticle(ArticleId("a"), "a.md", "New", "Old", front_matter, "text")
    write_folder(tmp_path, [article])
    assert (tmp_path / "a.md").read_bytes() == b'---\ntitle: "New"\ntags: [a]\n---\ntext'


def test_no_id_leads_out_of_the_folder_or_onto_another_file(tmp_path: Path) -> None:
    ids = ["../up", "/abs", "a//b", "..", "b"]
    articles = [exported(one, one) for one in ids]
    articles.insert(0, exported("first", "first", "b.md"))
    assert write_folder(tmp_path / "out", articles).written == [
        "b.md",
        "_/up.md",
        "_/abs.md",
        "a/_/b.md",
        "...md",
        "b-2.md",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_a_draft_beside_a_published_text_has_a_file_of_its_own(tmp_path: Path) -> None:
    published = exported("a", "old", "x/a.md")
    articles = [published, replace(published, content="new", draft=True)]
    assert write_folder(tmp_path, articles).written == ["x/a.md", "x/a.draft.md"]
    assert (tmp_path / "x/a.draft.md").read_bytes() == b"new"


def test_another_file_in_the_way_is_written_over_only_when_asked(tmp_path: Path) -> None:
    fill(tmp_path, {"same.md": b"same", "other.md": b"mine"})
    articles = [exported("same", "same"), exported("other", "theirs"), exported("new", "new")]
    refused = write_folder(tmp_path, articles)
    assert (refused.written, refused.unchanged) == (["new.md"], ["same.md"])
    assert refused.refused == [
        Finding("other.md", "there is another file of this name; --replace writes over it")
    ]
    assert (tmp_path / "other.md").read_bytes() == b"mine"
    assert write_folder(tmp_path, articles, replace=True).written == ["other.md"]
    assert (tmp_path / "other.md").read_bytes() == b"theirs"


def test_a_link_in_the_way_is_replaced_not_written_through(tmp_path: Path) -> None:
    fill(tmp_path, {"outside.txt": b"mine"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.md").symlink_to(tmp_path / "outside.txt")
    assert write_folder(tmp_path / "out", [exported("a", "text")], replace=True).refused == []
    assert (tmp_path / "outside.txt").read_bytes() == b"mine"
    assert (tmp_path / "out/a.md").read_bytes() == b"text"


def test_what_cannot_be_written_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    articles = [
        exported("a", "a"),
        exported("a.md/b", "under a file"),
        exported("é" * 150, "a name too long"),
        exported("c", "c"),
    ]
    result = write_folder(tmp_path, articles)
    assert result.written == ["a.md", "c.md"]
    assert [finding.message for finding in result.refused] == [
        "File exists",
        "File name too long",
    ]
