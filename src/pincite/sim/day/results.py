"""What some support days showed, and in which forms it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pincite import __version__
from pincite.sim.day.figures import Band, Counts, Figures, bands_of, figures_of, spelled
from pincite.sim.day.growth import growth_of, growth_table
from pincite.sim.day.published import published
from pincite.sim.day.study import own_tables, study_tables
from pincite.sim.day.world import Shape
from pincite.sim.stages import Over
from pincite.sim.tables import Cell, Table
from pincite.sim.tools import Cost, Meter

_MICRO = 1000
_SECOND = 10**9


@dataclass(frozen=True)
class Results:
    """The results.

    Attributes:
        counts: Of each seed.
        processor: Nanoseconds of this process, for all of it.
    """

    shape: Shape
    seeds: Sequence[int]
    over: Over
    counts: Sequence[Counts]
    meter: Meter
    processor: int

    @cached_property
    def figures(self) -> Figures:
        """Every figure, scaled to five seeds."""
        return figures_of(self.counts)

    @cached_property
    def bands(self) -> Mapping[str, Band]:
        """Where 95% of groups of five seeds lie; empty for few seeds."""
        return bands_of(self.counts)

    @property
    def comparable(self) -> bool:
        """Whether the days have the published study's shape."""
        return self.shape == Shape()

    def facts(self) -> Mapping[str, str]:
        """What was played, in words."""
        shape = self.shape
        return {
            "Pincite": __version__,
            "seeds": _ranges(self.seeds),
            "a day": (
                f"{shape.articles:,} articles on {shape.topics:,} topics, {shape.questions:,} "
                f"questions and {shape.saves:,} saves in {shape.hours} hours"
            ),
            "popularity": f"Zipf, exponent {shape.exponent:g}",
            "saves": f"{shape.retitled}% change the title too, {shape.withdrawn}% withdraw",
            "delays": ", ".join(map(spelled, shape.delays)),
            "the agent's calls": {
                Over.PROCESS: "in the server's process",
                Over.STDIO: "over MCP, on standard input and output",
                Over.HTTP: "over MCP, on HTTP",
            }[self.over],
            "CPU": f"{self.processor / _SECOND:.2f} s",
        }

    def tables(self) -> list[Table]:
        """All tables: the study's, ours, what grows, and where the time went."""
        return [
            *study_tables(self.figures, self.bands, comparable=self.comparable),
            *own_tables(self.figures),
            *map(growth_table, growth_of(self.figures, self.shape.exponent)),
            self.cost_table(),
        ]

    def cost_table(self) -> Table:
        """Where the time went, dearest first."""
        costs = sorted(self.meter.costs.items(), key=lambda item: -item[1].processor)
        rows: list[Sequence[Cell]] = [
            [
                name,
                cost.calls,
                cost.processor / _MICRO / (cost.calls or 1),
                cost.elapsed / _MICRO / (cost.calls or 1),
                f"{cost.processor / _SECOND:.2f}",
                100 * cost.processor / (self.processor or 1),
            ]
            for name, cost in costs
        ]
        return Table(
            "costs",
            "Where the time went",
            ["what", "calls", "µs of CPU a call", "µs a call", "s of CPU", "% of all CPU"],
            rows,
            "CPU of this process, on all its threads; a server in a process of its own is not "
            f"in it. All together: {self.processor / _SECOND:.2f} s.",
        )

    def values(self) -> Mapping[str, object]:
        """Everything as JSON values; what is under ``costs`` differs from run to run."""
        told = {name: [one.lo, one.hi] for name, one in self.bands.items()}
        return {
            "facts": {name: value for name, value in self.facts().items() if name != "CPU"},
            "seeds": list(self.seeds),
            "figures": self.figures,
            "bands": told,
            "published": {
                name: {"article": one.article, "mean": one.mean, "lo": one.lo, "hi": one.hi}
                for name, one in published().items()
            },
            "costs": {
                "cpu_seconds": self.processor / _SECOND,
                "calls": {name: _cost(cost) for name, cost in self.meter.costs.items()},
            },
        }


def _cost(cost: Cost) -> Mapping[str, float]:
    return {
        "calls": cost.calls,
        "bytes_sent": cost.sent,
        "bytes_returned": cost.returned,
        "cpu_seconds": cost.processor / _SECOND,
        "seconds": cost.elapsed / _SECOND,
    }


def _ranges(seeds: Sequence[int]) -> str:
    """Numbers as runs: ``1–5, 8``."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and runs[-1][-1] == seed - 1:
            runs[-1][-1] = seed
        else:
            runs.append([seed, seed])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in runs)
