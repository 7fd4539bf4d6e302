"""Where a call's work is done: beside the event loop, or on it where that is quicker."""

from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")

_THREADS = 100
"""Enough for edits to share transactions; each waits for the disk most of the time."""


class Workers:
    """Does the service's work, which is synchronous, for handlers, which are not.

    Args:
        embedded: Whether the store is in this process, so that a point read takes a few
            microseconds: a tenth of what a hop to a thread does.
    """

    def __init__(self, *, embedded: bool = True) -> None:
        self._embedded = embedded
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def look(self, work: Callable[[], T]) -> T:
        """Does a point read."""
        return work() if self._embedded else await self.do(work)

    async def do(self, work: Callable[[], T]) -> T:
        """Does what may take long; it is done to its end, whether or not the caller waits."""
        return await anyio.to_thread.run_sync(work, limiter=self._limiter)
