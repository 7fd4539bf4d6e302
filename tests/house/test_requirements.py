from collections.abc import Callable
from pathlib import Path

from tests.house import requirements

Grow = Callable[[dict[str, str]], Path]


def test_every_requirement_is_pinned_by_hash(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "requirements/run.txt": (
                "apsw==3.54.1.0 \\\n    --hash=sha256:aa\n    # via -r requirements/run.in\n"
                "click>=8 \\\n    --hash=sha256:bb\n"
                "rich==15.0.0\n"
            )
        }
    )
    assert requirements.unpinned(bad) == [
        "requirements/run.txt:4: not pinned by hash: click>=8 \\",
        "requirements/run.txt:6: not pinned by hash: rich==15.0.0",
    ]
    assert requirements.unpinned(repository) == []


def test_the_package_declares_what_is_pinned(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "pyproject.toml": '[project]\ndependencies = ["apsw>=3", "ruamel.yaml", "rich"]\n',
            "requirements/run.in": "# a comment\napsw==3.54.*\nruamel-yaml\nclick\n",
        }
    )
    assert requirements.declared_apart(bad) == ["click", "rich"]
    assert requirements.declared_apart(repository) == []
