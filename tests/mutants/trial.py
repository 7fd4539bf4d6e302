"""Puts broken stores to the conformance suite, in a process of its own."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

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
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", plugin, "-n", "0", SUITE]
    with TemporaryDirectory() as folder:  # of its own: other runs tidy up what they share
        done = subprocess.run(
            [*command, f"--basetemp={folder}/pytest", "-k", " or ".join(chosen)],
            capture_output=True,
            text=True,
            check=False,
            cwd=REPOSITORY,
        )
    found = re.findall(r"^FAILED \S+::(\w+)\[(\w+)", done.stdout, re.MULTILINE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert found, done.stdout + done.stderr
    return {(mutant, test) for test, mutant in found}
