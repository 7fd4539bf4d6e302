from pathlib import Path

import click

from pincite.cli.main import pincite
from tests.docs import commands

REPOSITORY = Path(__file__).parents[2]


@click.group()
def small() -> None: ...


@small.command("import")
@click.argument("folder")
@click.option("--kb", required=True)
def import_(folder: str, kb: str) -> None: ...


def test_every_command_of_a_page_is_one_that_the_command_line_takes(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "`pincite import` `pincite imports` `pincite a|b`\n"
        "`pincite import --to x` `pincite import --kb`\n"
        "```console\n$ pincite import f --kb docs\n$ pincite import f\n"
        "$ pincite import f --kb\n$ pincite export f\n```\n"
    )
    assert commands.wrong_commands(tmp_path, small) == [
        "README.md:1: `pincite imports`: no command `imports`",
        "README.md:2: `pincite import --to x`: No such option '--to'.",
        "README.md:5: `pincite import f`: lacks kb",
        "README.md:6: `pincite import f --kb`: Option '--kb' requires an argument.",
        "README.md:7: `pincite export f`: no command `export`",
    ]
    assert commands.wrong_commands(REPOSITORY, pincite) == []
