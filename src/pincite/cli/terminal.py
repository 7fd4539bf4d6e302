"""What every command shares: which database, and how to speak to people and to programs."""

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

if TYPE_CHECKING:
    from pincite.app.settings import Settings
    from pincite.domain.grants import Credential
    from pincite.service.knowledge_base import Service

_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "\ufffd")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(slots=True)
class Terminal:
    """Where a command runs.

    Attributes:
        db: The database that an argument names; None for the environment's or the default.
        as_json: Whether a program reads along.
    """

    db: str | None = None
    as_json: bool = False

    def settings(self, **given: object) -> "Settings":
        """The settings, from arguments and the environment."""
        from pincite.app.settings import Settings

        return Settings.load(os.environ, db=self.db, **given)

    @contextmanager
    def opened(self) -> Iterator[tuple["Service", "Credential"]]:
        """The service on the database that is there, and who uses it."""
        from pincite.app.build import open_service

        settings = self.settings()
        with open_service(settings) as opened:
            yield opened.service, settings.credential

    def refuse_token(self, what: str) -> None:
        """Stands before work on the database itself, which asks for no grant.

        Args:
            what: The work, as the refusal names it.

        Raises:
            DeniedError: A token narrows what may be done here.
        """
        from pincite.errors import DeniedError

        if self.settings().token is not None:
            raise DeniedError(
                f"{what} works on the database itself, and no token opens that: "
                "unset PINCITE_TOKEN to run it as who owns the database.",
                action=what,
            )

    def tell(self, data: object, text: str | Callable[[], None]) -> None:
        """Gives the result: as JSON, or in words.

        Args:
            data: JSON values, for programs.
            text: For people; or what prints it.
        """
        if self.as_json:
            click.echo(json.dumps(data, ensure_ascii=False))
        elif isinstance(text, str):
            say(text)
        else:
            text()


class Group(click.Group):
    """Commands about one noun, in the order in which people meet them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the order of their definition."""
        return list(self.commands)


def command(
    name: str, *, examples: Sequence[str] = (), owner: bool = False
) -> Callable[[Function], click.Command]:
    """Makes a command of a function, with ``--db``, ``--json`` and examples in its help.

    The function's docstring is the help; its first parameter is the :class:`Terminal`. With
    ``owner`` it works on the database itself: no token opens it, and its help says so.
    """

    def decorate(function: Function) -> click.Command:
        if owner:
            function = _for_the_owner(function)
        shown = "".join(f"\n  pincite {example}" for example in examples)
        epilog = f"\b\nExamples:{shown}" if shown else None
        made = click.command(name, epilog=epilog)(click.pass_obj(function))
        own = {name for option in made.params for name in option.opts}
        made.params += [one for one in shared_options() if own.isdisjoint(one.opts)]
        return made

    return decorate


def say(text: str, *, err: bool = False, bold: bool = False) -> None:
    """Prints a line of which anybody may have written a part.

    Control characters are shown, not sent: a title must not move the cursor, nor retitle
    the window, of the person who lists it (CWE-150).
    """
    shown = text.replace("\r\n", "\n").translate(_CONTROLS)
    if bold and "NO_COLOR" not in os.environ:
        shown = click.style(shown, bold=True)
    click.echo(shown, err=err)


def _for_the_owner(function: Function) -> Function:
    @functools.wraps(function)
    def guarded(terminal: Terminal, *arguments: object, **options: object) -> object:
        terminal.refuse_token(click.get_current_context().command_path)
        return function(terminal, *arguments, **options)

    told = "It works on the database itself, which no token opens: refused if PINCITE_TOKEN is set."
    guarded.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{told}"
    return cast("Function", guarded)


_COPIED = {"updated_at", "at", "cited version", "created", "type", "verdict"}
"""Columns of stamps and single words, which stay on one line."""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, heading: bool = False) -> None:
    """Prints a table to people; tab-separated lines into a pipe.

    Args:
        columns: Their names.
        rows: Their cells.
        heading: Whether a line of names comes first in a pipe too, as in a report of several
            tables, which no program takes for a list.
    """
    if not sys.stdout.isatty():
        for row in [columns, *rows] if heading else rows:
            say("\t".join(" ".join(cell.split()) for cell in row))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    shown = [[_plain(cell) for cell in row] for row in rows]
    drawn = Table(box=SIMPLE_HEAD)
    for place, column in enumerate(columns):
        # A stamp or an id that is cut or broken cannot be copied.
        widest = max((len(row[place]) for row in shown), default=0)
        whole = column in _COPIED
        drawn.add_column(
            column, overflow="fold", no_wrap=whole, min_width=widest if whole else None
        )
    for row in shown:
        drawn.add_row(*row)
    Console().print(drawn)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error, if a person sees it.

    What it gives is called after each step, or with how many steps were done.
    """
    if not sys.stderr.isatty():
        yield lambda _=1: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done=1: bar.advance(task, done)


def plural(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def ask(question: str, *, yes: bool) -> None:
    """Asks a person at a terminal before what ends an article; stops on a no.

    Where there is no terminal nobody is asked: a script means what it says.
    """
    if not yes and sys.stdin.isatty():
        click.confirm(question, abort=True, err=True)


def insist(question: str, *, yes: bool) -> None:
    """Asks as :func:`ask` does; where nobody can be asked, takes ``--yes`` and nothing less.

    It stands before what no later command and no history can bring back.
    """
    if not yes and not sys.stdin.isatty():
        raise click.UsageError(
            "This cannot be undone, and without a terminal nobody can be asked: add --yes."
        )
    ask(question, yes=yes)


def _plain(cell: str) -> Any:  # noqa: ANN401 - rich is imported only where it draws
    from rich.text import Text

    return Text(cell.translate(_CONTROLS))


def _db_option() -> click.Option:
    told = "A path or a URL; else PINCITE_DB, else pincite.db in this folder."
    return click.Option(["--db"], help=told, **DB)


def _json_option() -> click.Option:
    return click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_keep_json,
        help="Print the result, or the error, as JSON.",
    )


def _keep_db(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.ensure_object(Terminal).db = value


def _keep_json(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.ensure_object(Terminal).as_json = True


DB: Final[Mapping[str, Any]] = {
    "metavar": "DATABASE",
    "expose_value": False,
    "callback": _keep_db,
}
"""What every ``--db`` is, whatever its help."""


def shared_options() -> list[click.Parameter]:
    """The options that may stand before the command's name too."""
    return [_db_option(), _json_option()]
