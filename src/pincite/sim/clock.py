"""A clock that stands where it is put."""

from typing import Final

from pincite.domain.stamps import Stamp

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
"""Lengths of time, in milliseconds."""

MORNING: Final = Stamp.parse("2026-01-05T08:00:00Z")
"""When every support day begins."""


class SimulatedClock:
    """Tells the time of the experiment."""

    def __init__(self, now: Stamp = MORNING) -> None:
        self._now = now

    def now(self) -> Stamp:
        """Where the clock was put last."""
        return self._now

    def put(self, now: Stamp) -> None:
        """Puts the clock."""
        self._now = now
