from pathlib import Path

import pytest

from tests.contract import promises

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Two promises now, one later; the tests show one of them and one that nobody gave."""
    page = tmp_path / promises.PAGE
    page.parent.mkdir(parents=True)
    page.write_text(
        "| id | promise | arrives with |\n|---|---|---|\n"
        "| A-1 | Shown. | now |\n| A-2 | Not shown. | now |\n| B-1 | To come. | later |\n"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text(
        '@pytest.mark.spec("A-1", "A-9")\ndef test_a(): ...\n'
        "@pytest.mark.spec(A)\ndef test_b(): ...\n"
    )
    return tmp_path


def test_every_mark_names_a_promise(bad: Path) -> None:
    assert promises.unknown_marks(bad) == [
        "tests/test_a.py:1: 'A-9' is no promise",
        "tests/test_a.py:3: A is no promise",
    ]
    assert promises.unknown_marks(REPOSITORY) == []


def test_every_promise_has_a_test(bad: Path) -> None:
    assert promises.untested(bad) == {"A-2"}
    assert promises.untested(REPOSITORY) == set()


def test_the_promises_are_read_whole_from_their_page() -> None:
    assert len(promises.promises(REPOSITORY)) == 40
    assert promises.promises(REPOSITORY)["ACC-4"] == "approvals"
