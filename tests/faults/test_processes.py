"""Many processes on one file, some of them killed: nothing is lost, doubled or half there."""

from pathlib import Path

import pytest

from bench.soak import killing, tailing


@pytest.mark.spec("EV-2", "EV-3", "CAS-2")
def test_readers_that_tail_the_log_see_every_event_once_while_processes_write(
    tmp_path: Path,
) -> None:
    report = tailing(tmp_path / "store.db", writers=4, readers=2, events=10_000)
    assert (report.events, report.missed, report.out_of_turn, report.differing) == (10_000, 0, 0, 0)
    assert report.refusals == 0
    assert report.disagreements == []


@pytest.mark.spec("FT-1", "IDEM-5")
def test_writers_that_are_killed_lose_no_acknowledged_save_and_leave_none_half(
    tmp_path: Path,
) -> None:
    report = killing(tmp_path / "store.db", kills=20)
    assert report.acknowledged >= 20
    assert (report.lost, report.unasked, report.disagreements) == ([], 0, [])


@pytest.mark.spec("FT-2")
@pytest.mark.parametrize("processes", [2, 3, 4])
def test_no_process_waits_long_for_others_on_one_file(tmp_path: Path, processes: int) -> None:
    report = tailing(tmp_path / "store.db", writers=processes, readers=0, events=1200)
    assert (report.events, report.refusals, report.disagreements) == (1200, 0, [])
    assert report.slowest < 5
