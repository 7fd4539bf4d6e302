"""What every activity works with."""

from dataclasses import dataclass

from pincite.domain.stamps import Stamp
from pincite.domain.texts import CONTENT_LIMIT
from pincite.ports import Clock, IdSource, ReadView, Store


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that an operator sets.

    Attributes:
        content: An article's size, in bytes of UTF-8.
        calls_per_minute: By one principal on one server; None for no limit.
    """

    content: int = CONTENT_LIMIT
    calls_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """The world as the service sees it."""

    store: Store
    clock: Clock
    ids: IdSource
    limits: Limits

    def now(self, view: ReadView) -> Stamp:
        """The time for a write: the clock's, but never before the last restore."""
        return max(self.clock.now(), view.stamp_floor() or Stamp(0))
