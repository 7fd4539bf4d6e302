"""The page on a replay."""

from pincite.sim.clock import DAY
from pincite.sim.history.replay import Weighting
from pincite.sim.history.results import ReplayResults, elapsed
from pincite.sim.plots import Axes, Plot, Series, bars, lines
from pincite.sim.report import Report, Section


def replay_report(results: ReplayResults) -> Report:
    """Writes the page."""
    *fates, history, costs = results.tables()
    return Report(
        f"A real history replayed: {results.name}",
        _summary(results),
        results.facts(),
        [
            Section(
                "fates",
                "How citations age",
                [
                    _ageing(results),
                    *(_survival(results, one) for one in results.sampling.weightings),
                    _merges(results),
                ],
                fates,
            ),
            Section("history", "The history", (), [history]),
            Section("time", "Where the time went", (), [costs]),
        ],
    )


def _summary(results: ReplayResults) -> str:
    horizon = min(results.sampling.horizons, key=lambda one: abs(one - 30 * DAY))
    fate = results.fates[results.sampling.weightings[0], horizon]
    whole, moved = fate.looked_at or 1, fate.moved or 1
    return (
        f"{elapsed(horizon)} after it was read, {100 * fate.moved / whole:.1f}% of the articles "
        f"have another text and {100 * fate.gone / whole:.1f}% are gone. In "
        f"{100 * fate.intact / moved:.1f}% of the changed ones the cited passage still stands, and "
        f"{100 * fate.merged / moved:.1f}% of late edits of it come back merged."
    )


def _ageing(results: ReplayResults) -> Plot:
    series = []
    for weighting in results.sampling.weightings:
        fates = [results.fates[weighting, one] for one in results.sampling.horizons]
        for name, values in (
            ("changed or gone", [one.moved + one.gone for one in fates]),
            ("passage changed or gone", [one.changed + one.gone for one in fates]),
        ):
            points = [
                (horizon / DAY, 100 * value / (fate.looked_at or 1))
                for horizon, value, fate in zip(
                    results.sampling.horizons, values, fates, strict=True
                )
            ]
            series.append(Series(f"{name}, {weighting}", points))
    return Plot(
        "plot-ageing",
        "Share of citations that no longer hold, by age",
        "Percent of citations whose article changed or is gone, and of those whose passage did, "
        "by days since they were given, both in powers of ten; no point is drawn for none.",
        lines(Axes("days", "%", logarithmic=True), series),
    )


def _survival(results: ReplayResults, weighting: Weighting) -> Plot:
    horizons = results.sampling.horizons
    fates = [results.fates[weighting, one] for one in horizons]
    parts = {
        "current": [one.current for one in fates],
        "intact": [one.intact for one in fates],
        "passage changed": [one.changed for one in fates],
        "gone": [one.gone for one in fates],
    }
    series = [
        (
            name,
            [100 * one / (fate.looked_at or 1) for one, fate in zip(values, fates, strict=True)],
        )
        for name, values in parts.items()
    ]
    return Plot(
        f"plot-passages-{weighting.name.lower()}",
        f"What became of cited passages, {weighting}",
        "Percent of citations by age: of the present version; of an older one whose passage "
        "still stands; of one whose passage changed; of a withdrawn article.",
        bars(Axes("age", "%"), [elapsed(one) for one in horizons], series),
    )


def _merges(results: ReplayResults) -> Plot:
    weighting = results.sampling.weightings[0]
    horizons = [one for one in results.sampling.horizons if results.fates[weighting, one].moved]
    fates = [results.fates[weighting, one] for one in horizons]
    merged = [100 * one.merged / one.moved for one in fates]
    return Plot(
        "plot-merges",
        "Refused late edits, by age of the version that they name",
        "Percent of the edits of a cited passage that were refused because the article had "
        "moved: those that came back merged, and those that did not.",
        bars(
            Axes("age", "%"),
            [elapsed(one) for one in horizons],
            [("merged", merged), ("not merged", [100 - one for one in merged])],
        ),
    )
