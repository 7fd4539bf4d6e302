"""The page on the support days."""

from collections.abc import Mapping, Sequence

from pincite.sim.day.figures import EACH, Band, Figures
from pincite.sim.day.growth import Growth, growth_of, growth_table
from pincite.sim.day.published import published
from pincite.sim.day.results import Results
from pincite.sim.day.study import WAYS, delays_in, hours_in, own_tables, study_tables
from pincite.sim.plots import Axes, Plot, Series, bars, lines
from pincite.sim.report import Report, Section


def day_report(results: Results) -> Report:
    """Writes the page."""
    figures, bands, comparable = results.figures, results.bands, results.comparable
    staleness, control, checks, edits = study_tables(figures, bands, comparable=comparable)
    passages, ways, merges = own_tables(figures)
    citations, changes = growth_of(figures, results.shape.exponent)
    return Report(
        "A support day: how fast citations go stale, and what it costs to notice",
        _summary(figures),
        results.facts(),
        [
            Section(
                "staleness",
                "Stale citations, hour by hour",
                [_staleness(figures, bands, comparable=comparable)],
                [staleness, control],
            ),
            Section(
                "passages", "Cited passages that still stand", [_survival(figures)], [passages]
            ),
            Section(
                "checks",
                "What it costs to notice",
                [_ways(figures, "calls"), _ways(figures, "KiB returned")],
                [ways, checks],
            ),
            Section("edits", "Edits that come late", [_edits(figures)], [merges, edits]),
            Section(
                "growth",
                "How the cost grows",
                [_growth(citations), _growth(changes)],
                [growth_table(citations), growth_table(changes)],
            ),
            Section("time", "Where the time went", (), [results.cost_table()]),
        ],
    )


def _summary(figures: Figures) -> str:
    last = f"hour {max(hours_in(figures))}"
    stale, answers, intact = (
        figures[f"{last}: {what}"]
        for what in (
            f"stale % of citations{EACH}",
            "answers with a stale citation %",
            f"passage intact % of stale{EACH}",
        )
    )
    calls = 100 * figures["poll and read: calls"] / (figures["read: calls"] or 1)
    return (
        f"At the end of the day {stale:.0f}% of all citations point at a version that is no longer "
        f"the present one, and {answers:.0f}% of the answers hold at least one of them. In "
        f"{intact:.0f}% of the stale ones the passage that the answer rests on still stands. "
        f"Following the log takes {calls:.0f}% of the calls that reading everything again takes; "
        "asking for verdicts takes one call for two hundred citations."
    )


def _staleness(figures: Figures, bands: Mapping[str, Band], *, comparable: bool) -> Plot:
    hours = hours_in(figures)
    share, each = "stale % of citations", f"stale % of citations{EACH}"
    answers = "answers with a stale citation %"
    series = [
        _by_hour(figures, bands, answers, "answers with a stale citation"),
        _by_hour(figures, bands, each, "citations, each counted"),
        _by_hour(figures, bands, share, "versions, of all citations"),
    ]
    if comparable:
        series.append(_published(hours, answers, "published: answers", bands))
        series.append(_published(hours, share, "published: versions", bands))
    told = "bands hold 95% of groups of five seeds" if bands else "from too few seeds for a band"
    study = "; points are the published study's" if comparable else ""
    if comparable and not bands:
        study += ", with the band of its rebuild"
    return Plot(
        "plot-staleness",
        "Share of stale citations and of answers that hold one, by hour",
        f"Percent at the end of each hour, {told}{study}.",
        lines(Axes("hour of the day", "%"), series),
    )


def _by_hour(figures: Figures, bands: Mapping[str, Band], what: str, name: str) -> Series:
    names = [f"hour {hour}: {what}" for hour in hours_in(figures)]
    points = [(hour, figures[one]) for hour, one in zip(hours_in(figures), names, strict=True)]
    band = [(bands[one].lo, bands[one].hi) for one in names] if bands else []
    return Series(name, points, band)


def _published(hours: Sequence[int], what: str, name: str, bands: Mapping[str, Band]) -> Series:
    """What the study published, with the rebuild's band where there is none of our own."""
    known = [(hour, published().get(f"hour {hour}: {what}")) for hour in hours]
    told = [(hour, one, one.article) for hour, one in known if one and one.article is not None]
    points = [(hour, article) for hour, _, article in told]
    band = [] if bands else [(one.lo, one.hi) for _, one, _ in told]
    return Series(name, points, band, points_only=True)


def _survival(figures: Figures) -> Plot:
    states: dict[str, list[float]] = {"current": [], "intact": [], "changed": [], "gone": []}
    hours = hours_in(figures)
    for hour in hours:
        name = f"hour {hour}"
        cited, stale, intact, gone = (
            figures[f"{name}: {what}"]
            for what in (
                "citations so far",
                f"stale{EACH}",
                f"stale, passage intact{EACH}",
                f"stale, gone{EACH}",
            )
        )
        for state, count in zip(
            states, (cited - stale, intact, stale - intact - gone, gone), strict=True
        ):
            states[state].append(count)
    return Plot(
        "plot-passages",
        "What became of the cited passages, by hour",
        "Citations given so far: of the present version; of an older one whose passage still "
        "stands; of one whose passage changed; of a withdrawn article.",
        bars(
            Axes("hour of the day", "citations"),
            [str(hour) for hour in hours],
            list(states.items()),
        ),
    )


def _ways(figures: Figures, what: str) -> Plot:
    values = [figures[f"{way}: {what}"] for way in WAYS]
    return Plot(
        f"plot-ways-{what.split(maxsplit=1)[0].lower()}",
        f"The ways of checking: {what}",
        f"{what[0].upper()}{what[1:]} of all hourly checks together, by way of checking.",
        bars(Axes("way of checking", what), list(WAYS), [(what, values)]),
    )


def _edits(figures: Figures) -> Plot:
    parts: dict[str, list[float]] = {
        "saved at once": [],
        "moved, merged cleanly": [],
        "moved, not merged": [],
        "withdrawn": [],
    }
    delays = delays_in(figures)
    for delay in delays:
        saved, moved, merged, gone = (
            figures[f"edit after {delay}: {what}"]
            for what in (
                "saved at once",
                "rejected, moved",
                "rejected, merged cleanly",
                "rejected, unpublished",
            )
        )
        for part, count in zip(parts, (saved, merged, moved - merged, gone), strict=True):
            parts[part].append(count)
    return Plot(
        "plot-edits",
        "How edits fare, by the time between reading and writing",
        "Edits sent after each delay: saved; refused because the article had moved, with a clean "
        "merge or without; refused because it was withdrawn.",
        bars(Axes("delay", "edits"), delays, list(parts.items())),
    )


def _growth(growth: Growth) -> Plot:
    series = [
        Series(way, list(zip(growth.sizes, growth.calls[way], strict=True)))
        for way in ("read", "poll and read", "poll", "poll and check", "check passages")
    ]
    return Plot(
        f"plot-growth-{growth.what}",
        f"Calls of one check, as {growth.what} grow",
        f"Expected calls of one check against the number of {growth.what}, both in powers of "
        "ten. Searching each title takes as many calls as reading each article.",
        lines(Axes(growth.what, "calls", logarithmic=True), series),
    )
