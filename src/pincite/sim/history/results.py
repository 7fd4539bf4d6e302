"""What a replay showed, as tables and values."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pincite import __version__
from pincite.domain.citations import Verdict
from pincite.sim.clock import DAY, HOUR
from pincite.sim.history.editors import Tally
from pincite.sim.history.replay import Finding, Sampling, Weighting
from pincite.sim.tables import Cell, Table, percent
from pincite.sim.tools import Meter

_SECOND: Final = 10**9
_MILLI: Final = 10**6


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of the citations that were looked at after one time.

    Attributes:
        current: The stamp had not moved.
        merged: Of those that moved, how many late edits of the passage came back merged.
        unfounded: Always 0: a quote that was just read stood there.
    """

    looked_at: int
    current: int
    intact: int
    changed: int
    gone: int
    unfounded: int
    merged: int

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> "Fate":
        """Counts findings."""
        verdicts = Counter(one.verdict for one in findings)
        return cls(
            looked_at=len(findings),
            current=verdicts[Verdict.CURRENT],
            intact=verdicts[Verdict.INTACT],
            changed=verdicts[Verdict.CHANGED],
            gone=verdicts[Verdict.GONE],
            unfounded=verdicts[Verdict.UNFOUNDED],
            merged=sum(one.merged is True for one in findings),
        )

    @property
    def moved(self) -> int:
        """Those whose article changed and is still there."""
        return self.intact + self.changed


@dataclass(frozen=True)
class ReplayResults:
    """The results of one replay.

    Attributes:
        name: What was replayed.
        tally: What the history came to.
        pages: The most pages that the events of one publication took.
        without_passage: Reads of articles that hold no passage worth a citation.
        processor: Nanoseconds of this process, for all of it.
    """

    name: str
    sampling: Sampling
    tally: Tally
    findings: Sequence[Finding]
    pages: int
    without_passage: int
    meter: Meter
    processor: int

    @cached_property
    def fates(self) -> Mapping[tuple[Weighting, int], Fate]:
        """By weighting and horizon."""
        sorted_out: dict[tuple[Weighting, int], list[Finding]] = {
            (weighting, horizon): []
            for weighting in self.sampling.weightings
            for horizon in self.sampling.horizons
        }
        for one in self.findings:
            sorted_out[one.reading.weighting, one.horizon].append(one)
        return {key: Fate.of(found) for key, found in sorted_out.items()}

    @cached_property
    def figures(self) -> Mapping[str, float]:
        """Everything that was counted, by name; the same for the same history and seed."""
        tally = self.tally
        figures: dict[str, float] = {
            "publications": tally.publications,
            "changes": tally.changes,
            "articles": tally.created,
            "events": tally.events,
            "texts saved": tally.saved,
            "withdrawn": tally.withdrawn,
            "published again": tally.republished,
            "front matter only": tally.front_matter_only,
            "without text": tally.without_text,
            "events of the largest publication": tally.largest,
            "pages of the largest publication": self.pages,
            "texts replaced": tally.replaced,
            "two authors within an hour": tally.meetings,
        }
        for (weighting, horizon), fate in self.fates.items():
            name = f"{weighting}, after {elapsed(horizon)}"
            figures |= {
                f"{name}: looked at": fate.looked_at,
                f"{name}: current": fate.current,
                f"{name}: intact": fate.intact,
                f"{name}: changed": fate.changed,
                f"{name}: gone": fate.gone,
                f"{name}: unfounded": fate.unfounded,
                f"{name}: merged": fate.merged,
            }
        return figures

    def facts(self) -> Mapping[str, str]:
        """What was replayed, in words."""
        return {
            "Pincite": __version__,
            "history": self.name,
            "publications": f"{self.tally.publications:,} with {self.tally.changes:,} changes",
            "articles": f"{self.tally.created:,}",
            "reads": f"{self.sampling.reads:,} of each weighting, seed {self.sampling.seed}",
            "CPU": f"{self.processor / _SECOND:.1f} s",
        }

    def tables(self) -> list[Table]:
        """All tables."""
        return [
            *(self._fate_table(weighting) for weighting in self.sampling.weightings),
            self._history_table(),
            self.cost_table(),
        ]

    def _fate_table(self, weighting: Weighting) -> Table:
        rows: list[Sequence[Cell]] = []
        for horizon in self.sampling.horizons:
            fate = self.fates[weighting, horizon]
            rows.append(
                [
                    elapsed(horizon),
                    fate.looked_at,
                    percent(fate.moved, fate.looked_at),
                    percent(fate.gone, fate.looked_at),
                    percent(fate.intact, fate.moved),
                    percent(fate.changed, fate.moved),
                    percent(fate.merged, fate.moved),
                ]
            )
        which = {
            Weighting.UNIFORM: "every article read as often",
            Weighting.EDITS: "articles read as often as they are edited",
        }
        return Table(
            f"fate-{weighting.name.lower()}",
            f"What became of a citation: {which[weighting]}",
            [
                *("after", "citations", "changed %", "gone %"),
                *("intact % of changed", "passage changed % of changed", "merged % of changed"),
            ],
            rows,
            "Changed: the article has another text now. Intact: it has, and the cited passage "
            "stands in it. Merged: a late edit of that passage was refused, and came back with "
            "both changes in one text.",
        )

    def _history_table(self) -> Table:
        tally = self.tally
        saved = tally.saved + tally.front_matter_only or 1
        rows: list[Sequence[Cell]] = [
            ["publications", tally.publications, None],
            ["changes of files", tally.changes, None],
            ["articles", tally.created, None],
            ["events", tally.events, None],
            ["texts saved", tally.saved, 100 * tally.saved / saved],
            [
                "saves of front matter only, no event",
                tally.front_matter_only,
                100 * tally.front_matter_only / saved,
            ],
            ["withdrawn", tally.withdrawn, None],
            ["published again", tally.republished, None],
            ["files without a text that can be read", tally.without_text, None],
            ["events of the largest publication", tally.largest, None],
            ["pages of 100 that it took to poll them", self.pages, None],
            [
                "texts replaced within an hour after another author's save",
                tally.meetings,
                100 * tally.meetings / (tally.replaced or 1),
            ],
        ]
        return Table("history", "What the history holds", ["what", "count", "% of saves"], rows)

    def cost_table(self) -> Table:
        """Where the time went."""
        rows: list[Sequence[Cell]] = [
            [
                name,
                cost.calls,
                cost.processor / _MILLI / (cost.calls or 1),
                f"{cost.processor / _SECOND:.1f}",
            ]
            for name, cost in self.meter.costs.items()
        ]
        return Table(
            "costs", "Where the time went", ["what", "number", "ms of CPU each", "s of CPU"], rows
        )

    def values(self) -> Mapping[str, object]:
        """Everything as JSON values; what is under ``costs`` differs from run to run."""
        return {
            "facts": {name: value for name, value in self.facts().items() if name != "CPU"},
            "figures": self.figures,
            "costs": {
                "cpu_seconds": self.processor / _SECOND,
                "calls": {
                    name: {"calls": cost.calls, "cpu_seconds": cost.processor / _SECOND}
                    for name, cost in self.meter.costs.items()
                },
            },
        }


def elapsed(horizon: int) -> str:
    """A time in hours or days: ``1 h``, ``30 d``."""
    return f"{horizon // DAY} d" if horizon % DAY == 0 else f"{horizon / HOUR:g} h"
