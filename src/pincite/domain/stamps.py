"""Version stamps: the time of a published version, which a citation pins and an edit expects."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from pincite.errors import InvalidInputError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 64
_FIRST, _LAST = -62_135_596_800, 253_402_300_799  # years 1 to 9999 in UTC

# RFC 3339 section 5.6. ASCII digits only: \d would also take other scripts' digits.
_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


@dataclass(frozen=True, slots=True, order=True)
class Stamp:
    """An instant, exact.

    Stamps that Pincite gives out are whole milliseconds, because a JavaScript ``Date``
    keeps no more. A stamp that a caller names may be any instant; what does not fit a
    millisecond stays in ``excess``, so that it equals no stamp given out.

    Attributes:
        milliseconds: Since 1970-01-01T00:00:00Z, rounded down.
        excess: Digits beyond the millisecond without trailing zeros, or ``leap`` for a
            leap second. Empty in every stamp that Pincite gives out.
    """

    milliseconds: int
    excess: str = ""

    @classmethod
    def parse(cls, text: str, field: str = "updated_at") -> "Stamp":
        """Reads any RFC 3339 spelling of an instant, without rounding.

        Raises:
            InvalidInputError: ``text`` is no RFC 3339 date-time, or lacks its offset.
        """
        match = _DATE_TIME.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            raise _not_a_date_time(field)
        year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
        offset = _offset_minutes(match, field)
        leap = second == 60
        try:
            local = datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=UTC)
        except ValueError:
            raise _not_a_date_time(field) from None
        seconds = (local - _EPOCH) // timedelta(seconds=1) - 60 * offset
        if not _FIRST <= seconds <= _LAST:
            raise _not_a_date_time(field)
        if leap:
            if seconds % 86_400 != 86_399:
                raise _not_a_date_time(field)
            return cls(seconds * 1000 + 999, "leap")
        fraction = match.group(7) or ""
        return cls(seconds * 1000 + int(fraction[:3].ljust(3, "0")), fraction[3:].rstrip("0"))

    def next(self) -> "Stamp":
        """The first whole millisecond after this stamp's."""
        return Stamp(self.milliseconds + 1)

    def __str__(self) -> str:
        """RFC 3339 in UTC: three fraction digits, and more only where ``excess`` has them."""
        if self.excess == "leap":
            return f"{_date_and_time(self.milliseconds // 1000)[:-2]}60Z"
        seconds, milliseconds = divmod(self.milliseconds, 1000)
        return f"{_date_and_time(seconds)}.{milliseconds:03d}{self.excess}Z"


def next_stamp(now: Stamp, *earlier: Stamp | None) -> Stamp:
    """The stamp of a change made ``now``, strictly later than every ``earlier`` one.

    The clock may stand still or step back; stamps of an article never do.
    """
    return max([Stamp(now.milliseconds), *(stamp.next() for stamp in earlier if stamp)])


@lru_cache(maxsize=4096)
def _date_and_time(seconds: int) -> str:
    """Kept for a while, since the same citations are told again and again."""
    moment = _EPOCH + timedelta(seconds=seconds)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds")


def _offset_minutes(match: re.Match[str], field: str) -> int:
    sign, hours, minutes = match.group(8), match.group(9), match.group(10)
    if sign is None:
        return 0
    if int(hours) > 23 or int(minutes) > 59:
        raise _not_a_date_time(field)
    return (-1 if sign == "-" else 1) * (60 * int(hours) + int(minutes))


def _not_a_date_time(field: str) -> InvalidInputError:
    return InvalidInputError(
        f"{field} must be an RFC 3339 date-time with an offset, such as 2026-11-08T10:00:00.123Z.",
        field=field,
        limit="RFC 3339 date-time with an offset",
    )
