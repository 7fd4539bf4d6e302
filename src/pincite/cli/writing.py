"""Writes articles: new ones, and new texts of those that are there."""

from typing import TYPE_CHECKING, TypeAlias, TypedDict, Unpack

import click

from pincite.cli.content import given_content
from pincite.cli.terminal import Terminal, command
from pincite.errors import InvalidInputError, NotFoundError, VersionConflictError

if TYPE_CHECKING:
    from pincite.domain.articles import Article
    from pincite.domain.edits import Edit, Receipt, Write
    from pincite.domain.grants import Credential
    from pincite.domain.ids import ArticleId, KnowledgeBaseId
    from pincite.domain.stamps import Stamp
    from pincite.domain.texts import Text
    from pincite.service.knowledge_base import Service

Place: TypeAlias = "tuple[KnowledgeBaseId, ArticleId]"
"""Which article of which knowledge base."""


class _EditOptions(TypedDict):
    expected: str
    title: str | None
    draft: bool
    merge: bool
    note: str | None


NOTE = click.option("--note", help="Why, in your words; kept in the history.")


@command(
    "new",
    examples=(
        "article new handbook leave/annual annual.md",
        'article new handbook leave/sick --title "Sick leave" --publish < sick.md',
        "article new handbook leave/parental        # opens your editor",
    ),
)
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@click.argument("file", required=False)
@click.option("--title", help="Else the first heading, else the end of the id.")
@click.option("--publish", is_flag=True, help="Publish it at once; else it is a draft.")
def new(
    terminal: Terminal, kb: str, article_: str, file: str | None, title: str | None, publish: bool
) -> None:
    """Write a new article under an id that was never used.

    The content comes from FILE, from standard input (-), or from your editor.
    """
    from pincite.domain.edits import Create
    from pincite.domain.texts import Text
    from pincite.importers.markdown import title_in

    place = place_of(kb, article_)
    with given_content(file) as content, terminal.opened() as (service, credential):
        named = title or title_in("", content) or article_.rpartition("/")[2] or article_
        receipt = save(service, credential, place, Create(Text(named, content), publish))
    tell_receipt(terminal, receipt)


@command(
    "edit",
    examples=(
        "article edit handbook leave/annual annual.md --expected-version 2026-11-08T10:00:00.123Z",
        "article edit handbook leave/annual annual.md --expected-version … --merge",
        "article edit handbook leave/annual --draft --expected-version …   # opens your editor",
    ),
)
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@click.argument("file", required=False)
@click.option(
    "--expected-version",
    "expected",
    required=True,
    metavar="STAMP",
    help="The version that you changed; with --draft the draft's, once there is one.",
)
@click.option("--title", help="A new title; else it stays.")
@click.option("--draft", is_flag=True, help="Save a draft, which agents do not see.")
@click.option(
    "--merge",
    is_flag=True,
    help="If others saved meanwhile and the changes do not touch, save both.",
)
@NOTE
def edit(
    terminal: Terminal, kb: str, article_: str, file: str | None, **options: Unpack[_EditOptions]
) -> None:
    """Save a new content of an article, and publish it unless --draft.

    The content comes from FILE, from standard input (-), or from your editor. If the article
    is not at the version that you name, nothing is saved; you see what changed meanwhile.
    """
    from pincite.domain.edits import Edit
    from pincite.domain.stamps import Stamp

    place = place_of(kb, article_)
    stamp = Stamp.parse(options["expected"], "--expected-version")
    with terminal.opened() as (service, credential):

        def start() -> str:
            if options["draft"] and (draft := service.get_article(credential, *place).draft):
                return draft.text.content
            return service.get_revision(credential, *place, stamp).text.content

        with given_content(file, start) as content:
            if options["draft"]:
                receipt = _save_draft(service, credential, place, (stamp, content), options)
            else:
                write = Edit(stamp, content, options["title"])
                receipt = _save_edit(service, credential, place, write, options)
    tell_receipt(terminal, receipt)


def _save_edit(
    service: "Service", credential: "Credential", place: Place, write: "Edit", options: _EditOptions
) -> "Receipt":
    """Saves an edit or, if asked and possible, the merge of it and what others saved."""
    from pincite.domain.articles import State

    try:
        return save(service, credential, place, write, options["note"])
    except VersionConflictError as conflict:
        merged = _merged(conflict, write.title) if options["merge"] else None
        if merged is None:
            raise
        return save(service, credential, place, merged, options["note"])
    except NotFoundError:
        if service.get_article(credential, *place).state is not State.DRAFT:
            raise
        raise InvalidInputError(
            "This article is still a draft: edit it with --draft.",
            field="--draft",
            limit="a published article",
        ) from None


def _save_draft(
    service: "Service",
    credential: "Credential",
    place: Place,
    given: "tuple[Stamp, str]",
    options: _EditOptions,
) -> "Receipt":
    """Saves a draft: of the one that is there, else of the text that is published."""
    from pincite.domain.edits import SaveDraft
    from pincite.domain.stamps import Stamp
    from pincite.domain.texts import Text

    stamp, content = given
    found = service.get_article(credential, *place)
    before = found.draft.text if found.draft else found.text
    if before is None:
        raise NotFoundError("There is no such article.")
    text = Text(before.title if options["title"] is None else options["title"], content)
    try:
        if found.draft:
            draft = SaveDraft(stamp, found.draft.base, text)
        elif found.updated_at == stamp:
            draft = SaveDraft(None, stamp, text)
        else:
            raise _published_meanwhile(service, credential, found, (stamp, text))
        return save(service, credential, place, draft, options["note"])
    except VersionConflictError as conflict:
        merged, current = conflict.details.get("merged"), conflict.details.get("current")
        if not options["merge"] or not isinstance(merged, str):
            raise
        text, present = Text(text.title, merged), Stamp.parse(str(current))
        if found.draft:
            draft = SaveDraft(present, found.draft.base, text)
        else:
            draft = SaveDraft(None, present, text)
        return save(service, credential, place, draft, options["note"])


def _published_meanwhile(
    service: "Service", credential: "Credential", found: "Article", given: "tuple[Stamp, Text]"
) -> VersionConflictError:
    """The refusal of a draft whose text starts from a version that is published no more."""
    from pincite.service.merging import meanwhile

    stamp, mine = given
    details: dict[str, object] = {}
    if found.text is not None:
        try:
            place = found.knowledge_base_id, found.article_id
            base = service.get_revision(credential, *place, stamp).text
        except NotFoundError:
            base = None
        details = meanwhile(base, found.text, mine)
    return VersionConflictError(
        "This article is not at the version that the draft starts from.",
        expected=str(stamp),
        current=None if found.updated_at is None else str(found.updated_at),
        **details,
    )


def _merged(conflict: VersionConflictError, title: str | None) -> "Edit | None":
    """The edit that saves both changes; None if they touch."""
    from pincite.domain.edits import Edit
    from pincite.domain.stamps import Stamp

    content, current = conflict.details.get("merged"), conflict.details.get("current")
    if not isinstance(content, str) or not isinstance(current, str):
        return None
    return Edit(Stamp.parse(current), content, title)


def place_of(kb: str, article_id: str) -> Place:
    """Checks the two ids that name an article."""
    from pincite.domain.ids import parse_article_id, parse_knowledge_base_id

    return parse_knowledge_base_id(kb), parse_article_id(article_id)


def save(
    service: "Service",
    credential: "Credential",
    place: Place,
    write: "Write",
    note: str | None = None,
) -> "Receipt":
    """Saves a write as a person at the command line does."""
    from pincite.domain.edits import Context

    context = Context(client="pincite", note=note)
    return service.write(credential, *place, write, context).receipt


def tell_receipt(terminal: Terminal, receipt: "Receipt", word: str | None = None) -> None:
    """Tells how a write ended."""
    stamp = None if receipt.updated_at is None else str(receipt.updated_at)
    told = f"{receipt.article_id}: {word or receipt.status.value}"
    terminal.tell(
        {
            "status": receipt.status.value,
            "article_id": receipt.article_id,
            "updated_at": stamp,
            "sequence": receipt.sequence,
        },
        f"{told} at {stamp} (event {receipt.sequence})" if stamp else told,
    )
