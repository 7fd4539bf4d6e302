"""What is installed is pinned by hash, and what is declared is what is pinned."""

import re
import tomllib
from pathlib import Path

from tests.house.tree import finding

NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def unpinned(root: Path) -> list[str]:
    """Requirements without an exact version or without a hash."""
    found = []
    for path in sorted((root / "requirements").glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if not NAME.match(line):
                continue
            following = lines[number] if number < len(lines) else ""
            if "==" not in line or "--hash=sha256:" not in following:
                found.append(finding(root, path, number, f"not pinned by hash: {line}"))
    return found


def declared_apart(root: Path) -> list[str]:
    """Packages that only one of ``pyproject.toml`` and ``requirements/run.in`` asks for."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    asked = (root / "requirements/run.in").read_text("utf-8").splitlines()
    return sorted(names(project["dependencies"]) ^ names(asked))


def names(requirements: list[str]) -> set[str]:
    """The names of the packages in a list of requirements, as registries compare them."""
    found = (NAME.match(line) for line in requirements)
    return {re.sub(r"[-_.]+", "-", match.group()).lower() for match in found if match}
