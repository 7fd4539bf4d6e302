"""Plays support days."""

import re
from typing import Any

import click

from pincite.cli.outputs import Outputs, output_options
from pincite.cli.terminal import Terminal, command, progress

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
@output_options
def simulate(
    terminal: Terminal,
    seeds: list[int],
    over: str,
    **more: Any,  # noqa: ANN401 - what the other options say, by name
) -> None:
    """Play support days, and measure how fast citations go stale.

    On the real product a scripted agent answers questions while people save, checks its
    citations every hour in every way, and edits what it cited after a while. Each figure
    stands beside the published study's. Without --db everything happens in memory; with it,
    in a database of that address that holds no support day yet.
    """
    from pincite.sim.day.page import day_report
    from pincite.sim.day.simulate import Simulation
    from pincite.sim.day.world import Shape
    from pincite.sim.stages import Over

    if terminal.db:
        terminal.refuse_token("A simulation in a database")
    outputs = Outputs(more.pop("json_file"), more.pop("csv_file"), more.pop("report"))
    shape = Shape(**{name: value for name, value in more.items() if value is not None})
    simulation = Simulation(shape, seeds, Over(over), terminal.db)
    with progress("Playing days", simulation.steps) as advance:
        results = simulation.run(advance)
    outputs.write(terminal, results, lambda: day_report(results))
