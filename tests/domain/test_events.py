"""Logs: cursors, pages and the gap that a restore declares."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.events import (
    EventPage,
    Gap,
    HostEvent,
    LogExtent,
    page_of,
    sequence_after_restore,
)
from pincite.domain.stamps import Stamp
from pincite.errors import CursorAheadError, CursorExpiredError


def events(*sequences: int) -> list[HostEvent]:
    return [HostEvent(sequence, "said", Stamp(0), "{}") for sequence in sequences]


@pytest.mark.spec("EV-5")
def test_a_cursor_beyond_the_end_is_ahead() -> None:
    with pytest.raises(CursorAheadError) as refusal:
        LogExtent(0, 7).check_cursor(8)
    assert refusal.value.details == {"latest_sequence": 7}


@pytest.mark.spec("EV-5")
def test_a_cursor_before_the_oldest_kept_event_has_expired_zero_included() -> None:
    extent = LogExtent(compacted_through=4, latest=7)
    for after in (0, 3):
        with pytest.raises(CursorExpiredError) as refusal:
            extent.check_cursor(after)
        assert refusal.value.details == {"oldest_sequence": 5, "latest_sequence": 7}
    extent.check_cursor(4)
    extent.check_cursor(7)


@pytest.mark.spec("EV-6")
def test_a_cursor_inside_a_gap_has_expired_and_one_at_its_edges_has_not() -> None:
    extent = LogExtent(0, 1_000_107, (Gap(100, 1_000_100),))
    for after in (100, 1_000_099, 1_000_100, 1_000_107):
        extent.check_cursor(after)
    for after in (101, 130, 1_000_098):
        with pytest.raises(CursorExpiredError):
            extent.check_cursor(after)


@pytest.mark.spec("EV-6")
def test_a_page_that_spans_a_gap_says_so() -> None:
    extent = LogExtent(0, 1_000_101, (Gap(2, 1_000_100),))
    page = page_of(events(2, 1_000_100, 1_000_101), 1, 3, extent)
    assert page.gap == Gap(2, 1_000_100)
    assert page_of(events(1, 2, 1_000_100), 0, 2, extent).gap is None
    assert page_of(events(1_000_101), 1_000_100, 3, extent).gap is None


@pytest.mark.spec("EV-6")
def test_right_after_a_restore_the_empty_page_leads_across_the_gap() -> None:
    extent = LogExtent(0, 1_000_099, (Gap(2, 1_000_100),))
    assert page_of([], 2, 100, extent) == EventPage((), 1_000_099, 1_000_099, Gap(2, 1_000_100))


@pytest.mark.spec("EV-6")
def test_two_restores_of_one_backup_never_give_out_the_same_numbers() -> None:
    assert sequence_after_restore(100, Stamp(0)) == 1_000_100
    first = sequence_after_restore(100, Stamp(1_794_132_000_000))
    second = sequence_after_restore(100, Stamp(1_794_132_060_000))
    assert first == 1_794_132_000_000
    assert second - first == 60_000


@pytest.mark.spec("EV-4")
@given(st.integers(0, 60), st.integers(1, 9), st.integers(0, 60))
def test_pages_of_any_size_give_each_event_once(latest: int, limit: int, after: int) -> None:
    extent, cursor, seen = LogExtent(0, latest), min(after, latest), []
    while True:
        rest = events(*range(cursor + 1, latest + 1))
        page = page_of(rest[: limit + 1], cursor, limit, extent)
        assert len(page.events) <= limit
        seen += [event.sequence for event in page.events]
        cursor = page.next_sequence
        if not page.has_more:
            break
    assert seen == list(range(min(after, latest) + 1, latest + 1))
    assert cursor == latest
