"""Where an experiment's results go: the terminal, JSON, CSV, and a page."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from pincite.cli.terminal import DB, Terminal, table
from pincite.errors import InvalidInputError

if TYPE_CHECKING:
    from pincite.sim.report import Report
    from pincite.sim.tables import Table

Function = TypeVar("Function", bound=Callable[..., Any])

_STANDARD_OUTPUT = Path("-")


class Results(Protocol):
    """What an experiment showed."""

    def tables(self) -> "Sequence[Table]":
        """All tables."""

    def values(self) -> Mapping[str, object]:
        """Everything, as JSON values."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files that a command was asked to write."""

    json_file: Path | None
    csv_file: Path | None
    report: Path | None

    def write(self, terminal: Terminal, results: Results, report: "Callable[[], Report]") -> None:
        """Prints the tables, unless JSON goes to standard output, and writes the files.

        Raises:
            InvalidInputError: A file cannot be written.
        """
        json_file = self.json_file or (_STANDARD_OUTPUT if terminal.as_json else None)
        tables = results.tables()
        if json_file != _STANDARD_OUTPUT:
            _show(tables)
        if json_file:
            _write(json_file, json.dumps(results.values(), ensure_ascii=False, indent=1) + "\n")
        if self.csv_file:
            from pincite.sim.tables import as_csv

            _write(self.csv_file, as_csv(tables))
        if self.report:
            _write(self.report, report().html())


def output_options(function: Function) -> Function:
    """Adds ``--db``, ``--json``, ``--csv`` and ``--report``."""
    for name, purpose in (
        ("--report", "Write a page with plots."),
        ("--csv", "Write the tables."),
        ("--json", "Write the figures; - for standard output, with nothing else there."),
    ):
        target = "report" if name == "--report" else f"{name[2:]}_file"
        path = click.Path(path_type=Path)
        function = click.option(name, target, type=path, metavar="FILE", help=purpose)(function)
    told = "A path or a URL; else everything happens in memory, whatever PINCITE_DB says."
    return click.option("--db", help=told, **DB)(function)


def _show(tables: "Sequence[Table]") -> None:
    from pincite.sim.tables import shown

    for one in tables:
        click.echo(f"\n{one.title}")
        table(one.columns, [[shown(cell) for cell in row] for row in one.rows], heading=True)
        if one.note:
            click.echo(one.note)


def _write(path: Path, text: str) -> None:
    if path == _STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be written: {error.strerror}.", field="file", limit="a writable file"
        ) from None
