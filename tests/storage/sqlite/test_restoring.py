"""A restore that is killed leaves no store that could be taken for the old one."""

import subprocess
import sys
from pathlib import Path

import pytest

from pincite.domain.events import Gap
from pincite.storage import create_store, open_store, restore_store
from tests.storage.writing import HANDBOOK, LOG, TEN_OCLOCK, Author

KILLED = """
import os, signal, sys
from pathlib import Path
import apsw
from pincite.domain.stamps import Stamp
from pincite.storage import restore_store

def die_in_the_commit(connection):
    if connection.filename.endswith(".restoring"):
        connection.set_commit_hook(lambda: os.kill(os.getpid(), signal.SIGKILL) or False)

apsw.connection_hooks.append(die_in_the_commit)
restore_store(sys.argv[1], Path(sys.argv[2]), Stamp(0))
"""


@pytest.mark.spec("EV-6", "FT-1")
def test_a_restore_killed_before_the_logs_are_broken_off_is_no_store_and_can_be_repeated(
    tmp_path: Path,
) -> None:
    store = create_store(str(tmp_path / "store.db"))
    store.create_knowledge_base(HANDBOOK, "Handbook", "en")
    Author(store).publish("leave")
    store.upkeep.backup(tmp_path / "backup")
    store.close()
    target = tmp_path / "restored.db"
    command = [sys.executable, "-c", KILLED, str(target), str(tmp_path / "backup")]
    assert subprocess.run(command, check=False).returncode == -9
    assert not target.exists()
    assert (tmp_path / "restored.db.restoring").exists()
    restore_store(str(target), tmp_path / "backup", TEN_OCLOCK)
    restored = open_store(str(target))
    with restored.view() as view:
        page = view.list_events(LOG, 1, 100)
    restored.close()
    assert page.gap == Gap(1, TEN_OCLOCK.milliseconds)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["backup", "restored.db", "store.db"]
