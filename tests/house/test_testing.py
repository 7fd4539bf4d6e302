from collections.abc import Callable
from pathlib import Path

from tests.house import testing

Grow = Callable[[dict[str, str]], Path]


def test_no_test_is_switched_off_sleeps_mocks_or_reads_the_clock(
    repository: Path, grow: Grow
) -> None:
    bad = grow(
        {
            "tests/test_a.py": (
                "from unittest import mock\n"
                "import unittest.mock\n"
                "from unittest.mock import patch\n"
                "@pytest.mark.skip\ndef test_a(): assert f()\n"
                "@pytest.mark.skipif(1)\ndef test_b(): assert f()\n"
                "@pytest.mark.xfail(reason='x')\ndef test_c(): assert f()\n"
                "pytest.importorskip('x')\n"
                "time.sleep(1)\n"
                "await anyio.sleep(1)\n"
                "datetime.datetime.now(UTC)\n"
                "time.time()\n"
                "time.monotonic()\n"
                "cursor.skip\n"
            ),
            "src/pincite/a.py": "time.time()\n",
        }
    )
    assert testing.forbidden_means(bad) == [
        "tests/test_a.py:10: `pytest.importorskip` switches a test off",
        "tests/test_a.py:11: `time.sleep` waits for time instead of an event",
        "tests/test_a.py:12: `anyio.sleep` waits for time instead of an event",
        "tests/test_a.py:13: `datetime.datetime.now` reads the wall clock",
        "tests/test_a.py:14: `time.time` reads the wall clock",
        "tests/test_a.py:1: imports from `unittest`",
        "tests/test_a.py:2: imports `unittest.mock`",
        "tests/test_a.py:3: imports from `unittest.mock`",
        "tests/test_a.py:4: `pytest.mark.skip` switches a test off",
        "tests/test_a.py:6: `pytest.mark.skipif` switches a test off",
        "tests/test_a.py:8: `pytest.mark.xfail` switches a test off",
    ]
    assert testing.forbidden_means(repository) == []


def test_every_test_can_fail(repository: Path, grow: Grow) -> None:
    bad = grow(
        {
            "tests/test_a.py": (
                "def test_that_nothing_is_looked_at():\n    f()\n"
                "def test_that_a_constant_holds():\n    assert True\n"
                "def test_that_it_raises():\n    with pytest.raises(E):\n        f()\n"
                "def test_that_it_asks_another():\n    assert_same(a, b)\n"
                "def helper():\n    f()\n"
            )
        }
    )
    assert testing.hollow_tests(bad) == [
        "tests/test_a.py:1: `test_that_nothing_is_looked_at` asserts nothing",
        "tests/test_a.py:4: asserts a constant",
    ]
    assert testing.hollow_tests(repository) == []


def test_every_test_is_named_by_a_sentence(repository: Path, grow: Grow) -> None:
    bad = grow({"tests/test_a.py": "def test_stamp(): ...\ndef test_a_stamp_is_later(): ...\n"})
    assert testing.terse_names(bad) == [
        "tests/test_a.py:1: `test_stamp` is no sentence that states the outcome"
    ]
    assert testing.terse_names(repository) == []
