import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Grow = Callable[[dict[str, str]], Path]

MODULES = [
    "errors",
    "domain.stamps",
    "ports",
    "service.editing",
    "storage.rows",
    "storage.sqlite.store",
    "storage.postgres.store",
    "storage.index.fts",
    "wire.results",
    "importers.markdown",
    "web.routes",
    "api.routes",
    "mcp_server.server",
    "client.calls",
    "app.build",
    "sim.day",
    "cli.main",
]


def small_house(imports: dict[str, str]) -> dict[str, str]:
    """A house with a module in every room, in which the given modules import something."""
    contents = {"pincite/__init__.py": ""}
    for module in MODULES:
        path = Path("pincite", *module.split("."))
        contents |= {f"{room}/__init__.py": "" for room in map(str, path.parents) if room != "."}
        contents[f"{path}.py"] = f"import {imports[module]}\n" if module in imports else ""
    return contents


def judged(repository: Path, root: Path) -> str:
    """What the import checks of this repository say of another house."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]
    told = subprocess.run(
        [*command, str(repository / "pyproject.toml")],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout + told.stderr


def test_a_house_whose_rooms_import_only_rooms_below_passes(repository: Path, grow: Grow) -> None:
    root = grow(
        small_house(
            {
                "cli.main": "pincite.app.build",
                "app.build": "pincite.storage.sqlite.store",
                "storage.sqlite.store": "pincite.storage.index.fts, pincite.ports",
                "service.editing": "pincite.domain.stamps",
                "client.calls": "pincite.wire.results",
            }
        )
    )
    told = judged(repository, root)
    assert ", 0 broken." in told, told


@pytest.mark.parametrize(
    ("contract", "module", "imported"),
    [
        ("A room imports only rooms below it", "domain.stamps", "pincite.service.editing"),
        ("A room imports only rooms below it", "service.editing", "pincite.storage.rows"),
        ("A room imports only rooms below it", "web.routes", "pincite.api.routes"),
        ("A room imports only rooms below it", "errors", "pincite.domain.stamps"),
        ("Only app opens storage", "cli.main", "pincite.storage"),
        ("Only app opens storage", "mcp_server.server", "pincite.storage.sqlite.store"),
        (
            "The two engines do not know each other",
            "storage.sqlite.store",
            "pincite.storage.postgres",
        ),
        ("The two engines do not know each other", "storage.index.fts", "pincite.storage.sqlite"),
        ("Only storage and the client speak SQL", "service.editing", "apsw"),
        ("The rules know no clock", "domain.stamps", "time"),
        ("The rules know no clock", "errors", "os"),
        ("The client shares only", "client.calls", "pincite.ports"),
        ("The client shares only", "client.calls", "pincite.service.editing"),
    ],
)
def test_an_import_that_breaks_a_rule_is_told(
    repository: Path, grow: Grow, contract: str, module: str, imported: str
) -> None:
    told = judged(repository, grow(small_house({module: imported})))
    broken = [line for line in told.splitlines() if line.endswith("BROKEN")]
    assert any(line.startswith(contract) for line in broken), told


def test_siblings_that_import_each_other_are_told(repository: Path, grow: Grow) -> None:
    contents = small_house({})
    contents["pincite/service/reading.py"] = "import pincite.service.editing\n"
    contents["pincite/service/editing.py"] = "import pincite.service.reading\n"
    assert "in one direction BROKEN" in judged(repository, grow(contents))


def test_a_room_that_the_house_does_not_know_is_told(repository: Path, grow: Grow) -> None:
    told = judged(repository, grow(small_house({}) | {"pincite/attic/__init__.py": ""}))
    assert "pincite.attic" in told, told
    assert "A room imports only rooms below it BROKEN" in told or "not listed" in told, told
