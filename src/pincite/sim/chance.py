"""Draws from a seed that are the same on every machine and in every version of Python."""

from bisect import bisect_right
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

Item = TypeVar("Item")


class Chance:
    """One stream of draws; streams of other names leave each other alone.

    The n-th draw is the first half of SHA-256 of names and n, read as a fraction: nothing to
    keep but a count, no floating point, and no library whose algorithm may move.
    """

    def __init__(self, *names: str | int) -> None:
        self._source = sha256("/".join(str(name) for name in names).encode())
        self._count = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 up to, but not including, ``bound``."""
        source = self._source.copy()
        source.update(b"/%d" % self._count)
        self._count += 1
        return int.from_bytes(source.digest()[:16], "big") * bound >> 128

    def weighted(self, cumulative: Sequence[int]) -> int:
        """An index, by weights that are given as their running sums."""
        return bisect_right(cumulative, self.below(cumulative[-1]))

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in any order, each as likely (Fisher–Yates)."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
