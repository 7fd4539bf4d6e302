"""The database as a whole: make it, back it up, restore it, examine it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.cli.terminal import Terminal, command, plural
from pincite.errors import InvalidInputError

if TYPE_CHECKING:
    from pincite.app.settings import Settings


@command(
    "init",
    examples=(
        "init",
        'init --kb handbook --title "Our handbook" --language en',
        "--db /srv/pincite/team.db init --kb support",
    ),
)
@click.option("--kb", metavar="ID", help="Make this knowledge base too, if it is not there.")
@click.option("--title", help="The knowledge base's title; else its id.")
@click.option("--language", metavar="CODE", help="Its language, such as en or ja; else en.")
def init(terminal: Terminal, kb: str | None, title: str | None, language: str | None) -> None:
    """Make the database and, if named, a knowledge base in it.

    What is there already stays as it is.
    """
    from pincite.app.build import create_service
    from pincite.domain.ids import parse_knowledge_base_id

    if kb is None and (title or language):
        raise click.UsageError(
            "--title and --language describe a knowledge base: name it with --kb."
        )
    settings = terminal.settings()
    if kb is None:
        with create_service(settings):
            pass
        terminal.tell({"db": settings.place}, f"The database {settings.place} is ready.")
        return
    knowledge_base_id = parse_knowledge_base_id(kb, "--kb")
    with create_service(settings) as opened:
        made = opened.service.create_knowledge_base(
            settings.credential, knowledge_base_id, title or kb, language or "en"
        )
    told = "is ready" if made else "was there already and stays as it is"
    terminal.tell(
        {"db": settings.place, "knowledge_base_id": kb, "created": made},
        f"The knowledge base {kb} in {settings.place} {told}.",
    )


@command("backup", examples=("backup /var/backups/pincite-2026-11-30.db",), owner=True)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(terminal: Terminal, file: Path) -> None:
    """Write a whole copy of the database to FILE.

    Others may go on writing meanwhile. FILE must not exist. A raw copy of the file is no
    backup: restoring it would let old cursors meet other events.
    """
    from pincite.app.build import open_service

    with open_service(terminal.settings()) as opened:
        opened.store.upkeep.backup(file)
    terminal.tell({"file": str(file)}, f"The backup is in {file}.")


@command(
    "restore",
    examples=(
        "--db team.db restore backup.db",
        "--db team.db restore backup.db --replace",
        "--db team.db restore backup.db --replace --revoke-tokens",
    ),
    owner=True,
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--replace", is_flag=True, help="Put it in the place of the database, which is kept beside."
)
@click.option(
    "--revoke-tokens", is_flag=True, help="End every token that the backup holds; make new ones."
)
def restore(terminal: Terminal, file: Path, replace: bool, revoke_tokens: bool) -> None:
    """Make the database out of the backup FILE.

    Its logs go on beyond a gap, so that an agent that saw later events notices. Nothing is
    written over: with --replace the present database is renamed. Stop its servers first.

    A token that was revoked after the backup holds again, since the backup knows nothing of
    that. The command names the tokens that hold; with --revoke-tokens none does.
    """
    from pincite.app.build import replace_by_backup
    from pincite.app.build import restore as restore_database

    settings = terminal.settings()
    if replace:
        kept = replace_by_backup(settings, file, revoke_tokens=revoke_tokens)
        _tell_restored(terminal, settings, kept)
        return
    try:
        restore_database(settings, file, revoke_tokens=revoke_tokens)
    except InvalidInputError as error:
        if error.details["field"] != "target":
            raise
        raise InvalidInputError(
            f"{error.message} With --replace it is renamed and the backup takes its place.",
            field="db",
            limit="a new file",
        ) from None
    _tell_restored(terminal, settings, None)


def _tell_restored(terminal: Terminal, settings: "Settings", kept: Path | None) -> None:
    from pincite.app.build import list_valid_tokens

    tokens = list_valid_tokens(settings)
    told = f"The database {settings.place} is restored"
    told += f"; the one before is kept as {kept}." if kept else "."
    if tokens:
        told += (
            "\nThese tokens hold, also those that were revoked after the backup: "
            f"{', '.join(tokens)}.\nEnd one with pincite token revoke NAME; a restore with "
            "--revoke-tokens ends all."
        )
    value = {"db": settings.place, "kept": str(kept) if kept else None, "tokens": tokens}
    terminal.tell(value, told)


@command("doctor", examples=("doctor", "--db team.db doctor --json"), owner=True)
def doctor(terminal: Terminal) -> None:
    """Prove that what the database holds agrees.

    Text, revisions, events, receipts and search entries are compared. Exits with 1 and names
    what disagrees; mends nothing. pincite store check is the same under another name.
    """
    examine(terminal)


def examine(terminal: Terminal) -> None:
    """Tells what disagrees in the database; exits with 1 if anything does."""
    from pincite.app.build import open_service

    with open_service(terminal.settings()) as opened:
        found = list(opened.store.upkeep.check())
        about = dict(opened.store.upkeep.describe())
    told = [*(f"{name}: {value}" for name, value in about.items()), *found]
    told.append("All agrees." if not found else f"{plural(len(found), 'disagreement')}.")
    terminal.tell({"ok": not found, "problems": found, "store": about}, "\n".join(told))
    if found:
        raise click.exceptions.Exit(1)
