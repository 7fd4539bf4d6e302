"""The commands that pages show, held against the command line itself."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from tests.house.documents import code_blocks, pages
from tests.house.tree import finding

MENTION = re.compile(r"`pincite ([^`]+)`")
NO_COMMAND = re.compile(r"[\[\]|…=]")


def shown(root: Path) -> Iterator[tuple[Path, int, str]]:
    """The page, line and words of each ``$ pincite …`` in a console block."""
    for page, first, text in code_blocks(root, "console"):
        for line, command in enumerate(text.splitlines(), first):
            if command.startswith("$ pincite "):
                yield page, line, command.removeprefix("$ pincite ")


def mentioned(root: Path) -> Iterator[tuple[Path, int, str]]:
    """The page, line and words of each command in running text; outlines of one are left out."""
    for page in pages(root):
        for line, text in enumerate(page.read_text("utf-8").splitlines(), 1):
            for words in MENTION.findall(text):
                if not NO_COMMAND.search(words):
                    yield page, line, words


def wrong_commands(root: Path, command: click.Command) -> list[str]:
    """Commands of the pages that the command line would refuse.

    One that is shown is held to be complete; one that is mentioned may leave values out.
    """
    complete = [(page, line, words, True) for page, line, words in shown(root)]
    named = [(page, line, words, False) for page, line, words in mentioned(root)]
    return [
        finding(root, page, line, fault)
        for page, line, words, whole in sorted(complete + named)
        for fault in faults(command, words, complete=whole)
    ]


def faults(command: click.Command, words: str, *, complete: bool) -> list[str]:
    """What the command line has against some words, without running anything."""
    arguments = shlex.split(words, comments=True)
    while True:
        context = click.Context(command)
        try:
            values, rest, _ = command.make_parser(context).parse_args(list(arguments))
        except click.BadOptionUsage as error:
            return [f"`pincite {words}`: {error.format_message()}"] if complete else []
        except click.UsageError as error:
            return [f"`pincite {words}`: {error.format_message()}"]
        if complete:
            missing = [
                p.name for p in command.params if p.required and not values.get(p.name or "")
            ]
            if missing:
                return [f"`pincite {words}`: lacks {', '.join(map(str, missing))}"]
        if not isinstance(command, click.Group) or not rest:
            return []
        found = command.get_command(context, rest[0])
        if found is None:
            return [f"`pincite {words}`: no command `{rest[0]}`"]
        command, arguments = found, rest[1:]
