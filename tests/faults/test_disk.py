"""A disk that takes no more: writes are refused, nothing is lost, and it ends by itself."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.storage import create_store
from tests.storage.writing import HANDBOOK

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.spec("FT-2")
def test_a_store_whose_file_may_not_grow_refuses_writes_and_recovers_without_a_restart(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    store = create_store(str(path))
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    store.close()
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.full_disk", str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "refusal": ["store_unavailable"],
        "saved before": True,
        "text is the last one saved": True,
        "events": 0,
        "disagreements": [],
        "refusal afterwards": [],
        "saved afterwards": 5,
        "disagreements afterwards": [],
    }
