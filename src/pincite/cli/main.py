"""The ``pincite`` command: finds what is called, and turns what goes wrong into one sentence."""

import json
import os
import sys
import traceback
from collections import UserDict
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from pincite import __version__
from pincite.cli.terminal import Group, Terminal, say, shared_options
from pincite.errors import PinciteError, VersionConflictError

DONE, REFUSED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

_HOME = {
    "init": "database",
    "serve": "serve",
    "connect": "connect",
    "import": "folder",
    "export": "folder",
    "kb": "knowledge_base",
    "article": "article",
    "search": "search",
    "poll": "search",
    "ledger": "ledger",
    "token": "token",
    "backup": "database",
    "restore": "database",
    "doctor": "database",
    "store": "store",
    "simulate": "simulate",
    "replay": "replay",
}
"""Which module holds a command. It is imported when the command is called, not before."""


_HELP = """\
A knowledge base in which every citation is a version stamp.

\b
Begin with:
  pincite init --kb handbook --title "Our handbook"
  pincite import FOLDER --kb handbook --publish
  pincite search handbook "annual leave"
  pincite connect claude-code

Each command works on one database: --db, else PINCITE_DB, else pincite.db in this folder.
Exit codes: 0 done, 1 refused or found wanting, 2 wrong usage.
"""


class _Commands(UserDict[str, Any]):
    """The commands by name, each imported when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"pincite.cli.{self.data[name]}")
        return next(
            value
            for value in vars(module).values()
            if isinstance(value, click.Command) and value.name == name
        )


@click.group("pincite", cls=Group, commands=_Commands(_HOME), params=shared_options(), help=_HELP)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def pincite(context: click.Context) -> None:
    """Keeps what the options say for the command behind them."""
    context.ensure_object(Terminal)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs one command and ends the process with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(_run(given))


def _run(arguments: list[str]) -> int:
    try:
        code = pincite.main(arguments, prog_name="pincite", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough; the interpreter must not flush into the pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    except Exception as error:  # noqa: BLE001 - nobody shall meet a traceback
        if "PINCITE_TRACEBACK" in os.environ:
            traceback.print_exc()
        return _report(error, as_json="--json" in arguments)
    return code if isinstance(code, int) else DONE


def _report(error: Exception, *, as_json: bool) -> int:
    """Tells what went wrong on standard error, and gives the exit code."""
    if isinstance(error, click.UsageError) and not as_json:
        error.show()
    elif as_json:
        click.echo(json.dumps(_error_object(error), ensure_ascii=False), err=True)
    else:
        say(f"Error: {' '.join(_sentence(error).split())}", err=True)
        if isinstance(error, PinciteError):
            _print_way_on(error)
    return WRONG_USAGE if isinstance(error, click.UsageError) else REFUSED


def _sentence(error: Exception) -> str:
    match error:
        case PinciteError(message=message):
            return message
        case click.ClickException():
            return error.format_message()
        case OSError():
            return str(error)
        case _:
            what = f"{type(error).__name__}: {error}"
            return f"Pincite failed and does not know why: {what}. PINCITE_TRACEBACK=1 shows where."


def _error_object(error: Exception) -> dict[str, object]:
    if isinstance(error, PinciteError):
        from pincite.wire.errors import error_object

        return error_object(error)
    code = "wrong_usage" if isinstance(error, click.UsageError) else "failed"
    told = {"code": code, "message": _sentence(error), "retryable": False, "details": {}}
    return {"error": told}


def _print_way_on(error: PinciteError) -> None:
    """What a person needs after a version conflict: stamps, difference, and how to go on."""
    if isinstance(error, VersionConflictError):
        named, present = error.details.get("expected"), error.details.get("current")
        say(f"You name the version {named or '–'}; the present one is {present or '–'}.", err=True)
    if diff := error.details.get("diff"):
        say(f"What changed since the version that you name:\n{diff}", err=True)
    if error.details.get("merged"):
        told = "The two changes do not touch: run it again with --merge to save both."
        say(told, err=True)
