"""What a test may not do: pass without having looked, or depend on the hour."""

import ast
from pathlib import Path

from tests.house.tree import dotted, finding, python_files, syntax

SWITCHED_OFF = {"importorskip", "skip", "skipif", "xfail"}
MADE_UP = {"unittest.mock", "mock", "pytest_mock"}
CLOCK = {
    "date.today",
    "datetime.now",
    "datetime.today",
    "datetime.utcnow",
    "time.time",
    "time.time_ns",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def forbidden_means(root: Path) -> list[str]:
    """Tests switched off, sleeps, mocks and readings of the wall clock."""
    found = []
    for path in python_files(root, "tests"):
        for node in ast.walk(syntax(path)):
            what = forbidden(node)
            if what:
                found.append(finding(root, path, getattr(node, "lineno", 1), what))
    return sorted(found)


def forbidden(node: ast.AST) -> str:
    """What is wrong with a node, or nothing."""
    if isinstance(node, ast.Import):
        mocks = [alias.name for alias in node.names if alias.name in MADE_UP]
        return f"imports `{mocks[0]}`" if mocks else ""
    if isinstance(node, ast.ImportFrom):
        mock = node.module in MADE_UP or (
            node.module == "unittest" and any(alias.name == "mock" for alias in node.names)
        )
        return f"imports from `{node.module}`" if mock else ""
    if isinstance(node, ast.Attribute):
        return forbidden_name(dotted(node))
    return ""


def forbidden_name(name: str) -> str:
    """What is wrong with a dotted name, or nothing."""
    front, _, last = name.rpartition(".")
    if last in SWITCHED_OFF and front in {"pytest", "pytest.mark", "self"}:
        return f"`{name}` switches a test off"
    if last == "sleep":
        return f"`{name}` waits for time instead of an event"
    clock = ".".join(name.split(".")[-2:])
    return f"`{name}` reads the wall clock" if clock in CLOCK else ""


def hollow_tests(root: Path) -> list[str]:
    """Tests that assert nothing, or something that always holds."""
    found = []
    for path in python_files(root, "tests"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, Function) and node.name.startswith("test_") and not looks(node):
                found.append(finding(root, path, node.lineno, f"`{node.name}` asserts nothing"))
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant):
                found.append(finding(root, path, node.lineno, "asserts a constant"))
    return found


def looks(test: Function) -> bool:
    """Whether a test asserts, expects an error, or calls a function named ``assert_…``."""
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            last = dotted(node.func).rpartition(".")[2]
            if last == "raises" or last.startswith("assert_"):
                return True
    return False


def terse_names(root: Path) -> list[str]:
    """Test names too short to be a sentence that states the outcome."""
    found = []
    for path in python_files(root, "tests"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, Function) and node.name.startswith("test_"):
                words = node.name.split("_")[1:]
                if len(words) < 3:
                    what = f"`{node.name}` is no sentence that states the outcome"
                    found.append(finding(root, path, node.lineno, what))
    return found
