"""Puts broken stores to the conformance suite, in a process of its own."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
SUITE = "tests/storage/conformance"


def failures_of(
    plugin: str, caught_by: Mapping[str, Sequence[str]], sound: str
) -> set[tuple[str, str]]:
    """Mutant and test, for each test of the suite that was put to a mutant and failed.

    Args:
        plugin: The pytest plugin that puts the mutants in the place of the stores.
        caught_by: The tests that each is put to.
        sound: The store that is not broken, which is put to all of them.
    """
    every = sorted({test for tests in caught_by.values() for test in tests})
    chosen = [
        f"({mutant} and {test})"
        for mutant, tests in {**caught_by, sound: every}.items()
        for test in tests
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-n", "0", SUITE]
    done = subprocess.run(
        [*command, "-k", " or ".join(chosen)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found = re.findall(r"^FAILED \S+::(\w+)\[(\w+)", done.stdout, re.MULTILINE)
    return {(mutant, test) for test, mutant in found}
