"""Plays support days."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pincite.cli.terminal import Terminal, command, progress, table
from pincite.errors import InvalidInputError

if TYPE_CHECKING:
    from pincite.sim.tables import Table

STANDARD_OUTPUT = Path("-")
_UNITS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}


class _Seeds(click.ParamType[list[int]]):
    """Whole numbers and ranges of them, with commas: ``1-5,8``."""

    name = "SEEDS"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        seeds: dict[int, None] = {}
        for part in value.split(","):
            found = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip())
            first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
            if last < first:
                self.fail(f"{value} are no seeds, such as 1-5 or 1,3,8.", param, ctx)
            seeds |= dict.fromkeys(range(first, last + 1))
        return list(seeds)


class _Delays(click.ParamType[tuple[int, ...]]):
    """Times with commas, in milliseconds: ``20s,15min,1h``."""

    name = "DELAYS"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        delays = []
        for part in value.split(","):
            found = re.fullmatch(r"(\d{1,6})\s*(ms|s|min|h)", part.strip())
            if found is None:
                self.fail(f"{value} are no delays, such as 20s,15min,1h,4h.", param, ctx)
            delays.append(int(found[1]) * _UNITS[found[2]])
        return tuple(delays)


@command(
    "simulate",
    examples=(
        "simulate",
        "simulate --seeds 1-40 --report day.html",
        "simulate --seeds 1 --over stdio",
        "simulate --articles 2000 --questions 500 --saves 1000 --json day.json --csv day.csv",
    ),
)
@click.option("--seeds", type=_Seeds(), default="1-5", help="Which days to play; 1-5 if not said.")
@click.option("--articles", type=click.IntRange(2, 1_000_000), help="Articles; else 400.")
@click.option("--topics", type=click.IntRange(1, 10_000), help="Topics they are on; else 18.")
@click.option("--questions", type=click.IntRange(1, 1_000_000), help="Questions a day; else 120.")
@click.option("--saves", type=click.IntRange(0, 1_000_000), help="Saves a day; else 300.")
@click.option("--hours", type=click.IntRange(1, 24), help="Hours of a day; else 8.")
@click.option("--exponent", type=click.FloatRange(0, 5), help="Zipf's, of popularity; else 0.9.")
@click.option("--retitled", type=click.IntRange(0, 100), help="% of saves with a title; else 10.")
@click.option("--withdrawn", type=click.IntRange(0, 100), help="% that withdraw; else 5.")
@click.option("--passages", type=click.IntRange(1, 1000), help="Paragraphs an article; else 6.")
@click.option("--delays", type=_Delays(), help="Before edits; else 20s,15min,1h,4h.")
@click.option(
    "--over",
    type=click.Choice(["process", "stdio", "http"]),
    default="process",
    help="How the agent reaches the tools; in this process if not said.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the figures.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="Write the tables.")
@click.option("--report", type=click.Path(path_type=Path), help="Write a page with plots.")
def simulate(
    terminal: Terminal,
    seeds: list[int],
    over: str,
    json_file: Path | None,
    csv_file: Path | None,
    report: Path | None,
    **shape: Any,  # noqa: ANN401 - what the options say, by name
) -> None:
    """Play support days on the real product, and measure how fast citations go stale.

    A scripted agent answers questions while people save, checks its citations every hour in
    every way, and edits what it cited after a while. Each figure stands beside the published
    study's. Without --db everything happens in memory; with it, in a database of that
    address that holds no support day yet. --json - writes to standard output.
    """
    from pincite.sim.day.page import day_report
    from pincite.sim.day.simulate import Simulation
    from pincite.sim.day.world import Shape
    from pincite.sim.stages import Over
    from pincite.sim.tables import as_csv

    chosen = Shape(**{name: value for name, value in shape.items() if value is not None})
    simulation = Simulation(chosen, seeds, Over(over), terminal.db)
    with progress("Playing days", simulation.steps) as advance:
        results = simulation.run(advance)
    tables = results.tables()
    if json_file is None and terminal.as_json:
        json_file = STANDARD_OUTPUT
    if json_file != STANDARD_OUTPUT:
        show(tables)
    if json_file:
        write(json_file, json.dumps(results.values(), ensure_ascii=False, indent=1) + "\n")
    if csv_file:
        write(csv_file, as_csv(tables))
    if report:
        write(report, day_report(results).html())


def show(tables: "Sequence[Table]") -> None:
    """Prints tables for people, each under its title."""
    from pincite.sim.tables import shown

    for one in tables:
        click.echo(f"\n{one.title}")
        table(one.columns, [[shown(cell) for cell in row] for row in one.rows])
        if one.note:
            click.echo(one.note)


def write(path: Path, text: str) -> None:
    """Writes a result to a file, or to standard output for ``-``.

    Raises:
        InvalidInputError: The file cannot be written.
    """
    if path == STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InvalidInputError(
            f"{path} cannot be written: {error.strerror}.", field="file", limit="a writable file"
        ) from None
