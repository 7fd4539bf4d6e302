"""Writes the page about the command line out of the commands themselves."""

import inspect
from collections.abc import Iterator

import click

from pincite.cli.main import pincite
from pincite.cli.terminal import shared_options

_INTRODUCTION = """\
# The command line

This page is written by `python -m pincite.cli.reference`; a test keeps it true.

One database for each command: `--db` or the environment variable `PINCITE_DB`, a path or a URL;
else `pincite.db` in the current folder. `PINCITE_TOKEN` narrows what a command may do to a
token's grants; a command that works on the database itself is refused then, and says so below.
`pincite serve --http` takes no token: each of its clients brings one. Every
command takes `--db`, `--json` and `--help`; `--json` is a switch, but takes a FILE after
`pincite simulate` and `pincite replay`.

| exit code | means |
|---|---|
| 0 | done |
| 1 | refused, or found wanting; standard error says why, with `--json` as `{"error": …}` |
| 2 | wrong usage |

A table is drawn at a terminal; into a pipe it is lines of tab-separated cells without a heading,
but for the reports of `pincite simulate` and `pincite replay`, which have several tables.
"""


def page() -> str:
    """The whole page, as Markdown."""
    context = click.Context(pincite, info_name="pincite")
    return "\n".join([_INTRODUCTION, *_sections(pincite, context)])


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield f"## `{inner.command_path}`\n\n{_prose(command.help)}\n"
            yield from _sections(command, inner)
        else:
            yield _section(command, inner)


def _section(command: click.Command, context: click.Context) -> str:
    level = "##" if context.parent and context.parent.parent is None else "###"
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"{level} `{context.command_path}`", f"```\n{usage}\n```", _prose(command.help)]
    options = [row for row in map(_row, command.params) if row]
    if options:
        parts.append("\n".join(["| option | does |", "|---|---|", *options]))
    if command.epilog:
        _, _, examples = command.epilog.partition("Examples:\n")
        lines = "\n".join(line.removeprefix("  ") for line in examples.splitlines())
        parts.append(f"```sh\n{lines}\n```")
    return "\n\n".join(parts) + "\n"


def _row(parameter: click.Parameter) -> str | None:
    """An option's line; None for arguments and for what every command takes."""
    shared = {option.help for option in shared_options()}
    if not isinstance(parameter, click.Option) or parameter.help in shared:
        return None
    name = ", ".join(parameter.opts)
    if not parameter.is_flag:
        name += f" {_value(parameter)}"
    told = (parameter.help or "").replace("|", "\\|")
    notes = ["required"] if parameter.required else []
    notes += ["may be repeated"] if parameter.multiple else []
    if parameter.show_default:
        notes.append(f"default: {parameter.default}")
    return f"| `{name}` | {' '.join([told, *(f'[{note}]' for note in notes)]).strip()} |"


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        # A bar would end the table's cell.
        return "/".join(option.type.choices)
    return option.metavar or option.type.name.upper()


def _prose(text: str | None) -> str:
    return inspect.cleandoc(text or "")


if __name__ == "__main__":
    click.echo(page(), nl=False)
