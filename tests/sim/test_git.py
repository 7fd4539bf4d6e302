from pathlib import Path

import pytest

from pincite.domain.stamps import Stamp
from pincite.errors import InvalidInputError
from pincite.sim.history.git import History
from pincite.sim.history.lineage import lineage, saves_of
from tests.sim.repositories import Repository

PAGE = "# A page\n\n" + "One sentence of many words that a rename leaves as it is.\n" * 5


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def told(repository: Repository, folder: str = "") -> list[list[tuple[str, str | None, str]]]:
    """Each publication's changes: path, path before, and text or an empty one."""
    with History(repository.folder, folder=folder) as history:
        return [
            [
                (
                    change.path,
                    change.before,
                    history.text(change.blob).decode() if change.blob else "",
                )
                for change in one.changes
            ]
            for one in history.publications()
        ]


def test_a_file_is_written_changed_renamed_and_removed(repository: Repository) -> None:
    repository.write("docs/a.md", PAGE)
    repository.commit(10)
    repository.write("docs/a.md", PAGE + "More.\n")
    repository.commit(20)
    repository.git("mv", "docs/a.md", "docs/ä b.md")
    repository.commit(30)
    repository.git("rm", "--quiet", "docs/ä b.md")
    repository.commit(40)
    assert told(repository) == [
        [("docs/a.md", None, PAGE)],
        [("docs/a.md", None, PAGE + "More.\n")],
        [("docs/ä b.md", "docs/a.md", PAGE + "More.\n")],
        [("docs/ä b.md", None, "")],
    ]


def test_a_merge_publishes_at_once_what_its_branch_holds(repository: Repository) -> None:
    repository.write("a.md", PAGE)
    repository.commit(10)
    repository.git("switch", "--quiet", "--create", "draft")
    repository.write("a.md", PAGE + "One.\n")
    repository.commit(20)
    repository.write("a.md", PAGE + "Two.\n")
    repository.write("b.md", "# B\n")
    repository.commit(30)
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message=x", "draft", at=40)
    assert told(repository) == [
        [("a.md", None, PAGE)],
        [("a.md", None, PAGE + "Two.\n"), ("b.md", None, "# B\n")],
    ]


def test_only_markdown_below_the_folder_counts(repository: Repository) -> None:
    repository.write("docs/a.MD", "a")
    repository.write("docs/deep/b.mdx", "b")
    repository.write("docs/code.py", "c")
    repository.write("other/d.md", "d")
    (repository.folder / "docs/link.md").symlink_to("a.MD")
    repository.commit(10)
    assert told(repository, "docs") == [
        [("docs/a.MD", None, "a"), ("docs/deep/b.mdx", None, "b"), ("docs/link.md", None, "")]
    ]


def test_time_never_runs_back_and_authors_are_told(repository: Repository) -> None:
    for number, (at, author) in enumerate([(50, "Ada"), (30, "Bo"), (60, "Ada")]):
        repository.write("a.md", str(number))
        repository.commit(at, author)
    with History(repository.folder) as history:
        found = [(one.at, one.author) for one in history.publications()]
    assert found == [
        (Stamp(50_000), "Ada <ada@example.invalid>"),
        (Stamp(50_000), "Bo <bo@example.invalid>"),
        (Stamp(60_000), "Ada <ada@example.invalid>"),
    ]


def test_a_bundle_reads_like_its_repository(repository: Repository, tmp_path: Path) -> None:
    repository.write("a.md", PAGE)
    repository.commit(10)
    repository.git("bundle", "create", "--quiet", str(tmp_path / "a.bundle"), "HEAD", "main")
    with History(tmp_path / "a.bundle") as bundled, History(repository.folder) as original:
        assert bundled.publications() == original.publications()


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="not a git repository") as refused:
        History(tmp_path).publications()
    assert refused.value.details["field"] == "repository"


def test_an_option_is_no_revision(repository: Repository) -> None:
    with pytest.raises(InvalidInputError, match="begins with -"):
        History(repository.folder, "--output=x")


def test_a_file_that_moves_stays_its_article(repository: Repository) -> None:
    other = PAGE.replace("sentence", "phrase").replace("words", "letters")
    repository.write("a.md", PAGE)
    repository.write("b.md", other)
    repository.commit(10)
    repository.git("mv", "a.md", "c.md")
    repository.commit(20)
    repository.git("mv", "b.md", "a.md")
    repository.write("c.md", PAGE + "More.\n")
    repository.commit(30)
    with History(repository.folder) as history:
        steps = list(lineage(history.publications()))
    assert [[(step.article_id, step.path) for step in one.steps] for one in steps] == [
        [("article-1", "a.md"), ("article-2", "b.md")],
        [("article-1", "c.md")],
        [("article-2", "a.md"), ("article-1", "c.md")],
    ]


def test_a_path_that_comes_back_is_the_article_that_was_there(repository: Repository) -> None:
    repository.write("a.md", PAGE)
    repository.write("b.md", "# B\n")
    repository.commit(10)
    repository.git("rm", "--quiet", "a.md")
    repository.commit(20)
    repository.write("a.md", PAGE)
    repository.commit(30)
    with History(repository.folder) as history:
        steps = list(lineage(history.publications()))
    again = steps[2].steps[0]
    assert (again.article_id, again.path, again.blob is None) == ("article-1", "a.md", False)
    assert saves_of(steps) == {"article-1": 2, "article-2": 1}
