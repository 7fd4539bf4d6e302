"""Stamps: exact instants, written in one way and read in every way."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.domain.stamps import Stamp, next_stamp
from pincite.errors import InvalidInputError

MILLISECONDS = st.integers(min_value=-62_135_596_800_000, max_value=253_402_300_799_999)


@pytest.mark.spec("STAMP-1")
def test_a_stamp_is_written_in_utc_with_three_fraction_digits() -> None:
    assert str(Stamp(1_794_132_000_123)) == "2026-11-08T10:00:00.123Z"
    assert str(Stamp(1_794_132_000_000)) == "2026-11-08T10:00:00.000Z"
    assert str(Stamp(-1)) == "1969-12-31T23:59:59.999Z"


@pytest.mark.spec("STAMP-1")
@given(MILLISECONDS)
def test_a_written_stamp_reads_back_as_the_same_stamp(milliseconds: int) -> None:
    written = str(Stamp(milliseconds))
    assert len(written) == 24
    assert Stamp.parse(written) == Stamp(milliseconds)


@pytest.mark.spec("STAMP-3")
@pytest.mark.parametrize(
    "spelling",
    [
        "2026-11-08T10:00:00.123Z",
        "2026-11-08t10:00:00.123z",
        "2026-11-08T10:00:00.123+00:00",
        "2026-11-08T10:00:00.123-00:00",
        "2026-11-08T10:00:00.123000000Z",
        "2026-11-08T15:30:00.123+05:30",
        "2026-11-07T23:15:00.1230-10:45",
    ],
)
def test_every_spelling_of_an_instant_is_one_stamp(spelling: str) -> None:
    assert Stamp.parse(spelling) == Stamp(1_794_132_000_123)


@pytest.mark.spec("STAMP-3")
@pytest.mark.parametrize(
    "other",
    [
        "2026-11-08T10:00:00.1231Z",
        "2026-11-08T10:00:00.12299999999999Z",
        "2026-11-08T10:00:00.124Z",
        "2026-11-08T10:00:00.123+01:00",
    ],
)
def test_another_instant_is_never_rounded_to_a_stamp(other: str) -> None:
    assert Stamp.parse(other) != Stamp(1_794_132_000_123)


@pytest.mark.spec("STAMP-3")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-08",
        "2026-11-08T10:00:00",
        "2026-11-08 10:00:00Z",
        "2026-11-08T10:00:00.Z",
        "2026-11-08T10:00Z",
        "2026-11-08T24:00:00Z",
        "2026-11-08T10:60:00Z",
        "2026-02-29T10:00:00Z",
        "2026-11-08T10:00:60Z",
        "2026-11-08T10:00:00+24:00",
        "2026-11-08T10:00:00+0100",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "\uff12\uff1026-11-08T10:00:00Z",
        "1794132000123",
        "2026-11-08T10:00:00." + "1" * 50 + "Z",
    ],
)
def test_what_is_no_date_time_with_an_offset_is_refused_by_its_field(text: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        Stamp.parse(text, "expected_version")
    assert refusal.value.details == {
        "field": "expected_version",
        "limit": "RFC 3339 date-time with an offset",
    }


@pytest.mark.spec("STAMP-3")
def test_a_leap_second_is_read_and_is_an_instant_of_its_own() -> None:
    leap = Stamp.parse("2016-12-31T23:59:60Z")
    assert Stamp.parse("2017-01-01T00:59:60+01:00") == leap
    assert leap > Stamp.parse("2016-12-31T23:59:59.999Z")
    assert leap < Stamp.parse("2017-01-01T00:00:00Z")
    assert str(leap) == "2016-12-31T23:59:60Z"


@given(MILLISECONDS, st.integers(-1439, 1439), st.integers(0, 6), st.booleans())
def test_any_offset_and_any_trailing_zeros_name_the_same_stamp(
    milliseconds: int, offset: int, zeros: int, lower: bool
) -> None:
    day = 86_400_000
    milliseconds = max(-62_135_596_800_000 + day, min(milliseconds, 253_402_300_799_999 - day))
    local = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds, minutes=offset)
    sign, minutes = "-" if offset < 0 else "+", abs(offset)
    text = (
        local.replace(tzinfo=None).isoformat(timespec="milliseconds")
        + "0" * zeros
        + f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    )
    assert Stamp.parse(text.lower() if lower else text) == Stamp(milliseconds)


@pytest.mark.spec("STAMP-2")
@given(st.integers(0, 10**13), st.lists(st.one_of(st.none(), st.integers(0, 10**13))))
def test_the_next_stamp_is_later_than_all_and_never_before_now(
    now: int, earlier: list[int | None]
) -> None:
    stamps = [None if one is None else Stamp(one) for one in earlier]
    result = next_stamp(Stamp(now), *stamps)
    assert result >= Stamp(now)
    assert all(result > stamp for stamp in stamps if stamp)
    assert result == Stamp(now) or result.milliseconds - 1 in earlier


@pytest.mark.spec("STAMP-2")
def test_a_clock_that_stands_still_or_steps_back_still_moves_the_stamp() -> None:
    first = next_stamp(Stamp(1000))
    assert first == Stamp(1000)
    assert next_stamp(Stamp(1000), first) == Stamp(1001)
    assert next_stamp(Stamp(400), Stamp(1001)) == Stamp(1002)
