import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TINY = (
    *("simulate", "--seeds", "3,1-2", "--articles", "16", "--topics", "4", "--questions", "8"),
    *("--saves", "16", "--hours", "2", "--passages", "2", "--delays", "20s,1h"),
)


def test_a_simulation_writes_figures_tables_and_a_page(run: Run, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("day.json", "day.csv", "day.html")]
    options = zip(("--json", "--csv", "--report"), map(str, paths), strict=True)
    ran = run(*TINY, *(word for pair in options for word in pair))
    assert ran.code == 0, ran.err
    told = json.loads(paths[0].read_text())
    assert told["seeds"] == [3, 1, 2]
    assert told["facts"]["seeds"] == "1–3"
    assert told["facts"]["delays"] == "20 s, 1 h"
    assert told["figures"]["hour 2: citations so far"] == 80
    assert told["figures"]["edit after 1 h: sent"] == 20
    assert '"How many citations are stale, by hour"\nfigure,here\n' in paths[1].read_text()
    assert "<h1>A support day" in paths[2].read_text()
    assert (
        "How many citations are stale, by hour\nfigure\there\nhour 1: citations so far\t40\n"
        in ran.out
    )


def test_figures_go_to_standard_output_alone_for_programs(run: Run) -> None:
    told = run(*TINY, "--json", "-").json
    assert told["figures"]["poll: calls"] == 10


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--seeds", "5-1", "5-1 are no seeds"),
        ("--seeds", "x", "x are no seeds"),
        ("--delays", "20", "20 are no delays"),
        ("--hours", "25", "25 is not in the range 1<=x<=24"),
        ("--over", "pigeon", "'pigeon' is not one of"),
    ],
)
def test_a_wrong_option_is_wrong_usage(run: Run, option: str, value: str, told: str) -> None:
    ran = run("simulate", option, value)
    assert ran.code == 2
    assert told in ran.err


def test_a_file_that_cannot_be_written_is_named(run: Run, tmp_path: Path) -> None:
    ran = run(*TINY, "--csv", str(tmp_path / "nowhere" / "day.csv"))
    assert ran.code == 1
    assert "day.csv cannot be written: No such file or directory" in ran.err


@pytest.mark.parametrize("command", ["simulate", "replay"])
def test_the_help_says_what_the_shared_options_are_here(run: Run, command: str) -> None:
    told = " ".join(run(command, "--help").out.split())
    assert "--db DATABASE A path or a URL; else everything happens in memory" in told
    assert "--json FILE Write the figures" in told
