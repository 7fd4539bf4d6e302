"""Tables: the one form in which results go to the terminal, into CSV, and into the report."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Cell: TypeAlias = str | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: What refers to it, in letters and dashes.
        title: What it shows.
        columns: Their headings; the first column names the row.
        note: What one must know to read it; often empty.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


def shown(cell: Cell) -> str:
    """A cell as people read it: at most one decimal, thousands apart, nothing as a dash."""
    match cell:
        case None:
            return "–"
        case str():
            return cell
        case _:
            return f"{cell:,.0f}" if float(cell).is_integer() else f"{cell:,.1f}"


def percent(part: float, whole: float) -> float | None:
    """A share in percent; of nothing there is none."""
    return 100 * part / whole if whole else None


def as_csv(tables: Iterable[Table]) -> str:
    """Tables one below another, each under its title, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for table in tables:
        writer.writerows([[table.title], table.columns, *map(_plain, table.rows), []])
    return text.getvalue()


def _plain(row: Sequence[Cell]) -> list[str | float]:
    return ["" if cell is None else cell for cell in row]
