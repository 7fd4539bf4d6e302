"""Knowledge bases: which ones there are, and what they are called."""

import click

from pincite.cli.terminal import Group, Terminal, command, table


@click.group("kb", cls=Group)
def kb() -> None:
    """List and rename knowledge bases. pincite init makes them."""


@command("list", examples=("kb list", "kb list --json"))
def list_(terminal: Terminal) -> None:
    """List the knowledge bases by id: language, published articles, latest sequence.

    One that was moved to another database is sealed: it takes no more writes here.
    """
    from pincite.wire.results import knowledge_bases

    with terminal.opened() as (service, credential):
        found = service.list_knowledge_bases(credential)
    data = knowledge_bases((one.knowledge_base, one.grant) for one in found)
    for shown, one in zip(data["knowledge_bases"], found, strict=True):
        shown["sealed"] = one.knowledge_base.sealed
    rows = [
        (
            one.knowledge_base.knowledge_base_id,
            one.knowledge_base.title,
            one.knowledge_base.language,
            str(one.knowledge_base.article_count),
            str(one.knowledge_base.latest_sequence),
            "sealed" if one.knowledge_base.sealed else "open",
        )
        for one in found
    ]
    columns = ("id", "title", "language", "articles", "latest_sequence", "writes")
    terminal.tell(data, lambda: table(columns, rows))


@command("rename", examples=('kb rename handbook "Staff handbook"',))
@click.argument("kb_", metavar="KB")
@click.argument("title")
def rename(terminal: Terminal, kb_: str, title: str) -> None:
    """Give KB another title. Its id stays, and with it every citation and cursor."""
    from pincite.domain.ids import parse_knowledge_base_id

    knowledge_base_id = parse_knowledge_base_id(kb_)
    with terminal.opened() as (service, credential):
        service.access.rename_knowledge_base(credential, knowledge_base_id, title)
    terminal.tell(
        {"knowledge_base_id": kb_, "title": title},
        f"The knowledge base {kb_} is called {title} now.",
    )


for _one in (list_, rename):
    kb.add_command(_one)
