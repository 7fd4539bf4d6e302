"""Two trees for every rule: this repository, and a small one that breaks the rule."""

from collections.abc import Callable
from pathlib import Path

import pytest

Grow = Callable[[dict[str, str]], Path]


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parents[2]


@pytest.fixture
def grow(tmp_path: Path) -> Grow:
    """Writes a tree from ``{path: text}`` and returns its root."""

    def write(contents: dict[str, str]) -> Path:
        for name, text in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return tmp_path

    return write
