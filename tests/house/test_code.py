from collections.abc import Callable
from pathlib import Path

from tests.house import code

Grow = Callable[[dict[str, str]], Path]


def test_only_the_outermost_handlers_catch_anything(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "src/pincite/a.py": (
                "def inner():\n    try:\n        f()\n    except Exception:\n        pass\n"
                "def bare():\n    try:\n        f()\n    except:\n        pass\n"
                "def tuple_():\n    try:\n        f()\n    except (OSError, BaseException):\n"
                "        pass\n"
                "def precise():\n    try:\n        f()\n    except OSError:\n        pass\n"
                "def outermost():\n    try:\n        f()\n    except Exception:\n        pass\n"
            )
        }
    )
    allowed = frozenset({"src/pincite/a.py::outermost", "src/pincite/a.py::precise"})
    assert code.blind_handlers(bad, allowed) == [
        "src/pincite/a.py:4: `inner` catches anything",
        "src/pincite/a.py:9: `bare` catches anything",
        "src/pincite/a.py:14: `tuple_` catches anything",
        "src/pincite/a.py::precise: holds no such handler",
    ]
    assert code.blind_handlers(repository, code.OUTERMOST) == []


def test_the_rules_ask_neither_clock_nor_disk(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "src/pincite/domain/a.py": "a = datetime.now(UTC)\nb = open('x')\nc = now\nd = f(now)",
            "src/pincite/app/a.py": "a = datetime.now(UTC)\n",
        }
    )
    assert code.impure_rules(bad) == [
        "src/pincite/domain/a.py:1: the rules call `datetime.now`",
        "src/pincite/domain/a.py:2: the rules call `open`",
    ]
    assert code.impure_rules(repository) == []


def test_every_error_is_named_error(repository: Path, grow: Grow) -> None:
    bad = grow({"src/pincite/errors.py": "class Gone(Exception): ...\nclass GoneError(Gone): ..."})
    assert code.unnamed_errors(bad) == ["src/pincite/errors.py:1: `Gone` does not end in Error"]
    assert code.unnamed_errors(repository) == []
