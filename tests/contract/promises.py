"""The promises and the marks of the tests, read from the files without running them."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.documents import rows
from tests.house.tree import dotted, finding, python_files, syntax

PAGE = "docs/spec/promises.md"


def promises(root: Path) -> dict[str, str]:
    """Each promise's id with what it arrives with."""
    return {cells[0]: cells[2] for cells in rows(root / PAGE) if cells[0] != "id"}


def marks(root: Path) -> Iterator[tuple[str, str]]:
    """The place and the id of each ``@pytest.mark.spec(id, …)`` on a test or a class of tests."""
    for path in python_files(root, "tests"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and dotted(node.func) == "pytest.mark.spec":
                for argument in node.args:
                    yield finding(root, path, node.lineno, ast.unparse(argument)), id_of(argument)


def id_of(argument: ast.expr) -> str:
    """The id that a mark's argument spells out; empty if it is not a literal."""
    return str(argument.value) if isinstance(argument, ast.Constant) else ""


def unknown_marks(root: Path) -> list[str]:
    """Marks whose id no promise has."""
    known = promises(root)
    return [f"{place} is no promise" for place, spec in marks(root) if spec not in known]


def untested(root: Path) -> set[str]:
    """Promises that are there now and that no test shows."""
    shown = {spec for _, spec in marks(root)}
    return {spec for spec, arrival in promises(root).items() if arrival == "now"} - shown
