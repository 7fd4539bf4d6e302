"""Articles: what a person does with them."""

import sys
from typing import TYPE_CHECKING, NamedTuple

import click

from pincite.cli.comparing import diff, impact
from pincite.cli.terminal import Group, Terminal, ask, command, say, table
from pincite.cli.writing import NOTE, Place, edit, new, place_of, save, tell_receipt
from pincite.errors import DeniedError, NotFoundError

if TYPE_CHECKING:
    from pincite.domain.grants import Credential
    from pincite.domain.stamps import Stamp
    from pincite.domain.texts import Text
    from pincite.ports import ArticleSummary
    from pincite.service.knowledge_base import Service

_PAGE = 500
_EXPECTED = click.option(
    "--expected-version",
    "expected",
    metavar="STAMP",
    help="Refuse if the article's stamp is another; else its present one is taken.",
)


class Shown(NamedTuple):
    """A text of an article, and which one it is."""

    text: "Text"
    state: str
    updated_at: "Stamp | None"


@click.group("article", cls=Group)
def article() -> None:
    """Read and write articles as a person does, drafts included."""


@command("list", examples=("article list handbook", "article list handbook --state draft"))
@click.argument("kb")
@click.option(
    "--state",
    type=click.Choice(["all", "draft", "published", "withdrawn", "deleted"]),
    default="all",
    show_default=True,
)
def list_(terminal: Terminal, kb: str, state: str) -> None:
    """List the articles of KB by id, with state and version stamp."""
    from pincite.domain.articles import State
    from pincite.domain.ids import parse_knowledge_base_id

    knowledge_base_id = parse_knowledge_base_id(kb)
    wanted = None if state == "all" else State(state)
    found: list[ArticleSummary] = []
    after = None
    with terminal.opened() as (service, credential):
        while page := service.list_articles(
            credential, knowledge_base_id, state=wanted, after=after, limit=_PAGE
        ):
            found += page
            after = page[-1].article_id
    data = [
        {
            "article_id": one.article_id,
            "title": one.title,
            "state": one.state.value,
            "updated_at": _stamp(one.updated_at),
            "has_draft": one.has_draft,
        }
        for one in found
    ]
    rows = [
        (
            one.article_id,
            one.title,
            f"{one.state}, draft ahead" if one.has_draft and one.state != "draft" else one.state,
            _stamp(one.updated_at) or "",
        )
        for one in found
    ]
    terminal.tell(
        {"articles": data}, lambda: table(("article", "title", "state", "updated_at"), rows)
    )


@command(
    "show",
    examples=(
        "article show handbook leave/annual > annual.md",
        "article show handbook leave/annual --draft",
        "article show handbook leave/annual --version 2026-11-08T10:00:00.123Z",
    ),
)
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@click.option("--draft", is_flag=True, help="The draft, not the published text.")
@click.option("--version", metavar="STAMP", help="The version that this stamp cites.")
def show(terminal: Terminal, kb: str, article_: str, draft: bool, version: str | None) -> None:
    """Print an article's content, into a pipe or a file byte for byte.

    Title, state and stamp go to standard error. Without --draft or --version it is the
    published text or, if there is none, the draft.
    """
    from pincite.domain.stamps import Stamp

    if draft and version:
        raise click.UsageError("--draft and --version are two different texts: name one.")
    place = place_of(kb, article_)
    with terminal.opened() as (service, credential):
        if version:
            revision = service.get_revision(credential, *place, Stamp.parse(version, "--version"))
            shown = Shown(revision.text, "version", revision.updated_at)
        else:
            shown = _shown(service, credential, place, draft=draft)
    data = {
        "knowledge_base_id": kb,
        "article_id": article_,
        "title": shown.text.title,
        "state": shown.state,
        "updated_at": _stamp(shown.updated_at),
        "content": shown.text.content,
    }

    def print_content() -> None:
        say(f"{shown.text.title} ({shown.state} {_stamp(shown.updated_at)})", err=True)
        if sys.stdout.isatty():
            say(shown.text.content)
        else:
            click.echo(shown.text.content.encode(), nl=False)

    terminal.tell(data, print_content)


@command("publish", examples=("article publish handbook leave/annual",))
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@_EXPECTED
@NOTE
def publish(
    terminal: Terminal, kb: str, article_: str, expected: str | None, note: str | None
) -> None:
    """Publish an article's draft or, without one, its withdrawn text."""
    from pincite.domain.edits import Publish

    place = place_of(kb, article_)
    with terminal.opened() as (service, credential):
        found = service.get_article(credential, *place)
        stamp = _expected(expected, found.updated_at)
        write = Publish(stamp, found.draft.updated_at if found.draft else None)
        receipt = save(service, credential, place, write, note)
    tell_receipt(terminal, receipt)


@command("withdraw", examples=("article withdraw handbook leave/annual",))
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@_EXPECTED
def withdraw(terminal: Terminal, kb: str, article_: str, expected: str | None) -> None:
    """Take a published article back. Agents find it gone at their next call."""
    from pincite.domain.edits import Withdraw

    place = place_of(kb, article_)
    with terminal.opened() as (service, credential):
        present = service.read(credential, *place).updated_at
        stamp = _expected(expected, present) or present
        receipt = save(service, credential, place, Withdraw(stamp))
    tell_receipt(terminal, receipt)


@command("delete", examples=("article delete handbook leave/annual --yes",))
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@_EXPECTED
@click.option("--yes", is_flag=True, help="Do not ask at a terminal.")
def delete(terminal: Terminal, kb: str, article_: str, expected: str | None, yes: bool) -> None:
    """Delete an article and its draft. Its id is never used again.

    Published versions stay readable by their stamps (pincite store erase removes them). At a
    terminal you are asked first; a script is not.
    """
    from pincite.domain.edits import Delete

    place = place_of(kb, article_)
    ask(f"Delete {article_}? Its id is never used again.", yes=yes)
    with terminal.opened() as (service, credential):
        found = service.get_article(credential, *place)
        write = Delete(_expected(expected, found.updated_at))
        receipt = save(service, credential, place, write)
    tell_receipt(terminal, receipt, "deleted")


@command("history", examples=("article history handbook leave/annual",))
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
def history(terminal: Terminal, kb: str, article_: str) -> None:
    """List the versions of an article that are kept, newest first."""
    with terminal.opened() as (service, credential):
        found = service.list_revisions(credential, *place_of(kb, article_))
    data = [
        {
            "updated_at": str(one.updated_at),
            "title": one.text.title,
            "by": one.by,
            "client": one.client,
            "note": one.note,
        }
        for one in found
    ]
    rows = [(str(one.updated_at), one.by, one.note or "", one.text.title) for one in found]
    terminal.tell({"versions": data}, lambda: table(("updated_at", "by", "note", "title"), rows))


def _shown(service: "Service", credential: "Credential", place: Place, *, draft: bool) -> Shown:
    """A text of an article as it stands, with its state and stamp."""
    try:
        found = service.get_article(credential, *place)
    except DeniedError:
        if draft:
            raise
        read = service.read(credential, *place)
        return Shown(read.text, "published", read.updated_at)
    if found.draft and (draft or found.text is None):
        return Shown(found.draft.text, "draft", found.draft.updated_at)
    if draft or found.text is None:
        what = "draft" if draft else "text"
        raise NotFoundError(f"This article has no {what}: it is {found.state}.")
    return Shown(found.text, found.state.value, found.updated_at)


def _expected(given: str | None, present: "Stamp | None") -> "Stamp | None":
    """The version that a write names: what the person saw, else what is there now."""
    from pincite.domain.stamps import Stamp

    return Stamp.parse(given, "--expected-version") if given else present


def _stamp(stamp: "Stamp | None") -> str | None:
    return None if stamp is None else str(stamp)


for _one in (list_, show, new, edit, publish, withdraw, delete, history, diff, impact):
    article.add_command(_one)
