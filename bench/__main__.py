"""``make bench``: measures what Pincite promises to be quick at, and says where it is not.

Figures are medians; a ratio compares two figures of the same run, taken in turn, and is the
one to quote: machines differ and are busy.
"""

import os
import platform
import sys
from importlib import import_module
from pathlib import Path

import click
from rich.console import Console

from bench.rows import Row, save, show

GROUPS = {
    "reading": "Reads and polls, in process",
    "searching": "Search",
    "editing": "Durable edits",
    "postgres": "On PostgreSQL",
    "calls": "Tool calls",
    "ledgers": "Stale answers",
    "importing": "Import",
    "starting": "Start and memory",
}


@click.command()
@click.option("--only", multiple=True, type=click.Choice(list(GROUPS)), help="Some groups.")
@click.option("--scale", default=1.0, show_default=True, help="Fewer or more repetitions.")
@click.option("--json", "file", type=click.Path(path_type=Path), help="Also write JSON there.")
def main(only: tuple[str, ...], scale: float, file: Path | None) -> None:
    """Measures, prints a table, and writes JSON where asked."""
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores,"
        f" load {os.getloadavg()[0]:.1f}"
    )
    groups: dict[str, list[Row]] = {}
    for name in only or GROUPS:
        groups[name] = list(import_module(f"bench.{name}").measure(scale))
        show(GROUPS[name], groups[name], console)
    if file:
        save(groups, file)


if __name__ == "__main__":
    main()
