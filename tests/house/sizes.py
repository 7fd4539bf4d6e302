"""How long a file, how wide a class and how full a room may be.

Statements, complexity and parameters of a function are ruff's to count (``pyproject.toml``); here
stands what ruff does not count, and that nobody silences what it does.
"""

import ast
import re
from pathlib import Path

from tests.house.tree import finding, python_files, syntax

LINES_A_FILE = 400
PUBLIC_METHODS_A_CLASS = 20
MODULES_A_ROOM = 20
SIZE_RULES = re.compile(r"noqa\s*$|noqa(?!:)\b|noqa:.*\b(C901|PLR09\d\d)\b|ruff:\s*noqa")


def long_files(root: Path) -> list[str]:
    """Files of more than 400 lines."""
    found = []
    for path in python_files(root):
        lines = len(path.read_text("utf-8").splitlines())
        if lines > LINES_A_FILE:
            found.append(finding(root, path, lines, f"{lines} lines, limit {LINES_A_FILE}"))
    return found


def wide_classes(root: Path) -> list[str]:
    """Classes of more than 20 public methods."""
    found = []
    for path in python_files(root):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ClassDef):
                methods = [
                    child.name
                    for child in node.body
                    if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                    and not child.name.startswith("_")
                ]
                if len(methods) > PUBLIC_METHODS_A_CLASS:
                    what = f"{node.name} has {len(methods)} public methods, limit 20"
                    found.append(finding(root, path, node.lineno, what))
    return found


def full_rooms(root: Path) -> list[str]:
    """Rooms, and folders of a room, of more than 20 modules."""
    found = []
    for folder in sorted({path.parent for path in python_files(root, "src")}):
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if len(modules) > MODULES_A_ROOM:
            what = f"{len(modules)} modules, limit {MODULES_A_ROOM}"
            found.append(finding(root, folder, 1, what))
    return found


def silenced_limits(root: Path) -> list[str]:
    """Comments that switch off a size rule, or every rule, of the linter."""
    found = []
    for path in python_files(root):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            _, mark, comment = line.partition("#")
            if mark and SIZE_RULES.search(comment):
                found.append(finding(root, path, number, "silences a limit; split the code"))
    return found
