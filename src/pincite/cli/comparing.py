"""What a change is, and what it would do, from the shell."""

import click

from pincite.cli.content import given_content
from pincite.cli.terminal import Terminal, command, say, table
from pincite.cli.writing import place_of

_LONGEST = 1_000_000  # characters of a difference


@command(
    "diff",
    examples=(
        "article diff handbook leave/annual 2026-11-08T10:00:00.123Z",
        "article diff handbook leave/annual 2026-11-08T10:00:00.123Z 2026-11-09T08:30:00.000Z",
    ),
)
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@click.argument("old")
@click.argument("new", required=False)
def diff(terminal: Terminal, kb: str, article_: str, old: str, new: str | None) -> None:
    """Show what changed from version OLD to NEW. Without NEW it is the present one."""
    from pincite.domain.differences import unified_diff
    from pincite.domain.stamps import Stamp

    place = place_of(kb, article_)
    with terminal.opened() as (service, credential):
        before = service.get_revision(credential, *place, Stamp.parse(old, "OLD"))
        stamp = Stamp.parse(new, "NEW") if new else service.read(credential, *place).updated_at
        after = service.get_revision(credential, *place, stamp)
    told = unified_diff(before.text.content, after.text.content, _LONGEST)
    titles = [before.text.title, after.text.title]
    data = {
        "old": str(before.updated_at),
        "new": str(after.updated_at),
        "titles": titles,
        "diff": told,
    }

    def tell() -> None:
        if titles[0] != titles[1]:
            say(f"The title was: {titles[0]}")
            say(f"The title is: {titles[1]}")
        say(told.rstrip() or "The content is the same.")

    terminal.tell(data, tell)


@command("impact", examples=("article impact handbook leave/annual new-text.md",))
@click.argument("kb")
@click.argument("article_", metavar="ARTICLE")
@click.argument("file", required=False)
def impact(terminal: Terminal, kb: str, article_: str, file: str | None) -> None:
    """Show which cited passages the content in FILE would break.

    They are those that recorded answers rest on. Nothing is saved. The content comes from
    standard input if FILE is left out or is -.
    """
    from pincite.wire.citations import quote_object

    place = place_of(kb, article_)
    with terminal.opened() as (service, credential), given_content(file or "-") as content:
        found = service.answers.impact(credential, *place, content)
    broken = [(one.quote, str(one.updated_at), answers) for one, answers in found.broken]
    data = {
        "answers": found.answers,
        "broken": [
            {
                "updated_at": stamp,
                "quote": None if quote is None else quote_object(quote),
                "answers": answers,
            }
            for quote, stamp, answers in broken
        ],
    }
    rows = [
        (str(answers), stamp, "the whole version" if quote is None else quote.exact)
        for quote, stamp, answers in broken
    ]

    def tell() -> None:
        say(f"This would change {len(rows)} cited passages of {found.answers} answers.")
        if rows:
            table(("answers", "cited version", "passage"), rows)

    terminal.tell(data, tell)
