import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.house import sizes

Grow = Callable[[dict[str, str]], Path]


def test_no_file_is_longer_than_400_lines(repository: Path, grow: Grow) -> None:
    bad = grow({"src/pincite/long.py": "x = 1\n" * 401, "src/pincite/fits.py": "x = 1\n" * 400})
    assert sizes.long_files(bad) == ["src/pincite/long.py:401: 401 lines, limit 400"]
    assert sizes.long_files(repository) == []


def test_no_class_has_more_than_20_public_methods(repository: Path, grow: Grow) -> None:
    def methods(number: int) -> str:
        return "".join(f"    def m{index}(self): ...\n" for index in range(number))

    bad = grow(
        {
            "src/pincite/a.py": f"class Wide:\n{methods(21)}class Fits:\n{methods(20)}",
            "src/pincite/b.py": f"class Private:\n{methods(20)}    def _more(self): ...\n",
        }
    )
    assert sizes.wide_classes(bad) == ["src/pincite/a.py:1: Wide has 21 public methods, limit 20"]
    assert sizes.wide_classes(repository) == []


def test_no_room_has_more_than_20_modules(repository: Path, grow: Grow) -> None:
    bad = grow({f"src/pincite/room/m{number}.py": "" for number in range(21)})
    assert sizes.full_rooms(bad) == ["src/pincite/room:1: 21 modules, limit 20"]
    assert sizes.full_rooms(repository) == []


def test_nobody_silences_a_limit(repository: Path, grow: Grow) -> None:
    mark = "# no" + "qa"
    bad = grow(
        {
            "src/pincite/a.py": f"def f():  {mark}: C901\n    pass\n",
            "src/pincite/b.py": f"import os  {mark}\n",
            "src/pincite/c.py": f"# ruff: no{'qa'}\n",
            "src/pincite/d.py": f"import os  {mark}: F401\n",
        }
    )
    assert sizes.silenced_limits(bad) == [
        "src/pincite/a.py:1: silences a limit; split the code",
        "src/pincite/b.py:1: silences a limit; split the code",
        "src/pincite/c.py:1: silences a limit; split the code",
    ]
    assert sizes.silenced_limits(repository) == []


@pytest.mark.parametrize(
    ("rule", "function"),
    [
        ("PLR0915", "def f() -> None:\n" + "    print()\n" * 31),
        ("C901", "def f(x: int) -> None:\n" + "    if x:\n        x = 1\n" * 8),
        (
            "PLR0913",
            "def f(a: int, *, b: int, c: int, d: int, e: int, g: int, h: int) -> None: ...",
        ),
        ("BLE001", "try:\n    x = 1\nexcept Exception:\n    x = 2\n"),
        ("T201", "print(1)\n"),
    ],
)
def test_the_linter_holds_the_limits_of_a_function(
    repository: Path, grow: Grow, rule: str, function: str
) -> None:
    bad = grow({"src/pincite/bad.py": function})
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise"]
    config = ["--config", str(repository / "pyproject.toml")]
    told = subprocess.run(
        [*command, *config, str(bad)], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert f" {rule} " in told.stdout
