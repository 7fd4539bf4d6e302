"""The support day's results as numbers with names, summed over seeds and scaled to five.

The names are the published study's, so that scripts can hold the two against each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from pincite.sim.chance import Chance
from pincite.sim.clock import HOUR, MINUTE, SECOND
from pincite.sim.day import hours as day
from pincite.sim.day.edits import Edits
from pincite.sim.day.hours import Count, Day, Hour
from pincite.sim.day.published import GROUP
from pincite.sim.tools import Cost

Counts: TypeAlias = Mapping[str, float]
Figures: TypeAlias = Mapping[str, float]

EACH: Final = ", each citation counted"
_KIB: Final = 1024
_SAMPLES: Final = 400
_TAIL: Final = 0.025
LEAST_SEEDS: Final = 20
"""With fewer seeds a band would say more about chance than about the day."""

_SHARES: Final = (
    # The study divides distinct stale versions by all citations; so does its figure here.
    ("stale % of citations", "stale", "citations so far"),
    (f"stale % of citations{EACH}", f"stale{EACH}", "citations so far"),
    ("stale % of versions", "stale", "versions cited so far"),
    (
        "answers with a stale citation %",
        "answers with a stale citation",
        "answers so far",
    ),
    ("title-only caught % of stale", "title-only caught", "stale"),
    (f"passage intact % of stale{EACH}", f"stale, passage intact{EACH}", f"stale{EACH}"),
)
"""Names of shares, of what, and in what; each behind ``hour N: ``."""

_WAYS: Final = {
    day.TITLES: "search",
    day.READING: "read",
    day.POLLING: "poll",
    day.POLLING_AND_READING: "poll and read",
    day.POLLING_AND_ASKING: "poll and check",
    day.STAMPS: "check stamps",
    day.PASSAGES: "check passages",
}


@dataclass(frozen=True, slots=True)
class SeedRun:
    """What one seed gave.

    Attributes:
        edits: By delay, in milliseconds.
    """

    seed: int
    day: Day
    control: Day
    edits: Mapping[int, Edits]


@dataclass(frozen=True, slots=True)
class Band:
    """Where the central 95% of groups of five seeds lie."""

    lo: float
    hi: float


def counts_of(run: SeedRun) -> Counts:
    """One seed's counts."""
    counts: dict[str, float] = {}
    for hour in run.day.hours.values():
        counts |= _hour(hour)
    last = run.control.hours[max(run.control.hours)]
    counts |= _both("control: stale", last.stale)
    counts["control: answers with a stale citation"] = last.stale_answers
    for way, cost in run.day.costs.items():
        counts |= _cost(_WAYS[way], cost)
    for delay, edits in run.edits.items():
        counts |= _edits(f"edit after {spelled(delay)}", edits)
    counts["edits rejected as unpublished, all delays"] = sum(
        edits.unpublished for edits in run.edits.values()
    )
    counts["idempotent replays"] = sum(edits.replayed for edits in run.edits.values())
    return counts


def figures_of(counts: Sequence[Counts]) -> Figures:
    """Sums counts of some seeds, scales them to five, and adds the shares.

    Args:
        counts: Of one seed each, at least one.
    """
    sums: dict[str, float] = dict.fromkeys(counts[0], 0.0)
    for one in counts:
        for name, count in one.items():
            sums[name] += count
    scaled = {name: total * GROUP / len(counts) for name, total in sums.items()}
    return {**scaled, **_shares(scaled)}


def bands_of(counts: Sequence[Counts]) -> Mapping[str, Band]:
    """The band of every figure, from groups drawn among the seeds; none from few seeds."""
    if len(counts) < LEAST_SEEDS:
        return {}
    chance = Chance("bands", len(counts))
    groups = [figures_of([chance.choice(counts) for _ in range(GROUP)]) for _ in range(_SAMPLES)]
    cut = round(_SAMPLES * _TAIL)
    bands = {}
    for name in groups[0]:
        values = sorted(group[name] for group in groups)
        bands[name] = Band(values[cut], values[-1 - cut])
    return bands


def spelled(delay: int) -> str:
    """A delay in its largest whole unit: ``20 s``, ``15 min``, ``4 h``."""
    for unit, name in ((HOUR, "h"), (MINUTE, "min")):
        if delay % unit == 0:
            return f"{delay // unit} {name}"
    return f"{delay / SECOND:g} s"


def _hour(hour: Hour) -> Counts:
    name = f"hour {hour.hour}"
    return {
        f"{name}: citations so far": hour.cited.citations,
        f"{name}: versions cited so far": hour.cited.versions,
        f"{name}: answers so far": hour.answers,
        f"{name}: answers with a stale citation": hour.stale_answers,
        **_both(f"{name}: stale", hour.stale),
        **_both(f"{name}: title-only caught", hour.caught),
        **_both(f"{name}: stale, passage intact", hour.intact),
        **_both(f"{name}: stale, gone", hour.gone),
    }


def _both(name: str, count: Count) -> Counts:
    return {name: count.versions, f"{name}{EACH}": count.citations}


def _cost(name: str, cost: Cost) -> Counts:
    return {
        f"{name}: calls": cost.calls,
        f"{name}: KiB returned": cost.returned / _KIB,
        f"{name}: KiB sent": cost.sent / _KIB,
        f"{name}: items": cost.items,
    }


def _edits(name: str, edits: Edits) -> Counts:
    return {
        f"{name}: sent": edits.sent,
        f"{name}: saved at once": edits.saved,
        f"{name}: rejected, moved": edits.moved,
        f"{name}: rejected, unpublished": edits.unpublished,
        f"{name}: rejected, merged cleanly": edits.merged,
        f"{name}: retries saved": edits.retried,
        f"{name}: idempotent replays": edits.replayed,
    }


def _shares(scaled: Counts) -> Figures:
    hours = [name.split(": ")[0] for name in scaled if name.endswith(": citations so far")]
    return {
        f"{hour}: {share}": _percent(scaled[f"{hour}: {part}"], scaled[f"{hour}: {whole}"])
        for hour in hours
        for share, part, whole in _SHARES
        if f"{hour}: {part}" in scaled
    }


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0
