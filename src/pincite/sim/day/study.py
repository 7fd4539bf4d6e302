"""The support day's tables: the study's own, beside what was published, and what ours adds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pincite.sim.day.figures import EACH, Band, Figures
from pincite.sim.day.published import is_compared, published
from pincite.sim.tables import Cell, Table, percent

_HOURLY: Final = (
    "citations so far",
    "stale",
    f"stale{EACH}",
    "stale % of citations",
    f"stale % of citations{EACH}",
    "answers with a stale citation %",
    "title-only caught",
    f"title-only caught{EACH}",
)
_EDITS: Final = ("rejected, moved", "rejected, unpublished", "retries saved")
_COSTS: Final = ("calls", "KiB sent", "KiB returned")
WAYS: Final = {
    "search": "search each title again",
    "read": "read each article again",
    "poll": "poll the log",
    "poll and read": "poll, and read what moved",
    "poll and check": "poll, and ask of what moved",
    "check stamps": "check_citations, stamps",
    "check passages": "check_citations, passages",
}
TWO_WAYS: Final = (
    "“stale” counts each version of an article once, as the study does, and “stale % of "
    "citations” divides that by all citations, as the study does. “Each citation counted” is "
    "what an agent sees: the share of the citations it gave that are stale."
)


def hours_in(figures: Figures) -> list[int]:
    """The hours at whose end there was a check."""
    names = (name.split(": ") for name in figures)
    return sorted(int(one[0][5:]) for one in names if one[-1] == "citations so far")


def delays_in(figures: Figures) -> list[str]:
    """How long the agent waited before it edited, as it is spelled in the figures' names."""
    end = ": rejected, moved"
    return [name[len("edit after ") : -len(end)] for name in figures if name.endswith(end)]


def study_tables(
    figures: Figures, bands: Mapping[str, Band], *, comparable: bool = True
) -> list[Table]:
    """Every table of the study, each figure beside its published value and band.

    Args:
        figures: Scaled to five seeds.
        bands: Of the figures; empty for few seeds.
        comparable: Whether the days have the study's shape; else nothing stands beside.
    """
    told = figures, bands, comparable
    hours = [hour for hour in hours_in(figures) if f"hour {hour}: stale" in published()]
    hourly = [f"hour {hour}: {what}" for hour in hours or hours_in(figures) for what in _HOURLY]
    last = max(hours_in(figures))
    edits = [f"edit after {delay}: {what}" for delay in delays_in(figures) for what in _EDITS]
    return [
        _compared(
            "staleness",
            "How many citations are stale, by hour",
            [*hourly, f"hour {last}: title-only caught % of stale"],
            told,
            TWO_WAYS,
        ),
        _compared(
            "control",
            "The same saves, spread evenly",
            [
                "control: stale",
                f"control: stale{EACH}",
                "control: answers with a stale citation",
            ],
            told,
        ),
        _compared(
            "checks",
            "What the checks cost",
            [f"{way}: {what}" for way in WAYS for what in ("calls", "KiB returned")],
            told,
            "The study polls without the reads that must follow; “poll and read” counts them. "
            "KiB depend on the spelling of the JSON and are not compared.",
        ),
        _compared(
            "edits",
            "Edits after a while",
            [*edits, "edits rejected as unpublished, all delays", "idempotent replays"],
            told,
        ),
    ]


def own_tables(figures: Figures) -> list[Table]:
    """What the study did not have."""
    return [_survival(figures), _ways(figures), _merges(figures)]


def outside(figures: Figures) -> list[str]:
    """The figures that should agree and are not in their published band."""
    return [
        name
        for name, value in figures.items()
        if is_compared(name) and not published()[name].holds(value)
    ]


def _compared(
    name: str,
    title: str,
    names: Iterable[str],
    told: tuple[Figures, Mapping[str, Band], bool],
    note: str = "",
) -> Table:
    figures, bands, comparable = told
    beside = ["published", "rebuild, mean", "rebuild, 95%", "in the band"] if comparable else []
    columns = ["figure", "here", *(["here, 95%"] if bands else []), *beside]
    rows = []
    for one in names:
        if one in figures:
            band = [f"{bands[one].lo:.1f}–{bands[one].hi:.1f}"] if bands else []
            row = [one, figures[one], *band, *(_beside(one, figures[one]) if comparable else [])]
            rows.append(row)
    return Table(name, title, columns, rows, note)


def _beside(name: str, value: float) -> Sequence[Cell]:
    """What was published of a figure, what the rebuild found, and whether a value fits."""
    one = published().get(name)
    if one is None:
        return [None] * 4
    inside = ("yes" if one.holds(value) else "no") if is_compared(name) else None
    return [one.article, one.mean, f"{one.lo:g}–{one.hi:g}", inside]


def _survival(figures: Figures) -> Table:
    rows: list[Sequence[Cell]] = []
    for hour in hours_in(figures):
        name = f"hour {hour}"
        cited = figures[f"{name}: citations so far"]
        stale, intact, gone = (
            figures[f"{name}: {what}{EACH}"]
            for what in ("stale", "stale, passage intact", "stale, gone")
        )
        rows.append(
            [
                str(hour),
                cited - stale,
                intact,
                stale - intact - gone,
                gone,
                percent(intact, stale),
            ]
        )
    return Table(
        "passages",
        "What became of the cited passages, by hour",
        ["hour", "current", "intact", "changed", "gone", "intact % of stale"],
        rows,
        "Each citation counted. Intact: the article moved, the paragraph that the answer rests "
        "on did not.",
    )


def _ways(figures: Figures) -> Table:
    reading = [figures[f"read: {what}"] or 1 for what in ("calls", "KiB returned")]
    rows: list[Sequence[Cell]] = []
    for way, title in WAYS.items():
        calls, sent, returned = (figures[f"{way}: {what}"] for what in _COSTS)
        shares = [100 * calls / reading[0], 100 * returned / reading[1]]
        rows.append([title, calls, sent, returned, *shares])
    return Table(
        "ways",
        "The ways of checking, side by side",
        ["way", "calls", "KiB sent", "KiB returned", "calls % of reading", "KiB % of reading"],
        rows,
    )


def _merges(figures: Figures) -> Table:
    rows: list[Sequence[Cell]] = []
    for delay in delays_in(figures):
        sent, saved, moved, merged, gone = (
            figures[f"edit after {delay}: {what}"]
            for what in (
                "sent",
                "saved at once",
                "rejected, moved",
                "rejected, merged cleanly",
                "rejected, unpublished",
            )
        )
        rows.append([delay, sent, saved, moved, merged, percent(merged, moved), gone])
    return Table(
        "merges",
        "Refused edits that came back merged, by delay",
        ["delay", "sent", "saved at once", "moved", "merged", "merged % of moved", "withdrawn"],
        rows,
        "Merged: the refusal brought one text that holds both changes, ready to be saved.",
    )
