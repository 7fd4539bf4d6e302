"""What others suffered: each lesson names a test that is there."""

import ast
from pathlib import Path

from tests.house.documents import rows
from tests.house.tree import syntax

REPOSITORY = Path(__file__).parents[2]
PAGE = "docs/spec/lessons.md"


def named(root: Path) -> list[str]:
    """The tests that the page names."""
    return [cells[3].strip("`") for cells in rows(root / PAGE) if cells[0] != "report"]


def missing(root: Path) -> list[str]:
    """Those that are not there."""
    return [test for test in named(root) if not is_there(root, *test.split("::"))]


def is_there(root: Path, file: str, name: str) -> bool:
    """Whether a file defines a test of that name."""
    path = root / file
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return path.is_file() and any(
        isinstance(node, functions) and node.name == name for node in ast.walk(syntax(path))
    )


def test_every_lesson_is_shown_by_a_test_that_exists(tmp_path: Path) -> None:
    (tmp_path / "docs/spec").mkdir(parents=True)
    table = "| report | a | b | shown by |\n|---|---|---|---|\n| x#1 | a | b | `t.py::test_{}` |\n"
    (tmp_path / "t.py").write_text("def test_one(): ...\n")
    (tmp_path / PAGE).write_text(table.format("two"))
    assert missing(tmp_path) == ["t.py::test_two"]
    (tmp_path / PAGE).write_text(table.format("one"))
    assert missing(tmp_path) == []
    assert len(named(REPOSITORY)) == 28
    assert missing(REPOSITORY) == []
