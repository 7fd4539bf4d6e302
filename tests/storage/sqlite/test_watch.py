"""Waiting for commits, without looking for those of others."""

import threading
from pathlib import Path

import pytest

from pincite.storage.sqlite import watch
from tests.storage.sqlite.filling import filled


def test_a_commit_of_this_process_wakes_whoever_waits_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_LOOK_EVERY", 600)
    author = filled(path)
    store = author.store
    seen = store.wait(store.wait(0, 0), 0)
    moved: list[int] = []
    waiting = threading.Thread(target=lambda: moved.append(store.wait(seen, 600)))
    waiting.start()
    author.edit("leave", "New.\n")
    waiting.join(30)
    assert len(moved) == 1
    assert moved != [seen]
    store.close()
