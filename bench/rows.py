"""What a measurement says, and how it is printed."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure.

    Attributes:
        name: What was measured.
        value: The figure itself; of times, the median.
        unit: Its unit.
        p99: The 99th percentile in the same unit, where it was taken.
        ratio: The figure as a multiple of ``against``'s, taken within the same run.
        against: What it is compared with.
        target: What it should be, in words.
        met: Whether it is; None where there is no target.
    """

    name: str
    value: float
    unit: str
    p99: float | None = None
    ratio: float | None = None
    against: str = ""
    target: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """How long each of several calls took, in seconds, sorted."""

    seconds: Sequence[float]

    @property
    def median(self) -> float:
        """The middle one."""
        return self.seconds[len(self.seconds) // 2]

    @property
    def p99(self) -> float:
        """The one that 99 of 100 stay below."""
        return self.seconds[min(len(self.seconds) - 1, int(len(self.seconds) * 0.99))]


def timed(call: Callable[[], object], count: int) -> Times:
    """Calls several times, after a tenth as many calls that do not count."""
    for _ in range(max(1, count // 10)):
        call()
    seconds = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return Times(sorted(seconds))


def in_turn(calls: Sequence[Callable[[], object]], count: int) -> list[Times]:
    """Times several calls in turn, A B A B, so that a machine that slows down slows them all."""
    seconds: list[list[float]] = [[] for _ in calls]
    for round_ in range(count + max(1, count // 10)):
        for place, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            if round_ >= max(1, count // 10):
                seconds[place].append(time.perf_counter() - begin)
    return [Times(sorted(one)) for one in seconds]


def show(title: str, rows: Sequence[Row], console: Console) -> None:
    """Prints one group of figures as a table."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in ("measured", "median", "p99", "ratio", "against", "target", ""):
        left = name in {"measured", "against"}
        table.add_column(name, justify="left" if left else "right", overflow="fold")
    for row in rows:
        table.add_row(
            row.name,
            f"{row.value:,.3g} {row.unit}" if row.value < 1000 else f"{row.value:,.0f} {row.unit}",
            "" if row.p99 is None else f"{row.p99:,.3g}",
            "" if row.ratio is None else f"{row.ratio:{'.2f' if row.ratio >= 0.1 else '.2g'}}×",
            row.against,
            row.target,
            "" if row.met is None else ("met" if row.met else "MISSED"),
        )
    console.print(table)


def save(groups: Mapping[str, Sequence[Row]], file: Path) -> None:
    """Writes all figures as JSON."""
    told = {name: [asdict(row) for row in rows] for name, rows in groups.items()}
    file.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
