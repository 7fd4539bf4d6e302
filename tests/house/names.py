"""What things may be called, and what a name promises."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.tree import finding, python_files, syntax

SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "base", "core", "manager", "misc"}
WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


def words(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    return [word.lower() for word in WORD.findall(name)]


def says_nothing(name: str) -> bool:
    """Whether a word of the name fits anything; a knowledge base is a thing."""
    told = " ".join(words(name)).replace("knowledge base", "")
    return bool(SAYS_NOTHING & set(told.split()))


def empty_names(root: Path) -> list[str]:
    """Files, folders and classes whose name says nothing of what they hold."""
    found = []
    for path in python_files(root):
        named = [*path.relative_to(root).parent.parts[1:], path.stem]
        found += [
            finding(root, path, 1, f"the name `{name}` says nothing")
            for name in named
            if says_nothing(name)
        ]
        found += [
            finding(root, path, node.lineno, f"the name `{node.name}` says nothing")
            for node in ast.walk(syntax(path))
            if isinstance(node, ast.ClassDef) and says_nothing(node.name)
        ]
    return found


def functions(root: Path, *folders: str) -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Every function and method, coroutines apart."""
    for path in python_files(root, *folders):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.FunctionDef):
                yield path, node


def broken_promises(root: Path) -> list[str]:
    """``get_`` raises, so it returns no None; ``find_`` returns None for what is not there."""
    found = []
    for path, node in functions(root, "src"):
        returned = ast.unparse(node.returns) if node.returns else ""
        may_be_none = "None" in re.split(r"\W+", returned)
        if node.name.startswith("get_") and may_be_none:
            found.append(finding(root, path, node.lineno, f"`{node.name}` may return None"))
        if node.name.startswith("find_") and not may_be_none:
            found.append(finding(root, path, node.lineno, f"`{node.name}` never returns None"))
    return found


def loose_values(root: Path) -> list[str]:
    """Dataclasses of the rules that are not frozen and slotted."""
    found = []
    for path in python_files(root, "src/pincite/domain"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ClassDef):
                for mark in map(ast.unparse, node.decorator_list):
                    values = "frozen=True" in mark and "slots=True" in mark
                    if mark.startswith(("dataclass", "dataclasses.dataclass")) and not values:
                        what = f"`{node.name}` is not frozen and slotted"
                        found.append(finding(root, path, node.lineno, what))
    return found


def synonyms(root: Path, forbidden: dict[str, str]) -> list[str]:
    """Public definitions that use another word than the glossary's: ``{never: word}``."""
    found = []
    for path in python_files(root, "src"):
        for line, name in sorted(definitions(syntax(path))):
            phrase = f" {' '.join(words(name))} "
            for never, word in forbidden.items():
                if f" {never} " in phrase or f" {never}s " in phrase:
                    what = f"`{name}`: the word for `{never}` is `{word}`"
                    found.append(finding(root, path, line, what))
    return found


def definitions(module: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and name of each public class, function, argument and field of a module."""
    for node in ast.walk(module):
        name = ""
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        if name and not name.startswith("_"):
            yield getattr(node, "lineno", 1), name
