"""The published study's figures, and what a careful rebuild of it found in 200 seeds."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

GROUP: Final = 5
"""Every figure is a total over so many seeds."""


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One figure.

    Attributes:
        article: What the study printed; None for what it did not count.
        mean: Of the rebuild's groups of five seeds; ``lo`` and ``hi`` hold the central 95% of
            them.
    """

    article: float | None
    mean: float
    lo: float
    hi: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the band."""
        return self.lo <= value <= self.hi


@cache
def published() -> Mapping[str, PublishedFigure]:
    """Every figure, by name."""
    told = json.loads(files("pincite.sim.day").joinpath("published.json").read_text("utf-8"))
    return {
        name: PublishedFigure(one["article"], one["mean"], one["lo"], one["hi"])
        for name, one in told["figures"].items()
    }


def is_compared(name: str) -> bool:
    """Whether a figure should agree: sizes depend on how a server spells its JSON."""
    return name in published() and "KiB" not in name
