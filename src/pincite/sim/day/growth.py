"""How the cost of one check grows: with the citations that were given, and with the changes.

What is counted here is expected, not played: how many distinct articles so many citations and
changes fall on, if both follow the day's popularity. Sizes are the mean sizes of the calls that
the day really made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pincite.sim.day.checking import BATCH
from pincite.sim.day.figures import Figures
from pincite.sim.day.study import WAYS
from pincite.sim.day.world import popularity_of
from pincite.sim.tables import Table

ARTICLES: Final = 100_000
"""In the knowledge base that is checked against."""
CITATIONS: Final = (100, 1_000, 10_000, 100_000, 1_000_000)
CHANGES: Final = (10, 100, 1_000, 10_000, 100_000)
_CHANGES: Final = 40
"""Between two checks, while citations grow: about what an hour of the day brings."""
_CITATIONS: Final = 10_000
"""Given so far, while changes grow."""
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Growth:
    """One check's cost by way, at each of some sizes.

    Attributes:
        what: What grows.
        sizes: How many of it.
        calls: By way, for each size.
        kib: KiB by way, for each size.
    """

    what: str
    sizes: Sequence[int]
    calls: Mapping[str, Sequence[float]]
    kib: Mapping[str, Sequence[float]]


def growth_of(figures: Figures, exponent: float) -> tuple[Growth, Growth]:
    """The cost as citations grow, and as changes grow.

    Args:
        figures: Of a day, for the mean size of each kind of call.
        exponent: Of the popularity of articles.
    """
    running = (0, *popularity_of(ARTICLES, exponent))
    shares = [(high - low) / running[-1] for low, high in pairwise(running)]
    return (
        _grown(
            "citations", CITATIONS, [_Check.of(shares, n, _CHANGES) for n in CITATIONS], figures
        ),
        _grown("changes", CHANGES, [_Check.of(shares, _CITATIONS, n) for n in CHANGES], figures),
    )


def growth_table(growth: Growth) -> Table:
    """A growth as a table: calls and KiB of one check."""
    rows = []
    for way, title in WAYS.items():
        pairs = zip(growth.calls[way], growth.kib[way], strict=True)
        rows.append([title, *(f"{calls:,.0f} / {kib:,.0f}" for calls, kib in pairs)])
    fixed = (
        f"{_CHANGES} changes since the last check"
        if growth.what == "citations"
        else f"{_CITATIONS:,} citations given so far"
    )
    return Table(
        f"growth-{growth.what}",
        f"Calls / KiB of one check, as {growth.what} grow",
        ["way", *(f"{size:,} {growth.what}" for size in growth.sizes)],
        rows,
        f"Expected in a knowledge base of {ARTICLES:,} articles with {fixed}; not played.",
    )


@dataclass(frozen=True, slots=True)
class _Check:
    """What one check is about: expected numbers.

    Attributes:
        cited: Distinct articles that the citations are of.
        moved: Those of them that moved since the last check.
        touched: Citations of those.
    """

    citations: int
    changes: int
    cited: float
    moved: float
    touched: float

    @classmethod
    def of(cls, shares: Sequence[float], citations: int, changes: int) -> "_Check":
        told = [1 - (1 - share) ** citations for share in shares]
        moving = [1 - (1 - share) ** changes for share in shares]
        moved = sum(one * other for one, other in zip(told, moving, strict=True))
        touched = sum(citations * a * b for a, b in zip(shares, moving, strict=True))
        return cls(citations, changes, sum(told), moved, touched)

    def calls(self) -> Mapping[str, float]:
        pages = float(max(1, -(-self.changes // _PAGE)))
        asked = float(-(-self.citations // BATCH))
        return {
            "search": self.cited,
            "read": self.cited,
            "poll": pages,
            "poll and read": pages + self.moved,
            "poll and check": pages + -(-self.touched // BATCH),
            "check stamps": asked,
            "check passages": asked,
        }

    def kib(self, figures: Figures) -> Mapping[str, float]:
        read = self.moved * _each(figures, "read", "calls")
        polled = self.changes * _each(figures, "poll", "items")
        return {
            "search": self.cited * _each(figures, "search", "calls"),
            "read": self.cited * _each(figures, "read", "calls"),
            "poll": polled,
            "poll and read": polled + read,
            "poll and check": polled + self.touched * _each(figures, "check passages", "items"),
            "check stamps": self.citations * _each(figures, "check stamps", "items"),
            "check passages": self.citations * _each(figures, "check passages", "items"),
        }


def _each(figures: Figures, way: str, what: str) -> float:
    """The mean KiB that one call, event or citation returned in the day."""
    return figures[f"{way}: KiB returned"] / (figures[f"{way}: {what}"] or 1)


def _grown(what: str, sizes: Sequence[int], checks: Sequence[_Check], figures: Figures) -> Growth:
    calls, kib = [one.calls() for one in checks], [one.kib(figures) for one in checks]
    return Growth(
        what,
        sizes,
        {way: [one[way] for one in calls] for way in WAYS},
        {way: [one[way] for one in kib] for way in WAYS},
    )
