"""The files of a source tree, and their syntax: what every house rule looks at.

A rule is a function from a tree's root to its findings, each ``path:line: what is wrong``. A tree
is given by its root so that a test can hand a rule a tree that breaks it.
"""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

NOT_OURS = {"node_modules", "__pycache__", "build", "dist"}
OURS_THOUGH_HIDDEN = {".ci", ".gitignore", ".npmrc"}
SOURCES = ("src", "tests", "bench", "examples")


def files(root: Path) -> Iterator[Path]:
    """Every file of the project under `root`, in order; what is installed or cached is left out."""
    for path in sorted(root.iterdir()):
        hidden = path.name.startswith(".") and path.name not in OURS_THOUGH_HIDDEN
        if hidden or path.name in NOT_OURS or path.suffix == ".egg-info":
            continue
        if path.is_dir():
            yield from files(path)
        else:
            yield path


def python_files(root: Path, *folders: str) -> Iterator[Path]:
    """The Python files in the given folders of `root`, by default all that hold sources."""
    for folder in folders or SOURCES:
        if (root / folder).is_dir():
            yield from (path for path in files(root / folder) if path.suffix == ".py")


@functools.cache
def syntax(path: Path) -> ast.Module:
    """The syntax tree of one file."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def finding(root: Path, path: Path, line: int, what: str) -> str:
    """One finding, as an editor can jump to it."""
    return f"{path.relative_to(root)}:{line}: {what}"


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for a chain of names, and an empty string for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        front = dotted(node.value)
        return f"{front}.{node.attr}" if front else ""
    return ""
