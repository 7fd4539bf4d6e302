"""Upkeep of the database: its form, its place, and what is kept for how long."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from pincite.cli.database import examine
from pincite.cli.terminal import Group, Terminal, command, insist

if TYPE_CHECKING:
    from pincite.domain.articles import KnowledgeBase
    from pincite.domain.events import Resource
    from pincite.domain.stamps import Stamp

_DAY = 24 * 60 * 60 * 1000


@click.group("store", cls=Group)
def store() -> None:
    """Look after the database and what it keeps."""


@command(
    "migrate",
    examples=("store migrate", "--db postgresql://db.example/team store migrate"),
    owner=True,
)
def migrate(terminal: Terminal) -> None:
    """Bring the database to the form that this version of Pincite uses.

    Any command and any server does so when it opens the database; this does nothing else, so
    that you choose the moment. Make a backup before: an older Pincite cannot go back.
    """
    from pincite.app.build import open_service

    with open_service(terminal.settings()) as opened:
        about = dict(opened.store.upkeep.describe())
    terminal.tell({"store": about}, f"The database has the present form, {about['schema']}.")


@command("check", examples=("store check", "store check --json"), owner=True)
def check(terminal: Terminal) -> None:
    """Examine the database. This is pincite doctor under another name.

    Exits with 1 and names what disagrees.
    """
    examine(terminal)


@command(
    "copy",
    examples=(
        "--db team.db store copy postgresql://db.example/team --kb handbook",
        "--db postgresql://db.example/team store copy laptop.db --kb handbook",
    ),
    owner=True,
)
@click.argument("target")
@click.option("--kb", required=True, metavar="ID", help="The knowledge base to copy.")
def copy(terminal: Terminal, target: str, kb: str) -> None:
    """Copy a knowledge base to the database TARGET, and seal it here.

    TARGET may be of another engine. History, events and receipts go with it; sequences,
    stamps and epoch stay what they are, so that cursors and citations stay good. What is
    sealed can be read, but takes no more writes. If the copy is interrupted, the same command
    finishes it.
    """
    from pincite.app.build import copy_knowledge_base
    from pincite.app.settings import without_password
    from pincite.domain.ids import parse_knowledge_base_id

    settings = terminal.settings()
    there = without_password(target)
    copy_knowledge_base(settings, target, parse_knowledge_base_id(kb, "--kb"))
    terminal.tell(
        {"knowledge_base_id": kb, "from": settings.place, "to": there},
        f"The knowledge base {kb} is in {there} now. The one in {settings.place} is sealed.",
    )


def _keep_days(
    name: str, what: str, default: int | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """An option that says for how many days something is kept."""
    variable = f"PINCITE_KEEP_{name.upper()}"
    return click.option(
        f"--keep-{name}",
        f"{name}_days",
        type=click.IntRange(min=1),
        metavar="DAYS",
        envvar=variable,
        default=default,
        help=f"{what} [{variable}; {f'default: {default}' if default else 'else all are kept'}]",
    )


@command(
    "compact",
    examples=(
        "store compact",
        "store compact --keep-events 100000 --keep-versions 365",
        "store compact --kb handbook --keep-versions 30",
    ),
    owner=True,
)
@click.option("--kb", metavar="ID", help="Drop events and versions of this knowledge base only.")
@click.option(
    "--keep-events",
    "events",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    envvar="PINCITE_KEEP_EVENTS",
    help="Drop all but this many of each log's latest events. "
    "[PINCITE_KEEP_EVENTS; else all are kept]",
)
@_keep_days("receipts", "Drop receipts older than this.", default=30)
@_keep_days("versions", "Drop versions replaced longer ago than this.")
@_keep_days("sessions", "Drop the logs of sessions that ended longer ago than this.")
def compact(
    terminal: Terminal,
    kb: str | None,
    events: int | None,
    receipts_days: int,
    versions_days: int | None,
    sessions_days: int | None,
) -> None:
    """Drop old receipts, events, versions and sessions for good.

    Only receipts are dropped if no limit is given. An agent whose cursor is older than the
    events that are left is told so, and checks its citations anew. Dropped versions cannot be
    read any more, but their stamps stay known.
    """
    from pincite.app.build import open_service

    settings = terminal.settings()
    dropped: dict[str, int] = {}
    with open_service(settings) as opened:
        found = opened.service.list_knowledge_bases(settings.credential)
        upkeep = opened.store.upkeep
        dropped["receipts"] = upkeep.drop_receipts(_ago(receipts_days))
        chosen = [one.knowledge_base for one in found]
        chosen = _named(chosen, kb) if kb is not None else chosen
        if events is not None:
            dropped["events"] = sum(
                upkeep.compact(resource, through)
                for resource, through in _old_events(chosen, events)
            )
        if versions_days is not None:
            before = _ago(versions_days)
            dropped["versions"] = sum(
                upkeep.drop_revisions(one.knowledge_base_id, before) for one in chosen
            )
        if sessions_days is not None:
            dropped["sessions"] = upkeep.drop_sessions(_ago(sessions_days))
    told = ", ".join(f"{number} {name}" for name, number in dropped.items())
    terminal.tell({"dropped": dropped}, f"Dropped: {told}.")


@command("erase", examples=("store erase handbook people/jane-doe --yes",))
@click.argument("kb")
@click.argument("article")
@click.option("--yes", is_flag=True, help="Do not ask; required where there is no terminal.")
def erase(terminal: Terminal, kb: str, article: str, yes: bool) -> None:
    """Remove every text that ARTICLE ever had, for good.

    A published one is deleted first. Ids, stamps and events remain, the id is never used
    again. Backups made before keep the text.
    """
    from pincite.domain.ids import parse_article_id, parse_knowledge_base_id

    place = parse_knowledge_base_id(kb), parse_article_id(article)
    insist(f"Erase every text of {article}? This cannot be undone.", yes=yes)
    with terminal.opened() as (service, credential):
        service.erase(credential, *place)
    terminal.tell({"article_id": article, "erased": True}, f"Every text of {article} is gone.")


for _one in (migrate, check, copy, compact, erase):
    store.add_command(_one)


def _ago(days: int) -> "Stamp":
    from pincite.domain.stamps import Stamp

    return Stamp(max(0, time.time_ns() // 1_000_000 - days * _DAY))


def _named(found: "Sequence[KnowledgeBase]", kb: str) -> "list[KnowledgeBase]":
    from pincite.errors import NotFoundError

    chosen = [one for one in found if one.knowledge_base_id == kb]
    if not chosen:
        raise NotFoundError("There is no such knowledge base.")
    return chosen


def _old_events(chosen: "Sequence[KnowledgeBase]", kept: int) -> "list[tuple[Resource, int]]":
    from pincite.domain.events import Resource

    ends = ((Resource.of(one.knowledge_base_id), one.latest_sequence - kept) for one in chosen)
    return [(resource, through) for resource, through in ends if through > 0]
