"""How code may behave: what it catches, and what the rules may not touch."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import dotted, finding, python_files, syntax

# The outermost handlers: the places where any error becomes an answer. `file::function`.
OUTERMOST: frozenset[str] = frozenset(
    {
        "src/pincite/cli/main.py::_run",  # every command
        "src/pincite/mcp_server/errors.py::answer",  # every request over MCP
        "src/pincite/storage/sqlite/writer.py::_save",  # hands it to the thread that asked
    }
)

IMPURE = {"breakpoint", "input", "now", "open", "print", "today", "utcnow"}


def blind_handlers(root: Path, allowed: frozenset[str]) -> list[str]:
    """Handlers of any exception outside `allowed`, and places in `allowed` that hold none."""
    found, used = [], set()
    for path in python_files(root, "src"):
        for function, node in handlers(syntax(path)):
            if not catches_anything(node):
                continue
            place = f"{path.relative_to(root)}::{function}"
            used.add(place)
            if place not in allowed:
                found.append(finding(root, path, node.lineno, f"`{function}` catches anything"))
    return found + [f"{place}: holds no such handler" for place in sorted(allowed - used)]


def handlers(module: ast.AST, function: str = "") -> Iterator[tuple[str, ast.ExceptHandler]]:
    """Every except clause with the name of the function that holds it."""
    for node in ast.iter_child_nodes(module):
        inside = function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = node.name
        if isinstance(node, ast.ExceptHandler):
            yield inside, node
        yield from handlers(node, inside)


def catches_anything(handler: ast.ExceptHandler) -> bool:
    """Whether a clause is bare or names `Exception` or `BaseException`."""
    if handler.type is None:
        return True
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(dotted(name) in {"Exception", "BaseException"} for name in named)


def impure_rules(root: Path) -> list[str]:
    """Calls in the rules that ask the clock, the disk or the terminal."""
    found = []
    for path in python_files(root, "src/pincite/domain"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call):
                called = dotted(node.func)
                if called.rpartition(".")[2] in IMPURE:
                    found.append(finding(root, path, node.lineno, f"the rules call `{called}`"))
    return found


def unnamed_errors(root: Path) -> list[str]:
    """Classes of the error tree whose name does not end in Error."""
    path = root / "src/pincite/errors.py"
    classes = [node for node in ast.walk(syntax(path)) if isinstance(node, ast.ClassDef)]
    return [
        finding(root, path, node.lineno, f"`{node.name}` does not end in Error")
        for node in classes
        if not node.name.endswith("Error")
    ]
