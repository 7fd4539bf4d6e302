"""Time in whole milliseconds, and chance in letters and digits."""

from pincite.app.system import RandomIds, SystemClock
from pincite.domain.stamps import Stamp


def test_the_clock_tells_the_machines_time_in_whole_milliseconds() -> None:
    first, second = SystemClock().now(), SystemClock().now()
    assert (
        Stamp.parse("2026-11-30T00:00:00Z") < first <= second < Stamp.parse("2100-01-01T00:00:00Z")
    )
    assert len(str(first)) == len("2026-11-08T10:00:00.123Z")


def test_ids_and_secrets_are_letters_and_digits_and_come_once() -> None:
    ids = RandomIds()
    many = [ids.new_id() for _ in range(1000)]
    assert {len(one) for one in many} == {12}
    assert len(set(many)) == 1000
    secrets = [ids.new_secret() for _ in range(1000)]
    assert {len(one) for one in secrets} == {40}
    assert all(one.isascii() and one.isalnum() for one in [*many, *secrets])
    assert len(set(secrets)) == 1000
