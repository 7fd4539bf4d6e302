"""Tests of what may not be read or written, which root may."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def as_ordinary_user() -> Iterator[Path]:
    """A folder of one's own, and no more rights than its owner has, for the time of the block.

    Root becomes nobody and root again; anybody else stays who they are.
    """
    folder = Path(tempfile.mkdtemp(prefix="pincite-"))
    root = os.geteuid() == 0
    try:
        if root:
            os.chown(folder, NOBODY, NOBODY)
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        yield folder
    finally:
        if root:
            os.seteuid(0)
            os.setegid(0)
        shutil.rmtree(folder)
